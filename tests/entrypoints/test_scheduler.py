"""The clockwork around the jobs, on real threads but never on the wall clock's schedule."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typing_extensions import override

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.entrypoints.scheduler import SchedulerHandle, start_scheduler
from memorycore.service.jobs import Cancelled, Job, JobRun, Jobs, never
from memorycore.testing import FakeClock

SOON = timedelta(milliseconds=1)
PATIENCE = 10.0


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    opened = open_database(tmp_path / "memorycore.db")
    yield opened
    opened.close()


Start = Callable[..., SchedulerHandle]


@pytest.fixture
def start(database: SqliteDatabase) -> Iterator[Start]:
    handles: list[SchedulerHandle] = []

    def begin(work: Callable[..., object], *, owner: str = "a", clock: Any = None) -> Any:
        job = Job("tidy", timedelta(hours=1), work)
        jobs = Jobs((job,), leases=database.leases, clock=clock or FakeClock(), owner=owner)
        core: Any = SimpleNamespace(jobs=jobs)
        handles.append(start_scheduler(core, first_look=SOON, look_every=SOON))
        return handles[-1]

    yield begin
    for handle in handles:
        handle.stop()


def test_a_due_job_runs_without_anybody_asking(start: Start) -> None:
    ran = threading.Event()
    start(lambda _stop: ran.set())
    assert ran.wait(PATIENCE)


class WatchedJobs(Jobs):
    """Says when it was looked at."""

    looks: threading.Semaphore

    @override
    def run_due(self, name: str, *, cancelled: Cancelled = never) -> JobRun:
        outcome = super().run_due(name, cancelled=cancelled)
        self.looks.release()
        return outcome


def test_a_job_looked_at_again_and_again_by_several_schedulers_runs_once(
    database: SqliteDatabase,
) -> None:
    clock, runs = FakeClock(), list[int]()
    job = Job("tidy", timedelta(hours=1), lambda _stop: runs.append(1))
    handles, watched = [], []
    for owner in "abc":
        jobs = WatchedJobs((job,), leases=database.leases, clock=clock, owner=owner)
        jobs.looks = threading.Semaphore(0)
        watched.append(jobs)
        core: Any = SimpleNamespace(jobs=jobs)
        handles.append(start_scheduler(core, first_look=SOON, look_every=SOON))
    for jobs in watched:
        assert all(jobs.looks.acquire(timeout=PATIENCE) for _ in range(3))
    assert all(handle.stop() for handle in handles)
    assert len(runs) == 1


def test_stopping_tells_a_running_job_and_waits_for_it(start: Start) -> None:
    running, ended = threading.Event(), threading.Event()

    def work(stop: Callable[[], bool]) -> None:
        running.set()
        pause = threading.Event()
        while not stop():
            pause.wait(0.001)
        ended.set()

    handle = start(work)
    assert running.wait(PATIENCE)
    assert handle.stop()
    assert ended.is_set()


def test_a_job_that_hangs_neither_delays_the_stop_nor_keeps_the_process(start: Start) -> None:
    running, release = threading.Event(), threading.Event()

    def work(_stop: object) -> None:
        running.set()
        release.wait(PATIENCE)

    handle = start(work)
    assert running.wait(PATIENCE)
    assert not handle.stop(within=0.01)
    stuck = [t for t in threading.enumerate() if t.name == "memorycore-tidy"]
    assert stuck
    assert all(thread.daemon for thread in stuck)
    release.set()
    assert handle.stop()


def test_a_job_that_fails_leaves_the_scheduler_running(
    start: Start, database: SqliteDatabase
) -> None:
    clock, failed, ran = FakeClock(), threading.Event(), threading.Event()

    def work(_stop: object) -> None:
        if not failed.is_set():
            failed.set()
            clock.advance(hours=2)
            raise ValueError("first time")
        ran.set()

    start(work, clock=clock)
    assert failed.wait(PATIENCE)
    clock.advance(hours=2)
    while not ran.wait(0.01):
        clock.advance(hours=2)
    assert ran.is_set()


def test_stopping_twice_is_harmless(start: Start) -> None:
    handle = start(lambda _stop: None)
    assert handle.stop()
    assert handle.stop()
