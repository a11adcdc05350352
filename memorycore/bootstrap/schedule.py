"""The jobs of a long-running server: what each does and how often."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from memorycore.errors import HotTierError
from memorycore.model.memory import Provenance
from memorycore.model.routing import Target
from memorycore.service.jobs import Cancelled, Job
from memorycore.service.maintenance import Maintenance
from memorycore.service.overflow import Overflow
from memorycore.service.trash import Trash
from memorycore.settings import ScheduleSettings

BY_SCHEDULE = Provenance("memorycore", "scheduler", "the time to keep it was over")
"""Who empties the trash."""


@dataclass(frozen=True, slots=True)
class Chores:
    """What the jobs call."""

    reconcile: Callable[[Target], object]
    overflow: Overflow
    maintenance: Maintenance
    trash: Trash
    trim_activity: Callable[[], object]
    replay_outbox: Callable[[], object]


def jobs_of(schedule: ScheduleSettings, chores: Chores) -> tuple[Job, ...]:
    """Return the jobs in the order in which they are shown."""
    return (
        Job("reconcile", timedelta(minutes=schedule.reconcile_minutes), _each(chores.reconcile)),
        Job("overflow", timedelta(minutes=schedule.overflow_minutes), _each(chores.overflow.run)),
        Job(
            "maintenance",
            timedelta(hours=schedule.maintenance_hours),
            lambda stop: chores.maintenance.run(cancelled=stop),
        ),
        Job(
            "trash",
            timedelta(hours=schedule.trash_hours),
            lambda stop: chores.trash.purge_expired(provenance=BY_SCHEDULE, cancelled=stop),
        ),
        Job("outbox", timedelta(seconds=schedule.outbox_seconds), _once(chores.replay_outbox)),
        Job("activity", timedelta(hours=schedule.activity_hours), _once(chores.trim_activity)),
    )


def _each(work: Callable[[Target], object]) -> Callable[[Cancelled], object]:
    def run(stop: Cancelled) -> None:
        faults: list[HotTierError] = []
        for target in Target:
            try:
                if not stop():
                    work(target)
            except HotTierError as fault:
                faults.append(fault)
        if faults:
            raise faults[0]

    return run


def _once(work: Callable[[], object]) -> Callable[[Cancelled], object]:
    return lambda _stop: work()
