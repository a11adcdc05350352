"""The gate that watches how many memories are live; it never blocks or loses a write."""

from collections.abc import Callable

from memorycore.model.limits import ColdLimits
from memorycore.ports import ColdRepository

STEP = 50
"""Further writes after which a store that maintenance could not bring below its soft limit is tried again."""


class CapacityGate:
    """Asks for maintenance when a limit is passed.

    `request` starts the work elsewhere and returns at once; it is called with True when the hard limit is passed.
    """

    def __init__(
        self,
        repository: ColdRepository,
        *,
        limits: ColdLimits,
        request: Callable[[bool], None],
    ) -> None:
        self._repository = repository
        self._limits = limits
        self._request = request
        self._asked_at = 0

    def after_write(self) -> bool:
        """Look at the count after a write, cheaply; True when maintenance was asked for."""
        live = self._repository.counts().live
        if live <= self._limits.soft:
            self._asked_at = 0
            return False
        if self._asked_at and self._asked_at <= live < self._asked_at + STEP:
            return False
        self._asked_at = live
        self._request(live > self._limits.hard)
        return True
