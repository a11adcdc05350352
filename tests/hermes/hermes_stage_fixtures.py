"""Fixtures of the tests that play the host on a stage of real cores."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hermes_stage import Stage

from memorycore.testing import FakeClock


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(FakeClock())
    yield stage
    for provider in stage.providers:
        provider.shutdown()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "memories").mkdir(parents=True)
    (home / "config.yaml").write_text("memory: {}\n", encoding="utf-8")
    return home
