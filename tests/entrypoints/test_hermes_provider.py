"""The provider and the hooks as the host calls them, on a real core, without the host."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from memorycore.bootstrap import open_core
from memorycore.entrypoints.hermes import PLUGIN, HermesMemory, ToolGuard
from memorycore.entrypoints.hermes.governor import Opened
from memorycore.entrypoints.hermes.home import Homes
from memorycore.errors import ColdUnavailableError, ConfigurationError
from memorycore.model.results import RecallResult
from memorycore.service.core import MemoryCore
from memorycore.settings import Settings
from memorycore.testing import FakeClock, HashEmbedder

FACT = "The metrics gateway of project heron listens on port 9417 of host alder"
QUESTION = "metrics gateway heron port 9417 host alder"
RULE = "Always answer in German when the question is in German"


class TroubledCore(MemoryCore):
    """A core whose recall can be made to fail or to hang."""

    fault: Exception | None = None
    gate: threading.Event | None = None

    @override
    def prefetch(
        self, query: str, *, top_k: int = 20, budget: float | None = None, count: bool = False
    ) -> RecallResult:
        if self.gate:
            self.gate.wait(10)
        if self.fault:
            raise self.fault
        return super().prefetch(query, top_k=top_k, budget=budget, count=count)


@dataclass
class Stage:
    """Homes on real cores, and the clock they go by."""

    clock: FakeClock
    cores: dict[Path, MemoryCore] = field(default_factory=dict)
    providers: list[HermesMemory] = field(default_factory=list)
    refuse: Exception | None = None
    opened: int = 0
    jobs: bool = False

    def __post_init__(self) -> None:
        self.homes = Homes(open_home=self.open, clock=self.clock)

    def open(self, home: Path) -> Opened:
        self.opened += 1
        if self.refuse:
            raise self.refuse
        settings = Settings(
            memory_dir=home / "memories",
            data_dir=home / "memorycore",
            memory_char_limit=2200,
            user_char_limit=1375,
        )
        core = open_core(settings, clock=self.clock, embedder=HashEmbedder(), tool="hermes")
        core.__class__ = TroubledCore
        self.cores[home] = core
        return Opened(core, jobs_enabled=self.jobs, index_topics=("heron", "garden"))

    def core(self, home: Path) -> TroubledCore:
        """Return the core of a home some agent uses."""
        assert self.homes.attach(home, "probe").opened
        self.homes.detach(home)
        core = self.cores[home]
        assert isinstance(core, TroubledCore)
        return core

    def provider(
        self, home: Path, *, session: str = "s1", context: str = "primary"
    ) -> HermesMemory:
        provider = HermesMemory(homes=self.homes)
        self.providers.append(provider)
        provider.initialize(session, hermes_home=str(home), agent_context=context, platform="cli")
        return provider

    def settle(self, home: Path, act: Callable[[], object] = lambda: None) -> None:
        act()
        assert self.homes.attach(home, "probe").worker.drain(20)
        self.homes.detach(home)


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


def write(home: Path, *entries: str) -> None:
    (home / "memories" / "MEMORY.md").write_text("\n§\n".join(entries), encoding="utf-8")


def entries(home: Path) -> list[str]:
    path = home / "memories" / "MEMORY.md"
    return path.read_text(encoding="utf-8").split("\n§\n") if path.exists() else []


def filler(number: int) -> str:
    return f"Always name the unit of gauge {number} in the {number}th hall when you report what it reads"


def remember(core: MemoryCore, *texts: str) -> None:
    core.import_memories([{"content": text} for text in texts], dedup=False)


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


def test_a_core_that_cannot_open_shows_why_and_is_tried_again(stage: Stage, home: Path) -> None:
    stage.refuse = ConfigurationError("cold_backend = mcp needs cold_url")
    provider = stage.provider(home)
    assert provider.prefetch(QUESTION) == ""
    told = json.loads(provider.handle_tool_call("memorycore_recall", {"query": "x"}))
    assert "needs cold_url" in told["error"]
    assert "needs cold_url" in str(provider.get_status_config({}))
    assert stage.opened == 1
    stage.refuse = None
    stage.clock.advance(seconds=31)
    provider.on_turn_start(2, "hello")
    assert json.loads(provider.handle_tool_call("memorycore_recall", {"query": "x"}))["success"]


def test_a_failing_store_is_left_alone_for_a_while_and_then_asked_again(
    stage: Stage, home: Path
) -> None:
    provider = stage.provider(home)
    core = stage.core(home)
    remember(core, FACT)
    core.fault = ColdUnavailableError("no answer")
    for _ in range(8):
        assert provider.prefetch(QUESTION) == ""
    core.fault = None
    assert provider.prefetch(QUESTION) == ""
    provider.on_session_end([])
    stage.settle(home)
    faults = provider.get_status_config({})["faults"]
    assert faults == "prefetch: ColdUnavailableError x5"
    stage.clock.advance(seconds=121)
    assert FACT in provider.prefetch(QUESTION)


def test_a_hanging_store_costs_the_budget_once(
    stage: Stage, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memorycore.entrypoints.hermes.provider.PREFETCH_BUDGET", 0.05)
    provider = stage.provider(home)
    core = stage.core(home)
    core.gate = threading.Event()
    for _ in range(7):
        assert provider.prefetch(QUESTION) == ""
    core.gate.set()
    core.gate = None


def test_a_fault_in_any_hook_is_counted_and_never_raised(
    stage: Stage, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = stage.provider(home)
    governance = stage.homes.attach(home, "probe").governance
    monkeypatch.setattr(governance, "observe", lambda: 1 / 0)
    provider.on_memory_write("add", "memory", "x", {})
    provider.on_session_end([])
    stage.homes.detach(home)
    faults = provider.get_status_config({})["faults"]
    assert "on_memory_write: ZeroDivisionError x1" in faults


@pytest.mark.parametrize(
    ("name", "args", "words"),
    [
        ("memorycore_recall", {}, "query must be"),
        ("memorycore_recall", {"query": "x", "top_k": "many"}, "top_k must be"),
        ("memorycore_store_fact", {"content": "x y z", "importance": 7}, "importance"),
        ("memorycore_store_fact", {"content": "x y z", "target": "desk"}, "target"),
        ("memorycore_fly", {}, "no tool"),
    ],
)
def test_arguments_that_cannot_be_used_are_answered_in_words(
    stage: Stage, home: Path, name: str, args: dict[str, Any], words: str
) -> None:
    told = json.loads(stage.provider(home).handle_tool_call(name, args))
    assert not told["success"]
    assert words in told["error"]


def test_the_tools_store_find_and_forget(stage: Stage, home: Path) -> None:
    call = stage.provider(home).handle_tool_call
    assert json.loads(call("memorycore_store_fact", {"content": FACT}))["success"]
    found = json.loads(call("memorycore_recall", {"query": QUESTION, "top_k": "3"}))
    assert found["hits"][0]["content"] == FACT
    target = {"query": found["hits"][0]["id"]}
    preview = json.loads(call("memorycore_forget", target))
    assert [one["content"] for one in preview["would_move_to_trash"]] == [FACT]
    done = json.loads(call("memorycore_forget", {**target, "confirm": True}))
    assert len(done["moved_to_trash"]) == 1
    assert json.loads(call("memorycore_recall", {"query": QUESTION}))["hits"] == []


def test_setup_names_the_provider_and_enables_its_hooks(stage: Stage) -> None:
    saved: list[dict[str, Any]] = []
    provider = HermesMemory(homes=stage.homes, save_config=saved.append)
    provider.post_setup("/h", {"memory": None, "plugins": {"enabled": ["other"]}, "model": "x"})
    assert saved == [
        {"memory": {"provider": PLUGIN}, "plugins": {"enabled": ["other", PLUGIN]}, "model": "x"}
    ]


def test_the_prompt_block_is_static_and_names_the_topics(stage: Stage, home: Path) -> None:
    provider = stage.provider(home)
    block = provider.system_prompt_block()
    remember(stage.core(home), FACT)
    assert provider.system_prompt_block() == block
    assert "heron, garden" in block


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


def test_a_text_removed_and_then_stored_again_is_recalled_again(stage: Stage, home: Path) -> None:
    write(home, FACT)
    provider = stage.provider(home)
    stage.settle(home)
    write(home)
    stage.settle(home, lambda: provider.on_turn_start(1, "hi"))
    provider.handle_tool_call("memorycore_store_fact", {"content": FACT})
    assert FACT in provider.prefetch(QUESTION)


def test_jobs_that_are_due_run_when_nobody_talks(
    stage: Stage, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memorycore.entrypoints.hermes.home.QUIET", 0.0)
    stage.jobs = True
    stage.provider(home)
    stage.settle(home)
    used = stage.homes.attach(home, "probe")
    assert used.chores.drain(20)
    stage.homes.detach(home)
    ran = [job.name for job in stage.core(home).usage().jobs if job.last_run]
    assert {"maintenance", "trash", "outbox"} <= set(ran)


def test_jobs_wait_while_turns_follow_each_other(stage: Stage, home: Path) -> None:
    stage.jobs = True
    provider = stage.provider(home)
    provider.on_turn_start(1, "hello")
    stage.settle(home)
    assert not [job for job in stage.core(home).usage().jobs if job.last_run]
