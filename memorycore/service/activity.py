"""The activity log: recent queries and writes, redacted and short, by which dormancy is judged."""

import logging
from collections.abc import Callable

from memorycore.errors import ColdTierError
from memorycore.model.limits import HotAges
from memorycore.policy.activity import LOG_LINES, NOTE_LIMIT, QUERY_KIND, WRITE_KIND
from memorycore.ports.ambient import Clock
from memorycore.ports.local import Activity, ActivityLog

_log = logging.getLogger(__name__)

Redact = Callable[[str], str]
"""Takes secrets out of a text."""

_TRIM_EVERY = 200
"""Notes between two trims, so that a long-lived process keeps the log bounded without a scheduler."""


class ActivityNotes:
    """Notes queries and writes; switched off, it notes nothing. A failure is logged and never reaches the caller.

    Args:
        log: Where lines are kept.
        redact: Takes secrets out before anything is kept.
        clock: Dates the lines.
        ages: How long lines are kept.
        enabled: Whether the user wants a log.
    """

    def __init__(
        self,
        log: ActivityLog,
        *,
        redact: Redact,
        clock: Clock,
        ages: HotAges,
        enabled: bool = True,
    ) -> None:
        self._lines = log
        self._redact = redact
        self._clock = clock
        self._ages = ages
        self._enabled = enabled
        self._since_trim = 0

    def note_query(self, text: str) -> None:
        """Note what was asked for."""
        self._note(QUERY_KIND, text)

    def note_write(self, text: str) -> None:
        """Note what was written about."""
        self._note(WRITE_KIND, text)

    def trim(self) -> int:
        """Drop what is too old or too much; return how many lines went. Switched off, everything goes."""
        now = self._clock.now()
        kept = LOG_LINES if self._enabled else 0
        return self._lines.trim(now - self._ages.activity_kept, keep=kept)

    def _note(self, kind: str, text: str) -> None:
        if not self._enabled or not text.strip():
            return
        short = " ".join(self._redact(text).split())[:NOTE_LIMIT]
        try:
            self._lines.note(Activity(self._clock.now(), kind, short))
            self._since_trim += 1
            if self._since_trim >= _TRIM_EVERY:
                self._since_trim = 0
                self.trim()
        except ColdTierError as error:
            _log.warning("activity_not_noted kind=%s reason=%s", kind, error)
