"""What the provider recalls, honours and leaves alone, called as the host calls it."""

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
    remember,
    write,
)

from memorycore.entrypoints.hermes import HermesMemory
from memorycore.entrypoints.hermes.home import Homes

pytest_plugins = ["hermes_stage_fixtures"]


def test_building_a_provider_touches_nothing(stage: Stage, home: Path) -> None:
    before = sorted(home.rglob("*"))
    provider = HermesMemory(homes=stage.homes, current_home=lambda: home)
    assert provider.is_available()
    assert {schema["name"] for schema in provider.get_tool_schemas()} == {
        "memorycore_recall",
        "memorycore_store_fact",
        "memorycore_forget",
    }
    assert provider.backup_paths() == []
    assert provider.get_status_config({})["cold store"].startswith("not made yet")
    assert stage.opened == 0
    assert sorted(home.rglob("*")) == before


def test_hooks_of_a_provider_that_was_never_initialised_do_nothing() -> None:
    provider = HermesMemory(homes=Homes())
    assert provider.prefetch("anything") == ""
    assert provider.system_prompt_block() == ""
    provider.on_turn_start(1, "hi")
    provider.on_memory_write("add", "memory", "x", {})
    provider.on_session_end([])
    provider.shutdown()
    assert "not initialised" in provider.handle_tool_call("memorycore_recall", {"query": "x"})


def test_what_is_relevant_comes_once_and_what_is_not_never(stage: Stage, home: Path) -> None:
    provider = stage.provider(home)
    remember(stage.core(home), FACT, "The bakery in the old town closes at noon on Sundays")
    block = provider.prefetch(QUESTION)
    assert FACT in block
    assert "bakery" not in block
    assert provider.prefetch(QUESTION) == ""
    assert provider.prefetch("") == ""


def test_what_was_shown_counts_as_recalled(stage: Stage, home: Path) -> None:
    provider = stage.provider(home)
    remember(stage.core(home), FACT)
    stage.settle(home, lambda: provider.prefetch(QUESTION))
    assert stage.core(home).prefetch(QUESTION).hits[0].last_recalled == stage.clock.now()


@pytest.mark.parametrize(
    ("switch", "again"),
    [
        ({"reset": True, "reason": "new_session"}, True),
        ({"reason": "compression"}, True),
        ({"rewound": True}, True),
        ({"reason": "branch"}, False),
    ],
)
def test_a_memory_may_come_again_where_the_host_dropped_it(
    stage: Stage, home: Path, switch: dict[str, Any], *, again: bool
) -> None:
    provider = stage.provider(home)
    remember(stage.core(home), FACT)
    assert provider.prefetch(QUESTION)
    provider.on_session_switch("s2", parent_session_id="s1", **switch)
    assert bool(provider.prefetch(QUESTION)) is again


def test_what_stands_in_a_hot_file_is_not_repeated(stage: Stage, home: Path) -> None:
    write(home, FACT)
    provider = stage.provider(home)
    remember(stage.core(home), FACT)
    assert provider.prefetch(QUESTION) == ""


@pytest.mark.parametrize("by", ["the tool", "hand"])
def test_what_a_user_removed_does_not_come_back(stage: Stage, home: Path, by: str) -> None:
    write(home, RULE, FACT)
    provider = stage.provider(home)
    remember(stage.core(home), FACT)
    stage.settle(home)
    write(home, RULE)
    if by == "the tool":
        provider.on_memory_write("remove", "memory", "", {"old_text": "metrics gateway"})
    else:
        provider.on_turn_start(2, "hello")
    assert provider.prefetch(QUESTION) == ""
    stage.settle(home)
    core = stage.core(home)
    assert [item.memory.content for item in core.trash()] == [FACT]
    assert core.trash()[0].reason.value in {"user", "released"}


def test_a_file_an_editor_empties_for_a_moment_costs_no_memory(stage: Stage, home: Path) -> None:
    write(home, RULE, FACT)
    stage.provider(home)
    remember(stage.core(home), FACT)
    stage.settle(home)
    governance = stage.homes.attach(home, "probe").governance
    assert governance is not None
    write(home)
    governance.observe()
    write(home, RULE, FACT)
    governance.settle()
    stage.homes.detach(home)
    assert stage.core(home).trash() == []


def test_what_the_host_rewrote_is_followed_by_the_store(stage: Stage, home: Path) -> None:
    write(home, RULE, FACT)
    provider = stage.provider(home)
    remember(stage.core(home), FACT)
    stage.settle(home)
    newer = FACT.replace("9417", "9500")
    write(home, RULE, newer)
    provider.on_memory_write("replace", "memory", newer, {"old_text": "9417"})
    stage.settle(home)
    hits = stage.core(home).prefetch(QUESTION).hits
    assert "9417" not in " ".join(hit.content for hit in hits)


def test_a_write_of_the_hosts_tool_is_typed_and_told_apart(stage: Stage, home: Path) -> None:
    provider = stage.provider(home)
    stage.settle(home)
    write(home, RULE)
    stage.settle(home, lambda: provider.on_memory_write("add", "memory", f" {RULE}\n", {}))
    records = json.loads((home / "memories" / "MEMORY.meta.json").read_bytes())["entries"]
    assert [record["origin"] for record in records.values()] == ["host"]


def test_session_end_may_come_any_number_of_times(stage: Stage, home: Path) -> None:
    write(home, RULE)
    provider = stage.provider(home)
    for _ in range(3):
        stage.settle(home, lambda: provider.on_session_end([{"role": "user", "content": "x"}]))
    assert entries(home) == [RULE]


def test_agents_of_one_home_share_a_core_until_the_last_has_left(stage: Stage, home: Path) -> None:
    first, second = stage.provider(home), stage.provider(home, session="s2")
    assert stage.opened == 1
    first.shutdown()
    assert second.handle_tool_call("memorycore_recall", {"query": "x"}).startswith(
        '{"success": true'
    )
    second.shutdown()
    second.shutdown()
    stage.provider(home).shutdown()
    assert stage.opened == 2


def test_profiles_know_nothing_of_each_other(stage: Stage, tmp_path: Path) -> None:
    homes = [tmp_path / "a", tmp_path / "b"]
    mine, other = (stage.provider(path, session=path.name) for path in homes)
    remember(stage.core(homes[0]), FACT)
    assert other.prefetch(QUESTION) == ""
    assert mine.prefetch(QUESTION) != ""


@pytest.mark.parametrize("context", ["cron", "subagent", "flush"])
def test_agents_nobody_talks_to_read_and_do_not_write(
    stage: Stage, home: Path, context: str
) -> None:
    provider = stage.provider(home, context=context)
    remember(stage.core(home), FACT)
    stage.settle(home)
    record = "2026-03-04: the move of the wiki to host plum is completed and verified."
    write(home, RULE, record)
    stage.settle(home, lambda: provider.on_memory_write("add", "memory", record, {}))
    provider.on_turn_start(2, "hello")
    provider.on_session_end([])
    stage.settle(home)
    assert entries(home) == [RULE, record]
    assert stage.core(home).usage().cold.live == 1
    stored = json.loads(provider.handle_tool_call("memorycore_store_fact", {"content": "x y z"}))
    assert not stored["success"]
    assert FACT in provider.prefetch(QUESTION)


def test_a_text_removed_and_then_stored_again_is_recalled_again(stage: Stage, home: Path) -> None:
    write(home, FACT)
    provider = stage.provider(home)
    stage.settle(home)
    write(home)
    stage.settle(home, lambda: provider.on_turn_start(1, "hi"))
    provider.handle_tool_call("memorycore_store_fact", {"content": FACT})
    assert FACT in provider.prefetch(QUESTION)
