"""S2: a second look at entries that were taken for rules but read like old finished records."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from memorycore.policy.markers import Lexicon

MARKERS_NEEDED = 2
"""Distinct completion markers; one alone is right one time in four on real files."""

_ISO = re.compile(r"(?<!\d)(20\d\d)[-/.](0?[1-9]|1[0-2])[-/.](0?[1-9]|[12]\d|3[01])(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(0?[1-9]|[12]\d|3[01])[./](0?[1-9]|1[0-2])[./](20\d\d)(?!\d)")
_CJK = re.compile(r"(20\d\d)\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일号]")


def dates_in(text: str) -> list[date]:
    """Return the full calendar dates written in `text`."""
    return sorted({*_dates(text)})


def old_completion(text: str, lexicon: Lexicon, *, now: datetime, age: timedelta) -> str | None:
    """Say why `text` is an old finished record, or None.

    Args:
        text: The entry.
        lexicon: Marker words of all languages.
        now: The moment against which dates are old.
        age: How old the youngest date must be at least.
    """
    dates = dates_in(text)
    if not dates or now.date() - dates[-1] < age:
        return None
    if lexicon.has("pending", text):
        return None
    markers = {hit.text for hit in lexicon.hits("completed", text)}
    if len(markers) < MARKERS_NEEDED:
        return None
    return f"its last date is {dates[-1].isoformat()} and it reads as finished"


def _dates(text: str) -> Iterator[date]:
    for pattern in (_ISO, _CJK):
        for year, month, day in pattern.findall(text):
            yield from _date(int(year), int(month), int(day))
    for day, month, year in _DAY_FIRST.findall(text):
        yield from _date(int(year), int(month), int(day))


def _date(year: int, month: int, day: int) -> Iterator[date]:
    try:
        yield date(year, month, day)
    except ValueError:
        return
