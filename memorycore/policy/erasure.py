"""Finding and cutting one text inside another, for erasing every copy of it."""

from collections.abc import Sequence

from memorycore.policy.text import canonical, sentences

SHORTEST = 8
"""Characters from which a text inside a longer one counts as a copy of it and not as a coincidence."""


def holds_text(longer: str, text: str) -> bool:
    """Tell whether `longer` is or contains `text`, apart from blanks and Unicode form."""
    wanted, inside = canonical(text), canonical(longer)
    if not wanted:
        return False
    return wanted == inside or (len(wanted) >= SHORTEST and wanted in inside)


def without_text(longer: str, texts: Sequence[str]) -> str | None:
    """Return `longer` without the sentences that hold one of `texts`, or None when nothing worth keeping is left."""
    rest = canonical(longer)
    for text in sorted(texts, key=len, reverse=True):
        rest = rest.replace(canonical(text), "\n")
    kept = [piece for piece in sentences(rest) if any(char.isalnum() for char in piece)]
    return " ".join(kept) or None
