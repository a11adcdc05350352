"""Which of the recalled candidates are worth a place in the prompt."""

from collections.abc import Collection, Sequence

from memorycore.model.results import Hit
from memorycore.policy.text import content_hash
from memorycore.policy.tokens import held_tokens

CANDIDATES = 20
"""Memories asked of the core for one turn."""

FLOOR = 0.15
"""Score from which a memory is worth the prompt unasked. On the recall data of ten languages it keeps 77 % of the
right answers, hard paraphrases and other languages included, and shows something for 12 % of questions about
things never stored and for none of the small talk; who asks the store itself sees everything above its noise."""

_SLACK = 0.1
"""Share of a text's tokens another may lack and still say the same: an article, an ending."""

SHOWN = 5
"""Memories shown at most in one turn."""


def select(
    hits: Sequence[Hit],
    *,
    seen: Collection[str],
    hot: Sequence[str],
    withdrawn: Collection[str] = (),
    shown: int = SHOWN,
) -> list[Hit]:
    """Return the best hits that say something new.

    Args:
        hits: Candidates.
        seen: Ids shown earlier in this session.
        hot: Entries of the hot files, which the prompt holds anyway.
        withdrawn: Content hashes of texts that were just removed from a hot file.
        shown: Most hits to return.
    """
    said = [held_tokens(text) for text in hot]
    fresh = [
        hit
        for hit in hits
        if hit.score >= FLOOR and hit.id not in seen and content_hash(hit.content) not in withdrawn
    ]
    chosen: list[Hit] = []
    for hit in sorted(fresh, key=lambda hit: -hit.score):
        words = held_tokens(hit.content)
        if len(chosen) < shown and not any(_covers(other, words) for other in said):
            chosen.append(hit)
            said.append(words)
    return chosen


def _covers(said: frozenset[str], words: frozenset[str]) -> bool:
    """Tell whether a text with the tokens `said` tells all that `words` tell, every number among them."""
    missing = words - said
    numbers = any(any(character.isdigit() for character in word) for word in missing)
    return not numbers and len(missing) <= _SLACK * len(words)
