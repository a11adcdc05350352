"""Settings come from arguments, the environment and the data folder's file, in that order."""

from pathlib import Path

import pytest

from memorycore.errors import ConfigurationError
from memorycore.settings import ColdBackend, Settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


def test_an_argument_beats_the_environment_and_the_environment_beats_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "config.toml").write_text(
        "cold_soft_limit = 10\ncold_timeout = 1.5\nhttp_port = 1\n", encoding="utf-8"
    )
    monkeypatch.setenv("MEMORYCORE_COLD_TIMEOUT", "2.5")
    monkeypatch.setenv("MEMORYCORE_HTTP_PORT", "2")
    settings = Settings(data_dir=home, http_port=3)
    assert (settings.cold_soft_limit, settings.cold_timeout, settings.http_port) == (10, 2.5, 3)


def test_nested_values_can_be_set_from_the_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYCORE_WATERMARKS__TARGET", "0.3")
    assert Settings(data_dir=home).watermarks.target == 0.3


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"watermarks": {"soft": 2}}, "watermarks.soft"),
        ({"watermarks": {"soft": 0.3, "target": 0.5}}, "ordered"),
        ({"cold_backend": "mcp"}, "cold_url"),
        ({"cold_backend": "oracle"}, "cold_backend"),
        ({"embedder": "api"}, "embed_url"),
        ({"llm_base_url": "http://127.0.0.1/v1"}, "llm_model"),
        ({"cold_soft_limit": 20, "cold_hard_limit": 10}, "cold_hard_limit"),
        ({"memory_char_limit": 0}, "memory_char_limit"),
        ({"memory_dri": "/x"}, "memory_dri"),
    ],
)
def test_a_wrong_setting_is_named_in_one_configuration_error(
    home: Path, wrong: dict[str, object], named: str
) -> None:
    with pytest.raises(ConfigurationError, match=named):
        Settings(data_dir=home, **wrong)


@pytest.mark.parametrize("content", [b"memory_dir = ", b"\xff\xfe", b"cold_soft_limit = 'many'"])
def test_a_broken_settings_file_is_an_error_and_never_ignored(home: Path, content: bytes) -> None:
    (home / "config.toml").write_bytes(content)
    with pytest.raises(ConfigurationError):
        Settings(data_dir=home)


def test_the_hermes_memory_folder_is_the_default_when_there_is_one(home: Path) -> None:
    assert Settings().memory_dir == home / ".memorycore" / "memory"
    memories = home / ".hermes" / "memories"
    memories.mkdir(parents=True)
    (home / ".hermes" / "config.yaml").write_text("model: {}\n", encoding="utf-8")
    settings = Settings()
    assert settings.memory_dir == memories
    assert settings.data_dir == home / ".hermes" / "memorycore"


def test_secrets_are_not_shown_when_settings_are_printed(home: Path) -> None:
    settings = Settings(
        data_dir=home, cold_backend=ColdBackend.MCP, cold_url="http://x", cold_token="s3cr3t"
    )
    assert "s3cr3t" not in repr(settings)
