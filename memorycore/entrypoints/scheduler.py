"""The clockwork of a long-running server: APScheduler owns only when a job is looked at.

Every job is looked at often and cheaply; whether it is due, and which of the processes on one store runs it, is
decided by `memorycore.service.jobs` in the database. So a laptop that slept for three days runs each job once, and
a crashed process leaves nothing that others would wait for.
"""

import logging
import threading
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from apscheduler.executors.base import BaseExecutor, run_job
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger
from typing_extensions import override

from memorycore.errors import MemoryCoreError
from memorycore.service.jobs import Jobs

log = logging.getLogger(__name__)

LOOK_EVERY = timedelta(seconds=60)
"""How often a job is looked at, unless it is due more often."""

FIRST_LOOK = timedelta(seconds=10)
"""How long after the start the first look comes: never before the handshake of a client is over."""

STOP_WITHIN = 4.0
"""Seconds `stop` waits for running jobs; a server has five seconds to end."""


class HasJobs(Protocol):
    """What the scheduler needs of the core."""

    @property
    def jobs(self) -> Jobs:
        """Return the jobs."""
        ...


class SchedulerHandle:
    """A running scheduler; `stop` ends it."""

    def __init__(self, scheduler: BackgroundScheduler, executor: "DaemonExecutor") -> None:
        self._scheduler = scheduler
        self._executor = executor
        self.stopping = threading.Event()

    def stop(self, within: float = STOP_WITHIN) -> bool:
        """Ask running jobs to stop and wait for them; False when one still ran after `within` seconds.

        Its thread cannot keep the process alive, and what it did is durable step by step. Calling it again is
        harmless.
        """
        self.stopping.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        return self._executor.join(within)


class DaemonExecutor(BaseExecutor):  # type: ignore[misc]
    """Runs each job in a daemon thread: an executor pool would keep a process with a hanging job alive."""

    def __init__(self) -> None:
        super().__init__()
        self._threads: set[threading.Thread] = set()
        self._guard = threading.Lock()

    def join(self, seconds: float) -> bool:
        """Wait for the running jobs, `seconds` in all; False when one is still running."""
        waited = threading.Event()

        def wait() -> None:
            for thread in self._running():
                thread.join()
            waited.set()

        threading.Thread(target=wait, name="memorycore-join", daemon=True).start()
        return waited.wait(seconds)

    @override
    def _do_submit_job(self, job: Any, run_times: list[datetime]) -> None:
        thread = threading.Thread(
            target=self._work, args=(job, run_times), name=f"memorycore-{job.id}", daemon=True
        )
        with self._guard:
            self._threads.add(thread)
        thread.start()

    def _work(self, job: Any, run_times: list[datetime]) -> None:
        try:
            events = run_job(job, job._jobstore_alias, run_times, self._logger.name)  # noqa: SLF001 - the executor's contract
            self._run_job_success(job.id, events)
        finally:
            with self._guard:
                self._threads.discard(threading.current_thread())

    def _running(self) -> list[threading.Thread]:
        with self._guard:
            return list(self._threads)


def start_scheduler(
    core: HasJobs, *, first_look: timedelta = FIRST_LOOK, look_every: timedelta = LOOK_EVERY
) -> SchedulerHandle:
    """Start looking after the jobs of `core` in the background.

    Args:
        core: An open core.
        first_look: How long after the start the jobs are looked at first.
        look_every: How often they are looked at; one that is due more often is looked at when it is due.
    """
    executor = DaemonExecutor()
    scheduler = BackgroundScheduler(timezone=UTC, executors={"default": executor}, daemon=True)
    handle = SchedulerHandle(scheduler, executor)
    for job in core.jobs.all:
        scheduler.add_job(
            _look,
            IntervalTrigger(seconds=_seconds(min(job.every, look_every)), timezone=UTC),
            args=(core.jobs, job.name, handle.stopping),
            id=job.name,
            name=job.name,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
            next_run_time=_soon(first_look),
        )
    scheduler.start()
    return handle


def _look(jobs: Jobs, name: str, stopping: threading.Event) -> None:
    if stopping.is_set():
        return
    try:
        outcome = jobs.run_due(name, cancelled=stopping.is_set)
    except MemoryCoreError:
        log.exception("job.unreachable name=%s", name)
        return
    log.debug("job.looked name=%s outcome=%s", name, outcome.value)


def _seconds(interval: timedelta) -> float:
    return max(interval.total_seconds(), 0.05)


def _soon(delay: timedelta) -> datetime:
    return datetime.now(UTC) + delay  # noqa: TID251 - APScheduler runs on the machine's clock
