"""Conversations inside the real host: what is written, what leaves, what comes back."""

import json
from typing import Any

from hermes_host import Conversation, HostHome
from hermes_model import Call

pytest_plugins = ["hermes_fixtures"]

TURNS = 100
RULE = "Never restart the ledger service without asking Mira first."
TOWNS = ["Graz", "Oulu", "Porto", "Lviv", "Hue", "Osaka", "Daegu", "Quito", "Brno", "Lyon"]


def fact(number: int) -> str:
    """A project fact of realistic length that nothing protects."""
    return (
        f"Depot {number} lies in {TOWNS[number % 10]}, gate word {TOWNS[number % 7]}-{number * 37}, and its "
        f"inventory service answers on host depot{number}.example port {9000 + number} behind the proxy."
    )


def habit(number: int) -> str:
    """A preference, which belongs in the hot file."""
    things = ["diffs", "tables", "plots", "logs", "commit messages", "release notes", "invoices"]
    thing = things[number % len(things)]
    return f"Always show {thing} number {number} as a short list, newest first, and never without its source."


def add(text: str, target: str = "memory") -> Call:
    return Call("memory", {"action": "add", "target": target, "content": text})


def results(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(text) for text in answer["tools"]]


def test_a_hundred_turns_of_writing_are_never_refused_and_an_early_fact_comes_back(
    talk: Conversation,
) -> None:
    assert talk.memory(action="add", target="memory", content=RULE)["success"]
    refused = []
    for number in range(TURNS):
        text = fact(number) if number % 4 else habit(number)
        refused += [
            result
            for result in results(talk.say("Keep that for later.", add(text)))
            if not (result.get("success") or "Saved." in str(result))
        ]
    assert not refused, refused[:2]
    assert len(talk.home.text()) <= 2200
    assert RULE in talk.home.entries()
    assert fact(5) not in talk.home.entries()
    talk.say("On which port does the inventory service of depot 5 answer?")
    assert "<memory-context>" in talk.prompt()
    assert "port 9005" in talk.prompt()
    talk.say("On which port does the inventory service of depot 5 answer?")
    assert "port 9005" not in talk.prompt()
    talk.say("Good morning!")
    assert "<memory-context>" not in talk.prompt()
    talk.close()
    assert not faults(talk.home)


def test_rules_stay_records_leave_and_the_hosts_own_edits_are_honoured(talk: Conversation) -> None:
    talk.memory(action="add", target="memory", content=RULE)
    record = "2026-03-04: the move of the wiki to host plum is completed and verified."
    talk.memory(action="add", target="memory", content=record)
    old = "The staging database runs on host quince, port 5433, user deploy."
    talk.memory(action="add", target="memory", content=old)
    talk.say("Nothing else for now.")
    talk.new_session("second")
    assert RULE in talk.home.entries()
    assert record not in talk.home.entries()

    replaced = talk.memory(
        action="replace",
        target="memory",
        old_text="staging database runs on host quince",
        content="The staging database runs on host medlar, port 5433, user deploy.",
    )
    assert replaced["success"], replaced
    removed = talk.memory(action="remove", target="memory", old_text="wiki to host plum")
    assert removed["success"], removed
    talk.new_session("third")
    talk.say("To which host did the wiki move?")
    assert "host plum" not in talk.prompt()
    talk.say("On which host does the staging database run?")
    assert "quince" not in talk.prompt()
    assert "medlar" in talk.prompt() + talk.system()
    talk.close()
    assert not faults(talk.home)


def test_a_hand_that_writes_meanwhile_loses_nothing_and_is_not_overruled(
    talk: Conversation,
) -> None:
    path = talk.home.path / "memories" / "MEMORY.md"
    for number in range(12):
        talk.say("Keep that for later.", add(habit(number)))
        entries = talk.home.entries()
        by_hand = f"Written by hand {number}: reply in German when asked in German."
        path.write_text("\n§\n".join([*entries, by_hand]), encoding="utf-8")
    removed = talk.memory(action="remove", target="memory", old_text="Written by hand 11")
    assert removed["success"], removed
    talk.say("Thanks.")
    talk.close()
    kept = "\n".join([talk.home.text(), json.dumps(exported(talk.home), ensure_ascii=False)])
    for number in range(11):
        assert f"Written by hand {number}:" in kept
    assert not faults(talk.home)


def test_an_approved_write_is_governed_though_no_hook_tells_of_it(host_home: HostHome) -> None:
    config = host_home.path / "config.yaml"
    text = config.read_text(encoding="utf-8")
    approving = text.replace("  memory_enabled", "  write_approval: true\n  memory_enabled", 1)
    config.write_text(approving, encoding="utf-8")
    talk = Conversation(host_home)
    record = "2026-03-04: the move of the wiki to host plum is completed and verified."
    for entry in (RULE, record):
        assert talk.memory(action="add", target="memory", content=entry)["staged"]
    assert host_home.entries() == []
    talk.approve()
    assert host_home.entries() == [RULE, record]
    talk.say("Thanks.")
    talk.close()
    assert host_home.entries() == [RULE]
    assert not faults(host_home)


def test_text_that_was_recalled_is_not_stored_as_new(talk: Conversation) -> None:
    talk.say("Keep that for later.", add(fact(3)))
    talk.say("Nothing else.")
    talk.new_session("second")
    before = talk.home.core("usage")["cold"]["live"]
    talk.say("What is the gate word of depot 3?")
    block = talk.prompt().split("</memory-context>")[0].split("<memory-context>")[1]
    block = block.split("]\n\n", 1)[1]
    for _ in range(5):
        answers = results(
            talk.say(
                "Remember what you know.",
                add(block),
                Call("memorycore_store_fact", {"content": block}),
            )
        )
        assert not any("stored successfully" in str(answer) for answer in answers)
    talk.close()
    assert talk.home.core("usage")["cold"]["live"] == before
    assert "memorycore notes" not in talk.home.text()


def faults(home: HostHome) -> dict[str, int]:
    """Return the faults the plugin counted."""
    status = json.loads((home.path / "memorycore" / "hermes-plugin.json").read_text("utf-8"))
    counted: dict[str, int] = status["faults"]
    return counted


def exported(home: HostHome) -> list[Any]:
    """Return everything the core holds, hot and cold."""
    path = home.path / "export.jsonl"
    home.core("export", str(path))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
