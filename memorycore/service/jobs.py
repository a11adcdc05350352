"""Scheduled jobs: what is due, who of many processes runs it, and how it went."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from memorycore.model.results import JobStatus
from memorycore.ports import Clock, JobRecord, Leases

log = logging.getLogger(__name__)

LEASE_TIME = timedelta(minutes=10)
"""How long a job may run before another process may take it over; a crash is noticed at the latest then."""

RENEW_AFTER = 60.0
"""Seconds after which a running job renews its lease."""

Cancelled = Callable[[], bool]
"""Says whether the work should stop now."""


def never() -> bool:
    """Say that the work may go on."""
    return False


class JobRun(StrEnum):
    """What became of one attempt to run a job."""

    RAN = "ran"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_DUE = "not due"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class Job:
    """A job: its name, how often it is due, and the work, which is told when to stop."""

    name: str
    every: timedelta
    work: Callable[[Cancelled], object]


class Jobs:
    """Runs each job once per due time over all processes of one store.

    `owner` names this process in the leases; two cores of one process count as two.
    """

    def __init__(self, jobs: tuple[Job, ...], *, leases: Leases, clock: Clock, owner: str) -> None:
        self._jobs = {job.name: job for job in jobs}
        self._leases = leases
        self._clock = clock
        self._owner = f"{owner}/{id(self):x}"

    @property
    def all(self) -> tuple[Job, ...]:
        """Return the jobs, in the order given."""
        return tuple(self._jobs.values())

    def is_due(self, name: str) -> bool:
        """Tell whether job `name` should run now; one that never ran is due."""
        record = next((item for item in self._leases.jobs() if item.name == name), None)
        if record is None or record.due is None:
            return True
        now = self._clock.now()
        return record.due <= now or record.due > now + self._jobs[name].every

    def run_due(self, name: str, *, cancelled: Cancelled = never) -> JobRun:
        """Run job `name` if it is due and no other process runs it.

        A due time that passed long ago (the machine slept) is made up for once; one further ahead than the job's
        own interval was written under a wrong clock and counts as due. A fault of the work is recorded and logged
        with its trace, and the job is due again at its next time. A job that was told to stop stays due. While
        the work asks whether to stop, the lease is renewed.
        """
        job = self._jobs[name]
        if not self.is_due(name):
            return JobRun.NOT_DUE
        if not self._acquire(job):
            return JobRun.TAKEN
        try:
            if not self.is_due(name):
                return JobRun.NOT_DUE
            return self._run(job, cancelled)
        finally:
            self._leases.release(_lease(name), owner=self._owner)

    def _run(self, job: Job, cancelled: Cancelled) -> JobRun:
        error: str | None = None
        try:
            job.work(self._renewing(job, cancelled))
        except Exception as fault:
            error = f"{type(fault).__name__}: {fault}"
            log.exception("job.failed name=%s", job.name)
        if error is None and cancelled():
            return JobRun.STOPPED
        now = self._clock.now()
        self._leases.record_run(job.name, at=now, error=error, due=now + job.every)
        return JobRun.RAN if error is None else JobRun.FAILED

    def _renewing(self, job: Job, cancelled: Cancelled) -> Cancelled:
        renewed = self._clock.monotonic()

        def should_stop() -> bool:
            nonlocal renewed
            if cancelled():
                return True
            if self._clock.monotonic() - renewed > RENEW_AFTER:
                renewed = self._clock.monotonic()
                return not self._acquire(job)
            return False

        return should_stop

    def _acquire(self, job: Job) -> bool:
        now = self._clock.now()
        return self._leases.acquire(
            _lease(job.name), owner=self._owner, now=now, until=now + LEASE_TIME
        )

    def status(self) -> tuple[JobStatus, ...]:
        """Return last run, next run and last error of every job."""
        records: Mapping[str, JobRecord] = {record.name: record for record in self._leases.jobs()}
        return tuple(_status(name, records.get(name)) for name in self._jobs)


def _status(name: str, record: JobRecord | None) -> JobStatus:
    if record is None:
        return JobStatus(name, None, None, None)
    return JobStatus(name, record.last_run, record.due, record.last_error)


def _lease(name: str) -> str:
    return f"job:{name}"
