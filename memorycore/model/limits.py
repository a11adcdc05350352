"""Numbers that steer governance, as values handed down from the settings."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Watermarks:
    """Shares of the hot budget: overflow starts at `soft`, is urgent at `hard`, and stops at `target`."""

    soft: float = 0.60
    hard: float = 0.80
    target: float = 0.40


@dataclass(frozen=True, slots=True)
class HotAges:
    """How long an entry stays in the hot tier before a signal may move it."""

    state_ttl: timedelta = timedelta(days=7)
    compress_idle: timedelta = timedelta(days=30)
    stub_idle: timedelta = timedelta(days=45)
    redundant_idle: timedelta = timedelta(days=30)
    recheck_age: timedelta = timedelta(days=60)
    stub_collect: timedelta = timedelta(days=1)
    activity_kept: timedelta = timedelta(days=45)
    activity_window: timedelta = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long things are kept in the cold tier."""

    trash: timedelta = timedelta(days=30)
    session: timedelta = timedelta(days=7)
    decay_half_life: timedelta = timedelta(days=90)
    decay_grace: timedelta = timedelta(days=180)


@dataclass(frozen=True, slots=True)
class ColdLimits:
    """Live memories of the cold tier: above `soft` one maintenance pass, above `hard` the least retained leave."""

    soft: int = 6000
    hard: int = 10_000
