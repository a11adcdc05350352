"""The real host when something is missing, down or killed: the conversation goes on and nothing is lost."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hermes_host import Conversation, HostHome
from hermes_model import Call

pytest_plugins = ["hermes_fixtures"]

PORT = "The metrics gateway of project heron listens on port 9417 of host alder."


DISCARD = 9
"""A port nobody listens on."""

BLOCKADE = """\
import sys


class Blockade:
    def find_spec(self, name, *_):
        if name == "memorycore":
            raise ImportError("libsomething.so is missing")


sys.meta_path.insert(0, Blockade())
"""
"""Keeps Python from importing the package, wherever it lies."""


def settle(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Wait until `condition` holds, for things the host does in the background."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def configure(home: HostHome, text: str) -> None:
    """Write the core's settings file."""
    folder = home.path / "memorycore"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def test_with_the_remote_store_down_for_twenty_turns_nothing_is_refused_or_lost(
    host_home: HostHome,
) -> None:
    configure(host_home, f'cold_backend = "mcp"\ncold_url = "http://127.0.0.1:{DISCARD}/mcp"\n')
    talk = Conversation(host_home)
    facts = [
        f"Shelf {n} of the archive in hall {n % 7} holds the seals of the year {1900 + n}, sorted by the name of "
        f"the engraver, and its key hangs on hook {n * 3} in the porter's office."
        for n in range(20)
    ]
    kept_elsewhere = 0
    for text in facts:
        answer = talk.say("Which shelf holds the seals of 1907?", add(text))
        result = json.loads(answer["tools"][-1])
        saved = "Saved." in str(result)
        assert result.get("success") or saved, result
        kept_elsewhere += saved
        assert answer["seconds"] < 20
    talk.close()
    assert kept_elsewhere
    assert host_home.core("usage")["cold"]["queued"] >= kept_elsewhere
    assert len(host_home.entries()) == len(facts) - kept_elsewhere


def test_a_store_that_cannot_open_is_shown_and_catches_up_when_it_is_mended(
    host_home: HostHome,
) -> None:
    database = host_home.path / "memorycore" / "memorycore.db"
    database.mkdir(parents=True)
    talk = Conversation(host_home)
    for number in range(3):
        answer = talk.say("Keep that.", add(f"Shelf {number} holds the {number}th box of seals."))
        assert answer["final"].startswith("done")
    recall = talk.say("Search.", Call("memorycore_recall", {"query": "seals"}))["tools"][-1]
    assert "not available" in json.loads(recall)["error"]
    talk.close()
    assert len(host_home.entries()) == 3
    assert "open: " in host_home.command("memory", "status")
    database.rmdir()
    later = Conversation(host_home)
    later.say("Hello again.")
    later.close()
    assert host_home.core("usage")["cold"]["degraded"] is None
    assert "Shelf 2" in json.dumps(host_home.core("recall", "box of seals on shelf 2"))


@pytest.mark.parametrize(
    "settings",
    [
        'embedder = "none"\n',
        'embedder = "api"\nembed_url = "http://127.0.0.1:9/v1"\nembed_model = "gone"\n',
    ],
    ids=["switched off", "unreachable"],
)
def test_without_an_embedder_facts_are_kept_and_found_by_their_words(
    host_home: HostHome, settings: str
) -> None:
    configure(host_home, settings)
    talk = Conversation(host_home)
    stored = talk.say("Keep that.", Call("memorycore_store_fact", {"content": PORT}))
    assert json.loads(stored["tools"][-1])["success"]
    talk.new_session("second")
    talk.say("Which port does the metrics gateway of heron use?")
    assert "9417" in talk.prompt() + talk.system()
    talk.close()


@pytest.mark.parametrize("host_home", [1], indirect=True)
def test_the_background_review_finds_room_too(talk: Conversation) -> None:
    rules = [f"Always name the unit of gauge {n} when you report its reading." for n in range(18)]
    for text in rules:
        talk.script.review = []
        assert json.loads(talk.say("Keep that.", add(text))["tools"][-1])["success"]
    reviewed = "Never send the weekly report before Noor has read it."
    talk.script.review = [add(reviewed)]
    talk.say("I want Noor to read the weekly report before it is sent.")
    assert settle(lambda: reviewed in talk.home.text())
    talk.say("Thanks.")
    talk.close()
    assert len(talk.home.text()) <= 2200


def test_a_killed_host_loses_nothing(host_home: HostHome) -> None:
    texts = [
        f"Always greet visitor {n} of the gallery by the first name, never by number."
        for n in range(15)
    ]
    talk = Conversation(host_home)
    for text in texts:
        assert json.loads(talk.say("Keep that.", add(text))["tools"][-1])["success"]
    talk.kill()
    again = Conversation(host_home)
    again.say("Hello again.")
    again.close()
    path = host_home.path / "export.jsonl"
    host_home.core("export", str(path))
    everything = path.read_text("utf-8") + host_home.text()
    for n in range(15):
        assert f"visitor {n} of" in everything
    assert not list((host_home.path / "memories").glob(".mem_*"))


def test_the_hosts_command_line_shows_health_and_takes_our_commands(host_home: HostHome) -> None:
    said = host_home.command("-z", "Hello there.")
    assert "done after 0 calls" in said
    status = host_home.command("memory", "status")
    assert "memorycore-prefetch" in status
    assert "0/2200 characters" in status
    assert "room-making hooks: on" in status
    assert "faults: none" in status
    assert "MEMORY.md" in host_home.command("memorycore-prefetch", "status")


def test_the_provider_says_why_when_the_package_is_missing(
    host_home: HostHome, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BLOCKADE, encoding="utf-8")
    environment = {**host_home.environment, "PYTHONPATH": str(tmp_path)}
    broken = HostHome(host_home.path, host_home.model, environment)
    status = broken.command("memory", "status")
    assert "libsomething.so is missing" in status
    assert "not available" in status


def add(text: str) -> Call:
    return Call("memory", {"action": "add", "target": "memory", "content": text})
