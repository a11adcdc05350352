"""What every part of one core shares."""

from dataclasses import dataclass

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
