from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memorycore.service.jobs import Job, JobRun, Jobs

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]

HOUR = timedelta(hours=1)


def jobs_of(
    bench: Bench, work: Callable[..., object], *, owner: str = "a", every: timedelta = HOUR
) -> Jobs:
    job = Job("tidy", every, work)
    return Jobs((job,), leases=bench.database.leases, clock=bench.clock, owner=owner)


def test_a_job_runs_once_per_due_time_whatever_how_many_processes_look(bench: Bench) -> None:
    runs: list[str] = []
    processes = [
        jobs_of(bench, lambda _stop, name=name: runs.append(name), owner=name) for name in "abc"
    ]
    for _ in range(3):
        for process in processes:
            process.run_due("tidy")
        bench.clock.advance(hours=1)
    assert len(runs) == 3


def test_a_machine_that_slept_for_three_days_makes_up_for_it_once(bench: Bench) -> None:
    runs: list[int] = []
    jobs = jobs_of(bench, lambda _stop: runs.append(1))
    jobs.run_due("tidy")
    bench.clock.advance(days=3)
    outcomes = [jobs.run_due("tidy") for _ in range(5)]
    assert outcomes == [JobRun.RAN] + [JobRun.NOT_DUE] * 4
    assert len(runs) == 2


@pytest.mark.parametrize("owner", ["another process", "a"])
def test_while_a_job_runs_another_process_or_core_leaves_it_alone(bench: Bench, owner: str) -> None:
    outcomes: list[JobRun] = []
    other = jobs_of(bench, lambda _stop: None, owner=owner)
    jobs_of(bench, lambda _stop: outcomes.append(other.run_due("tidy"))).run_due("tidy")
    assert outcomes == [JobRun.TAKEN]


def test_a_job_that_runs_longer_than_its_lease_keeps_it_by_asking_whether_to_stop(
    bench: Bench,
) -> None:
    outcomes: list[JobRun] = []
    other = jobs_of(bench, lambda _stop: None, owner="b")

    def slow(stop: Callable[[], bool]) -> None:
        for _ in range(40):
            bench.clock.advance(minutes=5)
            assert not stop()
            outcomes.append(other.run_due("tidy"))

    jobs_of(bench, slow).run_due("tidy")
    assert set(outcomes) == {JobRun.TAKEN}


def test_a_crash_frees_the_job_when_its_lease_is_over(bench: Bench) -> None:
    now = bench.clock.now()
    bench.database.leases.acquire(
        "job:tidy", owner="dead", now=now, until=now + timedelta(minutes=10)
    )
    jobs = jobs_of(bench, lambda _stop: None)
    assert jobs.run_due("tidy") is JobRun.TAKEN
    bench.clock.advance(minutes=11)
    assert jobs.run_due("tidy") is JobRun.RAN


def test_a_job_that_was_told_to_stop_stays_due(bench: Bench) -> None:
    jobs = jobs_of(bench, lambda _stop: None)
    assert jobs.run_due("tidy", cancelled=lambda: True) is JobRun.STOPPED
    assert jobs.run_due("tidy") is JobRun.RAN


def test_a_lease_taken_under_a_clock_that_ran_ahead_binds_nobody(bench: Bench) -> None:
    ahead = bench.clock.now() + timedelta(days=2000)
    bench.database.leases.acquire(
        "job:tidy", owner="dead", now=ahead, until=ahead + timedelta(minutes=10)
    )
    assert jobs_of(bench, lambda _stop: None).run_due("tidy") is JobRun.RAN


def test_a_fault_of_any_kind_is_recorded_and_the_job_is_due_again(bench: Bench) -> None:
    def fail(_stop: object) -> None:
        raise ZeroDivisionError("no divisor")

    jobs = jobs_of(bench, fail)
    assert jobs.run_due("tidy") is JobRun.FAILED
    (status,) = jobs.status()
    assert status.last_run == bench.clock.now()
    assert status.next_run == bench.clock.now() + HOUR
    assert "no divisor" in str(status.last_error)
    mended = jobs_of(bench, lambda _stop: None)
    bench.clock.advance(hours=2)
    assert mended.run_due("tidy") is JobRun.RAN
    assert mended.status()[0].last_error is None


def test_a_due_time_written_under_a_clock_that_ran_ahead_does_not_silence_a_job(
    bench: Bench,
) -> None:
    here = bench.clock.now()
    bench.clock.jump(here + timedelta(days=2000))
    jobs = jobs_of(bench, lambda _stop: None)
    jobs.run_due("tidy")
    bench.clock.jump(here)
    assert jobs.run_due("tidy") is JobRun.RAN
    assert jobs.run_due("tidy") is JobRun.NOT_DUE


def test_a_job_that_never_ran_is_due_and_shown_so(bench: Bench) -> None:
    jobs = jobs_of(bench, lambda _stop: None)
    (status,) = jobs.status()
    assert (status.name, status.last_run, status.last_error) == ("tidy", None, None)
    assert jobs.is_due("tidy")


@pytest.mark.parametrize("every", [timedelta(seconds=30), timedelta(days=1)])
def test_the_next_run_is_one_interval_after_the_last(bench: Bench, every: timedelta) -> None:
    jobs = jobs_of(bench, lambda _stop: None, every=every)
    jobs.run_due("tidy")
    assert jobs.status()[0].next_run == bench.clock.now() + every
