"""Runs every check against one service."""

from collections.abc import Callable, Collection, Iterator

from memorycore.errors import ColdTierError, InvalidInputError
from memorycore.ports.wire import Wire
from memorycore.service.contract import (
    changing,
    faults,
    optional,
    recalling,
    remembering,
    sharing,
    surface,
)
from memorycore.service.contract.bench import Bench, BrokenError, NotOfferedError, Surroundings
from memorycore.service.contract.verdicts import Check, ContractReport, Result, Verdict

CHECKS: tuple[Check, ...] = (
    *surface.CHECKS,
    *remembering.CHECKS,
    *recalling.CHECKS,
    *changing.CHECKS,
    *faults.CHECKS,
    *sharing.CHECKS,
    *optional.CHECKS,
)
"""Every demand of the contract, in the order in which it is tried."""

Told = Callable[[int, int, Verdict], None]
"""Told how many of how many checks are done, and the last verdict."""


class ColdStoreContract:
    """The conformance suite: `run` tries a service and says what it does right and wrong.

    The checks store texts about invented places and forget them at the end; other memories are left alone, so a
    service in use may be checked.

    Args:
        wire: A connection to the service.
        tag: A short text of letters that no earlier run on that service used.
        around: What else can be tried; without it the checks that need it are skipped.
    """

    def __init__(self, wire: Wire, *, tag: str, around: Surroundings | None = None) -> None:
        self._bench = Bench(wire, tag=tag, around=around)

    def run(
        self, *, only: Collection[str] | None = None, told: Told | None = None
    ) -> ContractReport:
        """Make the checks, or `only` those named, and return the verdicts.

        Raises:
            ColdUnavailableError: The service cannot be reached at all.
            InvalidInputError: There is no check of a name in `only`.
        """
        unknown = sorted(set(only or ()) - {check.name for check in CHECKS})
        if unknown:
            message = f"there is no check {', '.join(unknown)}; the report names all of them"
            raise InvalidInputError(message)
        self._bench.wire.offer()
        chosen = [check for check in CHECKS if only is None or check.name in only]
        verdicts = []
        for number, verdict in enumerate(self._verdicts(chosen), start=1):
            verdicts.append(verdict)
            if told is not None:
                told(number, len(chosen), verdict)
        return ContractReport(tuple(verdicts))

    def _verdicts(self, checks: list[Check]) -> Iterator[Verdict]:
        try:
            for check in checks:
                yield self._verdict(check)
        finally:
            self._bench.clean()

    def _verdict(self, check: Check) -> Verdict:
        try:
            check.run(self._bench)
        except NotOfferedError as reason:
            return Verdict(check.name, check.demands, Result.SKIPPED, str(reason))
        except (BrokenError, ColdTierError) as fault:
            return Verdict(check.name, check.demands, Result.FAILED, str(fault))
        except (LookupError, TypeError, ValueError) as fault:
            saw = (
                f"the answer has another form than the contract's: {type(fault).__name__}: {fault}"
            )
            return Verdict(check.name, check.demands, Result.FAILED, saw)
        return Verdict(check.name, check.demands, Result.PASSED)
