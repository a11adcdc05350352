"""What a maintenance pass does to memories it looks at, decided on values alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memorycore.model.limits import ColdLimits, Retention
from memorycore.model.memory import SESSION_PREFIX, Memory, TrashReason
from memorycore.model.relation import Match, Relation
from memorycore.policy.retention import decays_at, is_exempt, retention_score

MERGED_LIMIT = 1200
"""Longest text, in characters, a merge of two memories may become; longer pairs stay two."""

FADING_SHARE = 0.10
"""Share of the live memories that one pass may let decay: a wrong clock then cannot empty a store at once."""

FADING_MINIMUM = 20
"""Memories that one pass may let decay however small the store is."""

CONFLICT_SHARE = 0.25
"""Share of the live memories that one pass may replace by newer ones; more looks like a fault of the rules."""

CONFLICT_MINIMUM = 100
"""Memories that one pass may replace by newer ones however small the store is."""


@dataclass(frozen=True, slots=True)
class Absorb:
    """`loser` says nothing that `keeper` does not say; it goes to the trash as merged."""

    keeper: Memory
    loser: Memory
    reason: str


@dataclass(frozen=True, slots=True)
class Combine:
    """`keeper` becomes `text`, which says what both said; `loser` goes to the trash as merged."""

    keeper: Memory
    loser: Memory
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Replace:
    """`newer` holds the newer value; `older` goes to the trash for `cause`."""

    older: Memory
    newer: Memory
    cause: TrashReason
    reason: str


Step = Absorb | Combine | Replace


def told_last(memory: Memory) -> datetime:
    """Return when somebody last said what the memory says; bringing it back by hand is saying it again."""
    return max(memory.updated_at, memory.confirmed_at)


def in_order(first: Memory, second: Memory) -> tuple[Memory, Memory]:
    """Return the two with the one told earlier first; ties by age, then by id, so that every pass agrees."""
    older, newer = sorted((first, second), key=lambda m: (told_last(m), m.created_at, m.id))
    return older, newer


def plan_pair(
    older: Memory, newer: Memory, match: Match, *, merge: Callable[[str, str], str]
) -> Step | None:
    """Return what becomes of two live memories of one author and scope, or None when both stay.

    A protected memory is absorbed only by one that says the same and is then protected through it, and never
    replaced by an unprotected one: that needs a word of the user.
    """
    match match.relation:
        case Relation.SAME:
            keeper, loser = _richer_first(older, newer)
            return Absorb(keeper, loser, match.reason)
        case Relation.SIMILAR:
            return _combined(older, newer, match, merge)
        case Relation.UPDATE | Relation.REVERSAL:
            if older.protected and not newer.protected:
                return None
            reversal = match.relation is Relation.REVERSAL
            cause = TrashReason.REVERSAL if reversal else TrashReason.SUPERSEDED
            return Replace(older, newer, cause, match.reason)
        case Relation.DISTINCT:
            return None


def _richer_first(older: Memory, newer: Memory) -> tuple[Memory, Memory]:
    """Protection first, then the longer text, then the newer one."""
    keeper, loser = sorted(
        (newer, older), key=lambda m: (not m.protected, -len(m.content), m.id != newer.id)
    )
    return keeper, loser


def _combined(
    older: Memory, newer: Memory, match: Match, merge: Callable[[str, str], str]
) -> Step | None:
    text = merge(older.content, newer.content)
    keeper, loser = (newer, older) if newer.protected and not older.protected else (older, newer)
    for one, other in ((keeper, loser), (loser, keeper)):
        if text == one.content and (one.protected or not other.protected):
            return Absorb(one, other, match.reason)
    longest = max(len(older.content), len(newer.content))
    if len(text) < longest or len(text) > max(MERGED_LIMIT, longest):
        return None
    return Combine(keeper, loser, text, match.reason)


def fading_cap(live: int) -> int:
    """Return how many of `live` memories one pass may let decay."""
    return max(FADING_MINIMUM, int(live * FADING_SHARE))


def conflict_cap(live: int) -> int:
    """Return how many of `live` memories one pass may replace by newer ones."""
    return max(CONFLICT_MINIMUM, int(live * CONFLICT_SHARE))


@dataclass(frozen=True, slots=True)
class Ageing:
    """Who fades now, whose session is over, and when the next memory may be due (None: never)."""

    faded: tuple[Memory, ...]
    ended: tuple[Memory, ...]
    next_due: datetime | None
    capped: bool


def due_at(memory: Memory, retention: Retention) -> datetime | None:
    """Return the earliest moment at which age alone may move `memory`; use before then only postpones it."""
    decay = decays_at(memory, retention)
    if not memory.scope.startswith(SESSION_PREFIX):
        return decay
    session = told_last(memory) + retention.session
    return session if decay is None else min(decay, session)


def plan_ageing(memories: Sequence[Memory], *, now: datetime, retention: Retention) -> Ageing:
    """Decide over all live memories who has faded and which sessions are over.

    A session ends `retention.session` after its last write, as a whole. At most `fading_cap` memories fade in
    one pass, the least retained first.
    """
    last_write = _session_writes(memories)
    ended = tuple(
        memory
        for memory in memories
        if (key := (memory.author, memory.scope)) in last_write
        and now >= last_write[key] + retention.session
    )
    gone = {memory.id for memory in ended}
    rest = [memory for memory in memories if memory.id not in gone]
    due = [memory for memory in rest if _is_due(decays_at(memory, retention), now)]
    due.sort(key=lambda memory: (retention_score(memory, now=now, retention=retention), memory.id))
    faded = tuple(due[: fading_cap(len(memories))])
    gone |= {memory.id for memory in faded}
    moments = [_next_due(m, last_write, retention) for m in rest if m.id not in gone]
    return Ageing(
        faded,
        ended,
        next_due=min((moment for moment in moments if moment is not None), default=None),
        capped=len(due) > len(faded),
    )


def _session_writes(memories: Iterable[Memory]) -> Mapping[tuple[str, str], datetime]:
    writes: dict[tuple[str, str], datetime] = {}
    for memory in memories:
        if memory.scope.startswith(SESSION_PREFIX):
            key = (memory.author, memory.scope)
            told = told_last(memory)
            writes[key] = max(told, writes.get(key, told))
    return writes


def _next_due(
    memory: Memory, writes: Mapping[tuple[str, str], datetime], retention: Retention
) -> datetime | None:
    decay = decays_at(memory, retention)
    last_write = writes.get((memory.author, memory.scope))
    if last_write is None:
        return decay
    session = last_write + retention.session
    return session if decay is None else min(decay, session)


def _is_due(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and moment <= now


def plan_eviction(
    memories: Sequence[Memory], *, now: datetime, retention: Retention, limits: ColdLimits
) -> tuple[Memory, ...]:
    """Return the memories that must leave a store above its hard limit, least retained first.

    Down to the soft limit, without the protected and the important; empty at or below the hard limit.
    """
    if len(memories) <= limits.hard:
        return ()
    movable = [memory for memory in memories if not is_exempt(memory)]
    movable.sort(key=lambda m: (retention_score(m, now=now, retention=retention), m.id))
    return tuple(movable[: len(memories) - limits.soft])


@dataclass(frozen=True, slots=True)
class ClockView:
    """What is known of the time: now, when somebody last looked, and what this process can vouch for.

    `steady` is how much of the time since `seen` ran by on this process's monotonic clock; `own` tells whether
    `seen` was this process's look, so that `steady` should account for all of it.
    """

    now: datetime
    seen: datetime
    steady: timedelta
    own: bool


STEADY_SLACK = timedelta(days=7)
"""How far the wall clock may run ahead of the monotonic one within a process: a suspended laptop."""

ABSENCE = timedelta(days=45)
"""How long no process may have run before a leap of the clock is doubted: a machine that was off."""


@dataclass(frozen=True, slots=True)
class Expiry:
    """Until when the trash is held (None: it is not), and what may go: what expired by `before` (None: nothing)."""

    held_until: datetime | None
    before: datetime | None


def judge_expiry(view: ClockView, *, held_until: datetime | None, trash: timedelta) -> Expiry:
    """Say what of the trash may be purged now.

    A clock that leapt ahead (a dead battery set it to 1970 and the network put it right, or the reverse) makes
    everything in the trash look expired. After a leap that nothing explains the trash therefore stays for one
    full period more, counted on the new time; only what had expired before the leap goes. A hold set on a time
    that was put back since is dropped.
    """
    if view.now < view.seen:
        return Expiry(None, view.now)
    held = held_until is not None and held_until > view.now
    unexplained = view.now - view.seen - view.steady
    if unexplained > (STEADY_SLACK if view.own else ABSENCE):
        return Expiry(view.now + trash, None if held else view.seen)
    return Expiry(held_until, None) if held else Expiry(None, view.now)
