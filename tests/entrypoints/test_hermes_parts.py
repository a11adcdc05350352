"""The small parts of the plugin: arguments of the host's tool, breaker, worker, bounded calls, counts."""

import json
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memorycore.adapters.hot_markdown.layout import SEPARATOR
from memorycore.entrypoints.hermes.bounded import Bounded, StillRunningError
from memorycore.entrypoints.hermes.breaker import Breaker
from memorycore.entrypoints.hermes.host_config import hooks_enabled, is_provider, serves_mcp
from memorycore.entrypoints.hermes.host_writes import host_write
from memorycore.entrypoints.hermes.ledger import Ledger, read_summary
from memorycore.entrypoints.hermes.worker import Worker
from memorycore.model.routing import Target
from memorycore.testing import FakeClock

ENTRIES = ["alpha one", "beta two"]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"action": "add", "content": " gamma \n"}, ["alpha one", "beta two", "gamma"]),
        ({"action": "add", "content": "beta two"}, ENTRIES),
        ({"action": "replace", "old_text": "alpha", "content": "a"}, ["a", "beta two"]),
        ({"action": "remove", "old_text": "beta"}, ["alpha one"]),
        ({"action": "remove", "old_text": "a"}, ENTRIES),
        ({"action": "remove", "old_text": "missing"}, ENTRIES),
        (
            {
                "operations": [
                    {"action": "remove", "old_text": "alpha"},
                    {"action": "add", "content": "gamma"},
                    None,
                ]
            },
            ["beta two", "gamma"],
        ),
    ],
)
def test_the_outcome_of_a_call_is_counted_as_the_host_counts(
    args: dict[str, Any], expected: list[str]
) -> None:
    write = host_write(args)
    assert write is not None
    assert write.outcome(ENTRIES) == len(SEPARATOR.join(expected))


def test_a_call_for_an_unknown_file_is_left_to_the_host() -> None:
    assert host_write({"action": "add", "target": "notes", "content": "x"}) is None


def test_only_a_single_addition_can_be_kept_elsewhere() -> None:
    alone = host_write({"action": "add", "target": "user", "content": "x"})
    batch = host_write({"operations": [{"action": "add", "content": "x"}] * 2})
    assert alone is not None
    assert batch is not None
    assert (alone.target, alone.lone_addition) == (Target.USER, "x")
    assert batch.lone_addition is None


def test_the_breaker_opens_after_failures_and_lets_one_call_try_again() -> None:
    clock = FakeClock()
    breaker = Breaker(clock.monotonic, failures=2, pause=60)
    for _ in range(2):
        assert breaker.allows()
        breaker.failed()
    assert not breaker.allows()
    clock.advance(seconds=61)
    assert [breaker.allows(), breaker.allows()] == [True, False]
    breaker.succeeded()
    assert breaker.allows()


def test_a_hanging_call_is_given_up_and_not_piled_upon() -> None:
    release = threading.Event()
    bounded: Bounded[bool] = Bounded("test")
    for _ in range(2):
        with pytest.raises(StillRunningError):
            bounded.call(lambda: release.wait(10), budget=0.01)
    release.set()


def test_a_fault_inside_a_bounded_call_is_the_callers() -> None:
    bounded: Bounded[float] = Bounded("test")
    with pytest.raises(ZeroDivisionError):
        bounded.call(lambda: 1 / 0, budget=5)
    assert bounded.call(lambda: 2.0, budget=5) == 2.0


def test_tasks_run_in_order_and_equal_ones_wait_once() -> None:
    gate, started, done = threading.Event(), threading.Event(), list[str]()
    worker = Worker("test")

    def hold() -> None:
        started.set()
        gate.wait(10)

    worker.submit("gate", hold)
    assert started.wait(10)
    for key in ("a", "a", "b"):
        worker.submit(key, partial(done.append, key))
    gate.set()
    assert worker.close(10)
    assert done == ["a", "b"]


def test_a_full_queue_drops_the_task_and_says_so() -> None:
    gate = threading.Event()
    worker = Worker("test", capacity=2)

    def hold() -> None:
        gate.wait(10)

    answers = [worker.submit(str(n), hold) for n in range(5)]
    gate.set()
    assert answers[0]
    assert not answers[-1]
    assert worker.close(10)


def test_a_closed_worker_takes_nothing_more() -> None:
    worker = Worker("test")
    assert worker.close(1)
    assert not worker.submit("late", lambda: None)


def test_faults_are_counted_by_kind_and_readable_by_another_process(tmp_path: Path) -> None:
    path = tmp_path / "data" / "status.json"
    ledger = Ledger(path, clock=FakeClock())
    for _ in range(3):
        ledger.fault("prefetch", TimeoutError("no answer"))
    ledger.prefetched(0.02, injected=2)
    ledger.save()
    summary = read_summary(path)
    assert summary["faults"] == {"prefetch: TimeoutError": 3}
    assert summary["prefetch_median_ms"] == 20.0


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff"])
def test_a_damaged_status_file_reads_as_none(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "s.json").write_bytes(damage)
    assert read_summary(tmp_path / "s.json") == {}


SERVER = {"command": "/x/python", "args": ["-m", "memorycore.server"]}


@pytest.mark.parametrize(
    ("servers", "served"),
    [
        ({"memorycore": SERVER}, True),
        ({"mem": SERVER}, True),
        ({"mem": {"command": "/opt/bin/memorycore", "args": ["serve"]}}, True),
        ({"memorycore": {**SERVER, "enabled": False}}, False),
        ({"other": {"command": "/x/python", "args": ["-m", "weather"]}}, False),
        ({}, False),
        (None, False),
    ],
)
def test_our_mcp_server_is_recognised_by_what_it_starts(servers: object, *, served: bool) -> None:
    assert serves_mcp({"mcp_servers": servers}) is served


def test_the_hosts_configuration_tells_what_is_active() -> None:
    config = json.loads(
        '{"memory": {"provider": "memorycore-prefetch"}, "plugins": {"enabled": ["memorycore-prefetch"]}}'
    )
    assert is_provider(config)
    assert hooks_enabled(config)
    assert not is_provider({"memory": None})
    assert not hooks_enabled({"plugins": {"enabled": "memorycore-prefetch"}})
