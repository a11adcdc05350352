"""The hooks around the host's `memory` tool."""

import json
from pathlib import Path
from typing import Any

import pytest
from hermes_stage import (
    FACT,
    QUESTION,
    RULE,
    Stage,
    entries,
    filler,
    remember,
    write,
)

from memorycore.entrypoints.hermes import ToolGuard
from memorycore.errors import ColdUnavailableError

pytest_plugins = ["hermes_stage_fixtures"]


def guard_of(stage: Stage) -> ToolGuard:
    return ToolGuard(homes=stage.homes)


def call(**args: Any) -> dict[str, Any]:
    return {"tool_name": "memory", "args": args, "session_id": "s1", "task_id": "t", "turn_id": "1"}


def test_room_is_made_before_the_host_would_refuse(stage: Stage, home: Path) -> None:
    texts = [filler(n) for n in range(27)]
    stage.provider(home)
    stage.settle(home)
    write(home, *texts)
    new = "Always greet visitors of the gallery by their first name, and ask how they came in"
    assert guard_of(stage).pre_tool_call(**call(action="add", content=new)) is None
    after = len("\n§\n".join([*entries(home), new]))
    assert after <= 2200
    kept = {hit.content for text in texts for hit in stage.core(home).prefetch(text).hits}
    assert set(texts) <= kept | set(entries(home))


@pytest.mark.parametrize("action", ["replace", "remove"])
def test_an_entry_that_went_cold_is_put_back_when_the_host_names_it(
    stage: Stage, home: Path, action: str
) -> None:
    write(home, RULE)
    stage.provider(home)
    remember(stage.core(home), FACT)
    args = call(action=action, old_text="metrics gateway of project heron", content="x")
    assert guard_of(stage).pre_tool_call(**args) is None
    assert entries(home) == [RULE, FACT]


def test_an_entry_the_host_is_about_to_replace_is_still_there_after_room_was_made(
    stage: Stage, home: Path
) -> None:
    texts = [filler(n) for n in range(27)]
    stage.provider(home)
    stage.settle(home)
    write(home, *texts)
    args = call(action="replace", old_text="gauge 3 in", content="Always " + "x" * 300)
    assert guard_of(stage).pre_tool_call(**args) is None
    assert filler(3) in entries(home)
    outcome = [entry for entry in entries(home) if entry != filler(3)]
    assert len("\n§\n".join([*outcome, "Always " + "x" * 300])) <= 2200


def test_a_fact_that_no_room_can_be_made_for_is_kept_elsewhere(stage: Stage, home: Path) -> None:
    write(home, RULE)
    stage.provider(home)
    long = "The inventory of the cellar, shelf by shelf: " + ", ".join(
        f"crate {n} holds {n * 3} jars" for n in range(120)
    )
    told = guard_of(stage).pre_tool_call(**call(action="add", content=long))
    assert told is not None
    assert told["action"] == "block"
    assert "Saved." in told["message"]
    assert stage.core(home).usage().cold.live == 1
    assert entries(home) == [RULE]


def test_text_just_recalled_is_not_written_as_new(stage: Stage, home: Path) -> None:
    provider = stage.provider(home)
    remember(stage.core(home), FACT)
    block = provider.prefetch(QUESTION)
    told = guard_of(stage).pre_tool_call(**call(action="add", content=f"Note:\n{block}"))
    assert told is not None
    assert told["action"] == "block"
    stored = json.loads(provider.handle_tool_call("memorycore_store_fact", {"content": block}))
    assert not stored["success"]


def test_other_tools_and_other_homes_are_not_our_business(stage: Stage, home: Path) -> None:
    guard = guard_of(stage)
    assert guard.pre_tool_call(**call(action="add", content="x")) is None
    stage.provider(home)
    assert guard.pre_tool_call(tool_name="terminal", args={"command": "ls"}) is None
    assert guard.pre_tool_call(tool_name="memory", args=None) is None
    guard.post_tool_call(tool_name="terminal")


def test_a_fault_while_making_room_lets_the_call_go_on(
    stage: Stage, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = stage.provider(home)
    stage.settle(home)
    write(home, *(filler(n) for n in range(27)))

    def fail(*_: object, **__: object) -> None:
        raise ColdUnavailableError("no answer")

    monkeypatch.setattr(stage.core(home), "make_room", fail, raising=False)
    assert guard_of(stage).pre_tool_call(**call(action="add", content="x" * 200)) is None
    assert "pre_tool_call" in provider.get_status_config({})["faults"]


def test_a_write_no_provider_hook_tells_of_is_noticed_by_the_tool_hook(
    stage: Stage, home: Path
) -> None:
    stage.provider(home)
    stage.settle(home)
    write(home, RULE)
    guard = guard_of(stage)
    stage.settle(home, lambda: guard.post_tool_call(tool_name="memory", session_id="s1"))
    records = json.loads((home / "memories" / "MEMORY.meta.json").read_bytes())["entries"]
    assert len(records) == 1
