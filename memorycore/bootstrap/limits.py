"""Turns settings into the plain values that the layers below work with."""

from collections.abc import Mapping
from datetime import timedelta

from memorycore.adapters.hermes_home import find_hermes_home
from memorycore.model.limits import ColdLimits, HotAges, Retention, Watermarks
from memorycore.model.routing import Target
from memorycore.settings import Settings

DEFAULT_LIMIT = 5000
"""Budget of a hot file, in characters, where neither the settings nor a host says otherwise."""


def watermarks(settings: Settings) -> Watermarks:
    """Return the watermarks."""
    marks = settings.watermarks
    return Watermarks(soft=marks.soft, hard=marks.hard, target=marks.target)


def hot_ages(settings: Settings) -> HotAges:
    """Return how long entries stay hot."""
    return HotAges(
        state_ttl=timedelta(days=settings.retention.state_days),
        activity_kept=timedelta(days=settings.retention.activity_days),
    )


def retention(settings: Settings) -> Retention:
    """Return how long things are kept cold."""
    kept = settings.retention
    return Retention(
        trash=timedelta(days=kept.trash_days),
        session=timedelta(days=kept.session_days),
        decay_half_life=timedelta(days=kept.decay_half_life_days),
        decay_grace=timedelta(days=kept.decay_grace_days),
    )


def cold_limits(settings: Settings) -> ColdLimits:
    """Return the capacity gates."""
    return ColdLimits(soft=settings.cold_soft_limit, hard=settings.cold_hard_limit)


def hot_limits(settings: Settings) -> Mapping[Target, int]:
    """Return the budgets: from the settings, else from the host's configuration, else the default."""
    home = find_hermes_home(settings.memory_dir)
    host = home.limits if home else {}
    given = {Target.MEMORY: settings.memory_char_limit, Target.USER: settings.user_char_limit}
    return {target: given[target] or host.get(target, DEFAULT_LIMIT) for target in Target}
