"""The pressure ladder: which steps are open, and how far overflow may drain a file."""

from dataclasses import dataclass

from memorycore.model.hot import HotSnapshot
from memorycore.model.limits import Watermarks


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked of an overflow.

    `incoming` is by how many characters the file shall grow afterwards, separator included; what is larger than
    the budget never fits, so no room is made for it. `forced` lets unprotected behaviour leave too, so that the
    file comes below its budget; with `protected_waits` also so that the incoming entry, a protected one, fits.
    `to_soft` stops at the soft watermark instead of the target. `pressed` and `urgent` hold steps open that the
    pressure at the beginning opened, so that a run goes on to its end.
    """

    incoming: int = 0
    forced: bool = False
    protected_waits: bool = False
    to_soft: bool = False
    pressed: bool = False
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Ladder:
    """The steps open for one file; sizes in characters.

    `relieve` opens S2, S3, S5, compression and demotion by class, `urgent` opens S4 and stub collection.
    Overflow drains to `stop` and no further, and lets rules of one topic go only down to `ease`, where pressure
    ends. `cap` is the size that must not be exceeded even if behaviour has
    to leave, None when nothing is forced.
    """

    relieve: bool
    urgent: bool
    stop: int
    ease: int
    cap: int | None


def ladder_for(snapshot: HotSnapshot, marks: Watermarks, demand: Demand) -> Ladder:
    """Return the steps that the pressure of `snapshot` opens, and where they end."""
    limit = snapshot.limit
    growth = demand.incoming if 0 < demand.incoming <= limit else 0
    overfull = snapshot.characters + growth > limit
    share = marks.soft if demand.to_soft else marks.target
    return Ladder(
        relieve=overfull or demand.pressed or snapshot.pressure >= marks.soft,
        urgent=overfull or demand.urgent or snapshot.pressure >= marks.hard,
        stop=min(int(share * limit), limit - growth),
        ease=min(int(marks.soft * limit), limit - growth),
        cap=_cap(limit, growth, demand),
    )


def _cap(limit: int, growth: int, demand: Demand) -> int | None:
    if not demand.forced:
        return None
    return limit - growth if demand.protected_waits else limit
