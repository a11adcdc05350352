"""The trash: what left and may come back, until it expires."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from memorycore.errors import ColdConflictError, UnknownMemoryError
from memorycore.model.limits import Retention
from memorycore.model.memory import Memory, Provenance, TrashedMemory, TrashReason
from memorycore.model.results import ReviveResult
from memorycore.policy.maintenance import ClockView, Expiry, judge_expiry
from memorycore.policy.text import content_hash
from memorycore.ports import Clock, ColdRepository, Erase, Revive

BATCH = 100
"""Expired memories erased in one transaction."""

SEEN = "trash.clock_seen"
"""Named state: the moment of the last look at the trash, ISO 8601."""

BY_ITSELF = Provenance("memorycore", "trash", "its time in the trash was over")
"""Provenance of what the trash does by itself."""

HELD_UNTIL = "trash.held_until"
"""Named state: until when nothing is purged because the clock leapt, ISO 8601."""


class Trash:
    """Lists, revives and, when the time has come, empties."""

    def __init__(self, repository: ColdRepository, *, clock: Clock, retention: Retention) -> None:
        self._repository = repository
        self._clock = clock
        self._retention = retention
        self._looked_at = (clock.now(), clock.monotonic())

    def list(self, *, author: str | None = None) -> list[TrashedMemory]:
        """Return what lies in the trash, newest first; None is every author."""
        return list(self._repository.trash(author=author))

    def revive(
        self, memory_id: str, *, provenance: Provenance, author: str | None = None
    ) -> ReviveResult:
        """Bring a memory back, whatever sent it to the trash; None is every author.

        When the very same text is live again meanwhile, that one is the answer and the trashed one stays.

        Raises:
            UnknownMemoryError: No memory of the author, live or trashed, has that id.
        """
        live = self._repository.get([memory_id]).get(memory_id)
        trashed = self._repository.trashed(memory_id) if live is None else None
        known = live or (trashed.memory if trashed else None)
        if known is None or author not in (None, known.author):
            message = f"no memory has the id {memory_id}"
            raise UnknownMemoryError(message)
        if trashed is None:
            return ReviveResult(live, "it is live already")
        twin = self._twin(trashed.memory)
        if twin is not None:
            return ReviveResult(twin, "the same text was stored again and is live", trashed.reason)
        try:
            self._repository.apply([Revive(memory_id)], provenance=provenance, at=self._clock.now())
        except ColdConflictError:
            twin = self._twin(trashed.memory)
            return ReviveResult(twin, "another writer was faster", trashed.reason)
        return ReviveResult(
            self._repository.get([memory_id]).get(memory_id),
            _told(trashed),
            trashed.reason,
        )

    def purge_expired(
        self, *, provenance: Provenance = BY_ITSELF, cancelled: Callable[[], bool] | None = None
    ) -> tuple[int, str | None]:
        """Erase what expired; return how many, and why more stays when the clock is in doubt."""
        now = self._clock.now()
        judged = self._judge(now)
        expired = self._repository.trash(expired_at=judged.before) if judged.before else ()
        erased = self._erase(expired, now, provenance, cancelled)
        if judged.held_until is None:
            return erased, None
        until = judged.held_until.date().isoformat()
        return erased, f"the clock leapt ahead; the trash is kept until {until}"

    def _erase(
        self,
        expired: Sequence[TrashedMemory],
        now: datetime,
        provenance: Provenance,
        cancelled: Callable[[], bool] | None,
    ) -> int:
        done = 0
        for start in range(0, len(expired), BATCH):
            if cancelled is not None and cancelled():
                break
            ids = tuple(item.memory.id for item in expired[start : start + BATCH])
            self._repository.apply([Erase(ids)], provenance=provenance, at=now)
            done += len(ids)
        return done

    def _judge(self, now: datetime) -> Expiry:
        """Say what may go, and remember this look."""
        view = self._view(now)
        held_until = _moment(self._repository.state(HELD_UNTIL))
        judged = judge_expiry(view, held_until=held_until, trash=self._retention.trash)
        self._looked_at = (now, self._clock.monotonic())
        self._repository.set_state(SEEN, now.isoformat())
        if judged.held_until != held_until:
            held = judged.held_until
            self._repository.set_state(HELD_UNTIL, held.isoformat() if held else None)
        return judged

    def _view(self, now: datetime) -> ClockView:
        looked_at, ticks = self._looked_at
        steady = timedelta(seconds=self._clock.monotonic() - ticks)
        seen = _moment(self._repository.state(SEEN)) or looked_at
        if seen > looked_at:
            return ClockView(now, seen, timedelta(), own=False)
        return ClockView(now, seen, steady, own=seen == looked_at)

    def _twin(self, memory: Memory) -> Memory | None:
        digest = content_hash(memory.content)
        return self._repository.find(digest, author=memory.author, scope=memory.scope)


def _told(trashed: TrashedMemory) -> str:
    explicit = trashed.reason in (TrashReason.SUPERSEDED, TrashReason.REVERSAL)
    warning = "; a newer value may still be live" if explicit and trashed.successor_id else ""
    return f"back from the trash, where it was as {trashed.reason.value}{warning}"


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
