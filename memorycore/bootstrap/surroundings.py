"""What every part of one core shares."""

from dataclasses import dataclass

from memorycore.adapters.clock import RandomIds, SystemClock
from memorycore.adapters.processes import is_alive, own_token
from memorycore.bootstrap.limits import cold_limits, retention
from memorycore.model.limits import ColdLimits, Retention
from memorycore.ports import Clock, IdFactory
from memorycore.service.overflow_turn import Owner
from memorycore.settings import Settings

DATABASE = "memorycore.db"
"""Name of the database in the data folder; hosts back files of this ending up safely."""


@dataclass(frozen=True, slots=True)
class Around:
    """Settings, time, identity, this process and the limits."""

    settings: Settings
    clock: Clock
    ids: IdFactory
    owner: Owner
    limits: ColdLimits
    retention: Retention


def surroundings(settings: Settings, *, clock: Clock | None, ids: IdFactory | None) -> Around:
    """Return what every part shares; `clock` and `ids` replace the wall clock and random identifiers."""
    return Around(
        settings=settings,
        clock=clock or SystemClock(),
        ids=ids or RandomIds(),
        owner=Owner(own_token(), is_alive),
        limits=cold_limits(settings),
        retention=retention(settings),
    )
