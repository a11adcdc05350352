"""Keeping the digest of preferences that left USER.md as one cold memory."""

import logging
from collections.abc import Sequence
from typing import Protocol

from memorycore.errors import ColdTierError, UnknownMemoryError
from memorycore.model.memory import Provenance
from memorycore.model.routing import EntryType, Target
from memorycore.policy.overflow.anchor import ANCHOR_IMPORTANCE, ANCHOR_SOURCE, digest
from memorycore.ports.cold_store import ColdStore, Draft, Outcome
from memorycore.service.hot_tier import HotTier

_log = logging.getLogger(__name__)

_STATE_NAME = "preference_anchor"


class NamedState(Protocol):
    """Named strings that outlive the process."""

    def state(self, name: str) -> str | None:
        """Return a string, None when there is none."""
        ...

    def set_state(self, name: str, value: str | None) -> None:
        """Set or drop a string."""
        ...


class PreferenceAnchor:
    """Writes the digest; a failure is logged, for the preferences themselves are in the cold store already."""

    def __init__(self, tier: HotTier, cold: ColdStore, *, state: NamedState) -> None:
        self._tier = tier
        self._cold = cold
        self._state = state

    def keep(self, texts: Sequence[str]) -> None:
        """Add those of `texts` that are preferences to the digest."""
        sunk = [text for text in texts if self._tier.classification(text, Target.USER).behavioural]
        if not sunk:
            return
        try:
            self._write(sunk)
        except ColdTierError as error:
            _log.warning("preference_anchor_not_written reason=%s", error)

    def _write(self, sunk: Sequence[str]) -> None:
        provenance = Provenance("memorycore", "overflow", "preferences left USER.md")
        known = self._state.state(_STATE_NAME)
        previous = self._cold.read(known) if known else None
        content = digest(previous or "", sunk)
        if known and previous is not None and content != previous:
            try:
                self._cold.update(known, content, provenance=provenance)
            except UnknownMemoryError:
                _log.info("preference_anchor_gone memory_id=%s", known)
            else:
                return
        elif previous is not None:
            return
        self._create(content, provenance)

    def _create(self, content: str, provenance: Provenance) -> None:
        kept = self._cold.remember(
            Draft(
                content,
                provenance,
                importance=ANCHOR_IMPORTANCE,
                type=EntryType.RULE,
                protected=True,
                source=ANCHOR_SOURCE,
            )
        )
        own = kept.outcome is Outcome.STORED
        self._state.set_state(_STATE_NAME, kept.memory_id if own else None)
