"""Fixtures of the tests inside the real host."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hermes_host import PYTHON, Conversation, HostHome, home_in


@pytest.fixture
def host_home(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[HostHome]:
    """A home with the plugin in it; an indirect parameter is the turns between background reviews."""
    if not PYTHON:
        pytest.skip("MEMORYCORE_TEST_HERMES_PYTHON is not set; .ci/hermes-venv makes what it names")
    with home_in(tmp_path / "home", nudge=getattr(request, "param", 0)) as home:
        yield home


@pytest.fixture
def talk(host_home: HostHome) -> Iterator[Conversation]:
    """A conversation in a fresh home."""
    conversation = Conversation(host_home)
    yield conversation
    conversation.kill()
