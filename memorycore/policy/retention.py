"""How well a memory is retained, and from when on it may be forgotten."""

import math
from datetime import datetime, timedelta

from memorycore.model.limits import Retention
from memorycore.model.memory import Memory

KEPT_IMPORTANCE = 0.8
"""From this importance on a memory neither decays nor is evicted (the design's exemption from decay)."""

FORGOTTEN_BELOW = 0.1
"""Retention under which an unprotected memory is forgotten: about 9 months unused at importance 0.1, 17 at 0.5."""

IMPORTANCE_GAIN = 2.0
"""A memory of importance 1 fades three times as slowly as one of importance 0."""


def is_exempt(memory: Memory) -> bool:
    """Tell whether `memory` never leaves by decay or for room."""
    return memory.protected or memory.importance >= KEPT_IMPORTANCE


def half_life(memory: Memory, retention: Retention) -> timedelta:
    """Return the time in which the memory loses half of its retention.

    Grows with importance and, with diminishing return, with the number of recalls.
    """
    practised = 1.0 + math.log2(1 + memory.recall_count)
    valued = 1.0 + IMPORTANCE_GAIN * memory.importance
    return retention.decay_half_life * (practised * valued)


def last_used(memory: Memory) -> datetime:
    """Return when the memory was last told, said again or recalled."""
    told = max(memory.created_at, memory.updated_at, memory.confirmed_at)
    return told if memory.last_recalled is None else max(told, memory.last_recalled)


def retention_score(memory: Memory, *, now: datetime, retention: Retention) -> float:
    """Return how well the memory is retained, 0 (forgotten) to 1 (fresh and important).

    ``(0.5 + importance / 2) * 0.5 ** (idle / half_life)``, the forgetting curve ``R = exp(-t / S)`` of
    Ebbinghaus as MemoryBank (Zhong et al., 2023) uses it, where each recall strengthens S, times the weight
    of importance that the score of Generative Agents (Park et al., 2023) adds. The base half-life is a setting.
    """
    idle = max(now - last_used(memory), timedelta())
    halvings: float = idle / half_life(memory, retention)
    fading: float = 0.5**halvings
    return _weight(memory) * fading


def decays_at(memory: Memory, retention: Retention) -> datetime | None:
    """Return the moment from which `memory` counts as forgotten if nobody uses it, or None if never.

    Never before `retention.decay_grace` after it was last used, whatever the score.
    """
    if is_exempt(memory):
        return None
    halvings = math.log2(_weight(memory) / FORGOTTEN_BELOW)
    return last_used(memory) + max(half_life(memory, retention) * halvings, retention.decay_grace)


def _weight(memory: Memory) -> float:
    return 0.5 + memory.importance / 2
