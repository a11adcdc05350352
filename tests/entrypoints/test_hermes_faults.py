"""The provider when the store fails, hangs or cannot open, and when it may use the processor."""

import json
import threading
from pathlib import Path

import pytest
from hermes_stage import (
    FACT,
    QUESTION,
    Stage,
    remember,
)

from memorycore.errors import ColdUnavailableError, ConfigurationError

pytest_plugins = ["hermes_stage_fixtures"]


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
