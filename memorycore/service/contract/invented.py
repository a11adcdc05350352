"""Facts that nobody stored before: invented names in sentences of which no two are alike."""

from threading import Lock

PLACES = (
    "lighthouse",
    "bakery",
    "archive",
    "museum",
    "ferry",
    "orchard",
    "observatory",
    "joinery",
    "monastery",
    "greenhouse",
    "harbour",
    "theatre",
    "quarry",
    "brewery",
    "hospital",
    "windmill",
)
HABITS = (
    "keeps its spare lamp in the north cupboard",
    "bakes rye loaves before all others",
    "moves its papers to the cellar when the river rises",
    "leaves umbrellas with the porter",
    "takes bicycles on the lower deck only",
    "hangs the ladders behind the cider press",
    "closes the dome when fog comes in",
    "sharpens its chisels on a wet stone",
    "receives letters through the gatehouse",
    "opens the roof vents by rope",
    "weighs anchors on a copper scale",
    "lights wax candles during storms",
    "blasts rock on weekdays after dinner",
    "rinses barrels with boiling vinegar",
    "airs mattresses along the southern wall",
    "oils its gears with linseed",
    "pays musicians in smoked herring",
    "paints its doors green every fifth summer",
    "counts sheep twice at shearing",
    "feeds stray cats by the chimney",
    "stores honey in stone jars",
    "rings a handbell for late guests",
    "mends sails under the chestnut tree",
    "grows hops against the chapel",
    "buries old maps beneath the threshold",
)
"""Places and what is told of them: no two facts of a run share both."""

_SYLLABLES = ("bra", "cu", "del", "fin", "go", "hest", "jor", "lam", "mir", "nol", "pav", "qui")
_ENDINGS = ("rund", "sted", "tova", "vik", "wend", "xar", "yolt", "zam")


class Inventor:
    """Makes names and sentences; thread-safe. `tag` is a text of letters that no earlier run used."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self._made = 0
        self._lock = Lock()

    def name(self) -> str:
        """Return a new name."""
        return self._new()[0]

    def fact(self) -> tuple[str, str]:
        """Return a new sentence and the name in it."""
        name, number = self._new()
        place, habit = PLACES[number % len(PLACES)], HABITS[number % len(HABITS)]
        return f"The {name} {place} {habit}.", name

    def _new(self) -> tuple[str, int]:
        with self._lock:
            self._made += 1
            number = self._made
        first, rest = number % len(_SYLLABLES), number // len(_SYLLABLES)
        ending = _ENDINGS[rest % len(_ENDINGS)]
        return f"{_SYLLABLES[first].title()}{ending}{self._tag}{_letters(number)}", number


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
