"""Installing into a Hermes home and taking it out again."""

import sys
from pathlib import Path

import pytest
import yaml

from memorycore.entrypoints.client_installers.installing import Step
from memorycore.entrypoints.hermes_install import Host, find_host, hermes_home, propose_hermes
from memorycore.testing import FakeClock

PLUGIN = "memorycore-prefetch"
FULL = Host("/opt/hermes/bin/python", has_memorycore=True, has_mcp=True)
CONFIG = "# my settings\nmodel: x\nmemory:\n  nudge_interval: 5  # often\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / ".hermes"
    home.mkdir()
    (home / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return home


def config_of(home: Path) -> dict[str, dict[str, object]]:
    loaded: dict[str, dict[str, object]] = yaml.safe_load((home / "config.yaml").read_text("utf-8"))
    return loaded


def install(home: Path, host: Host = FULL) -> Step:
    return propose_hermes(home, host, uninstall=False).carry_out(FakeClock()).step


def test_a_proposal_writes_nothing_and_shows_the_change(home: Path) -> None:
    answer = propose_hermes(home, FULL, uninstall=False).answer()
    assert "+  provider: memorycore-prefetch" in answer.diff
    assert sorted(path.name for path in home.iterdir()) == ["config.yaml"]
    assert not answer.done


def test_installing_copies_the_plugin_and_edits_the_configuration(home: Path) -> None:
    assert install(home) is Step.ADD
    plugin = home / "plugins" / PLUGIN
    assert "MemoryProvider" in (plugin / "__init__.py").read_text("utf-8")[:8192]
    assert yaml.safe_load((plugin / "plugin.yaml").read_text("utf-8"))["kind"] == "standalone"
    config = config_of(home)
    assert config["memory"] == {"provider": PLUGIN, "nudge_interval": 5}
    assert config["plugins"] == {"enabled": [PLUGIN]}
    server = config["mcp_servers"]["memorycore"]
    assert server == {
        "command": "/opt/hermes/bin/python",
        "args": ["-m", "memorycore.server"],
        "env": {
            "MEMORYCORE_MEMORY_DIR": str(home / "memories"),
            "MEMORYCORE_DATA_DIR": str(home / "memorycore"),
        },
    }
    backups = list(home.glob("config.yaml.*.bak"))
    assert [path.read_text("utf-8") for path in backups] == [CONFIG]


def test_a_host_without_an_mcp_client_gets_no_server(home: Path) -> None:
    install(home, Host("/opt/hermes/bin/python", has_memorycore=True))
    assert "mcp_servers" not in config_of(home)


def test_installing_again_changes_nothing(home: Path) -> None:
    install(home)
    assert install(home) is Step.NOTHING


def test_a_changed_plugin_file_is_brought_up_to_date(home: Path) -> None:
    install(home)
    (home / "plugins" / PLUGIN / "cli.py").write_text("old", encoding="utf-8")
    assert install(home) is Step.CHANGE
    assert "register_cli" in (home / "plugins" / PLUGIN / "cli.py").read_text("utf-8")


def test_a_dangling_link_in_the_plugins_place_is_replaced(home: Path) -> None:
    (home / "plugins").mkdir()
    (home / "plugins" / PLUGIN).symlink_to(home / "gone")
    assert install(home) is Step.ADD
    assert (home / "plugins" / PLUGIN / "__init__.py").is_file()


def test_taking_it_out_leaves_memories_and_other_settings(home: Path) -> None:
    (home / "memories").mkdir()
    (home / "memories" / "MEMORY.md").write_text("kept", encoding="utf-8")
    install(home)
    answer = propose_hermes(home, FULL, uninstall=True).carry_out(FakeClock())
    assert answer.step is Step.REMOVE
    assert not (home / "plugins" / PLUGIN).exists()
    assert config_of(home) == {"model": "x", "memory": {"provider": "", "nudge_interval": 5}}
    assert (home / "memories" / "MEMORY.md").read_text("utf-8") == "kept"
    assert propose_hermes(home, FULL, uninstall=True).step is Step.NOTHING


def test_another_provider_is_not_switched_off_when_ours_is_taken_out(home: Path) -> None:
    install(home)
    text = (
        (home / "config.yaml").read_text("utf-8").replace(f"provider: {PLUGIN}", "provider: mem0")
    )
    (home / "config.yaml").write_text(text, encoding="utf-8")
    propose_hermes(home, FULL, uninstall=True).carry_out(FakeClock())
    assert config_of(home)["memory"]["provider"] == "mem0"


def test_a_broken_configuration_is_refused_and_left_alone(home: Path) -> None:
    (home / "config.yaml").write_text("memory: [\n", encoding="utf-8")
    answer = propose_hermes(home, FULL, uninstall=False).carry_out(FakeClock())
    assert answer.step is Step.REFUSED
    assert (home / "config.yaml").read_text("utf-8") == "memory: [\n"
    assert not (home / "plugins").exists()


def test_without_a_home_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert propose_hermes(tmp_path / "none", FULL, uninstall=False).step is Step.NOTHING


def test_a_host_without_the_package_is_told_what_is_left_to_do(home: Path) -> None:
    answer = propose_hermes(home, Host("/opt/hermes/bin/python"), uninstall=False).answer()
    assert "/opt/hermes/bin/python -m pip install memorycore" in answer.reason


def test_the_home_is_the_memory_folders_or_the_active_profiles_or_the_root(tmp_path: Path) -> None:
    root = tmp_path / ".hermes"
    (root / "profiles" / "work").mkdir(parents=True)
    assert hermes_home(tmp_path) == root
    (root / "active_profile").write_text("work\n", encoding="utf-8")
    assert hermes_home(tmp_path) == root / "profiles" / "work"
    assert hermes_home(tmp_path, told=root) == root / "profiles" / "work"
    assert hermes_home(tmp_path, told=tmp_path / "moved") == tmp_path / "moved"
    elsewhere = tmp_path / "x" / "memories"
    assert hermes_home(tmp_path, memory_dir=elsewhere) == tmp_path / "x"


def test_the_host_is_asked_through_the_interpreter_of_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "hermes_constants.py").write_text(
        "import os\ndef get_hermes_home(): return os.environ['HERMES_HOME']\n", encoding="utf-8"
    )
    command = tmp_path / "bin" / "hermes"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\n", encoding="utf-8")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent))
    monkeypatch.setenv("PYTHONPATH", str(library))
    monkeypatch.setenv("HERMES_HOME", "/srv/hermes")
    host = find_host()
    assert (host.python, host.home) == (sys.executable, Path("/srv/hermes"))


@pytest.mark.parametrize("first", ["", "#!/usr/bin/env python3\n", "#!/gone/python\n"])
def test_a_command_that_names_no_interpreter_is_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    (tmp_path / "hermes").write_text(first, encoding="utf-8")
    (tmp_path / "hermes").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_host() == Host(None)
