"""A fact on its way to a tier, and how the outcome is told."""

from dataclasses import dataclass

from memorycore.model.results import StoreStatus
from memorycore.model.routing import Classification, Target
from memorycore.ports import Draft, Outcome

COLD_STATUS = {
    Outcome.STORED: StoreStatus.COLD_STORED,
    Outcome.DUPLICATE: StoreStatus.COLD_DUPLICATE,
    Outcome.MERGED: StoreStatus.COLD_UPDATED,
    Outcome.SUPERSEDED: StoreStatus.COLD_SUPERSEDED,
    Outcome.OUTDATED: StoreStatus.STALE,
    Outcome.QUEUED: StoreStatus.COLD_QUEUED,
}
"""How the cold tier's outcomes are told."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact on its way: the draft, where it is meant for and what routing said."""

    draft: Draft
    target: Target
    decided: Classification
    flagged: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the text to be kept."""
        return self.draft.content

    @property
    def because(self) -> str:
        """Return in words why routing sends it where it goes."""
        return "; ".join(self.decided.reasons) or self.decided.route.value
