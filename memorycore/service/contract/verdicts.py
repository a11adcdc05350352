"""What the suite says about a service."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from memorycore.model.record import Record
from memorycore.service.contract.bench import Bench


class Result(StrEnum):
    """How a check ended; `SKIPPED` says that the service does not offer what would be checked."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Verdict(Record):
    """One check: its name for programs, what is demanded, how it ended and what was seen."""

    name: str
    demands: str
    result: Result
    saw: str = ""


@dataclass(frozen=True, slots=True)
class ContractReport(Record):
    """All verdicts, in the order of the checks."""

    verdicts: tuple[Verdict, ...]

    @property
    def conforming(self) -> bool:
        """True when no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """Return the checks that failed."""
        return tuple(one for one in self.verdicts if one.result is Result.FAILED)

    def count(self, result: Result) -> int:
        """Return how many checks ended so."""
        return sum(one.result is result for one in self.verdicts)


@dataclass(frozen=True, slots=True)
class Check:
    """One demand of the contract and how it is tried."""

    name: str
    demands: str
    run: Callable[[Bench], None]
