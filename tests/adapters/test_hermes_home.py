"""How a Hermes home is recognised and what its configuration says of the hot files."""

from pathlib import Path

import pytest

from memorycore.adapters.hermes_home import DEFAULT_LIMITS, find_hermes_home
from memorycore.model.routing import Target


def home_with(tmp_path: Path, config: bytes) -> Path:
    home = tmp_path / "home"
    (home / "memories").mkdir(parents=True)
    (home / "config.yaml").write_bytes(config)
    return home / "memories"


@pytest.mark.parametrize("where", [".hermes/memories", ".hermes/profiles/work/memories"])
def test_a_home_is_known_by_its_place_even_before_it_has_files(tmp_path: Path, where: str) -> None:
    home = find_hermes_home(tmp_path / where)
    assert home is not None
    assert home.limits == DEFAULT_LIMITS
    assert home.warnings == ()


@pytest.mark.parametrize("where", ["memories", "notes", ".hermes/notes"])
def test_another_folder_is_no_home(tmp_path: Path, where: str) -> None:
    (tmp_path / where).mkdir(parents=True)
    assert find_hermes_home(tmp_path / where) is None


def test_limits_come_from_the_hosts_configuration(tmp_path: Path) -> None:
    folder = home_with(tmp_path, b"memory:\n  memory_char_limit: 9000\n  user_char_limit: '800'\n")
    home = find_hermes_home(folder)
    assert home is not None
    assert home.limits == {Target.MEMORY: 9000, Target.USER: 800}


@pytest.mark.parametrize(
    "config",
    [
        b"memory: [\n",
        b"\xff\xfe\x00",
        b"memory:\n  memory_char_limit: lots\n",
        b"memory:\n  user_char_limit: -5\n",
        b"memory:\n  user_char_limit: true\n",
        b"%BAD\n---\n: :\n",
    ],
)
def test_a_configuration_that_makes_no_sense_warns_and_leaves_the_defaults(
    tmp_path: Path, config: bytes
) -> None:
    home = find_hermes_home(home_with(tmp_path, config))
    assert home is not None
    assert home.limits == DEFAULT_LIMITS
    assert len(home.warnings) == 1


@pytest.mark.parametrize("config", [b"", b"memory:\n", b"- a\n", b"memory: off\n"])
def test_a_configuration_without_the_keys_is_no_reason_to_warn(
    tmp_path: Path, config: bytes
) -> None:
    home = find_hermes_home(home_with(tmp_path, config))
    assert home is not None
    assert home.limits == DEFAULT_LIMITS
    assert home.warnings == ()
