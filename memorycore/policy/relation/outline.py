"""What one text brings to a comparison word by word, worked out once however often it is compared."""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memorycore.policy.relation.facts import TURNED, TextFacts
from memorycore.policy.relation.forms import bare_name, root
from memorycore.policy.relation.tokens import Kind, Token
from memorycore.policy.relation.words import Tags, groups

TURNING = frozenset({"neg", "cease", "change", "add", "shield", "pole"})
"""Groups of tags of words that say how a claim stands; they are no thing themselves."""
_NOT_A_THING = TURNING | {"syn"}
_NO_SUBJECT = TURNING | {"unit", "month", "dow", "meridiem", "clock"}
_MEANINGS = frozenset(
    {"syn", "env", "side", "kin", "unit", "month", "dow", "pole", "neg", "meridiem"}
)
"""Groups of tags by which two words of other spelling mean the same."""

_CUES = frozenset({"neg", "cease", "change", "shield"})
_WORD_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 1.0, 1.25, 1.5, 1.75, 2.0)
"""By letters of a word; more letters count no more."""

# A member of an enum is slow to reach in Python 3.11.
_GLYPH, _IDENT, _NUMBER, _WORD = Kind.GLYPH, Kind.IDENT, Kind.NUMBER, Kind.WORD
_UNSPACED = re.compile(r"[\u3041-\u30fa\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The content tokens of one text as another text looks for them; a position counts content tokens.

    Attributes:
        content: the tokens.
        keys: of the tokens; `words`: the same without order; `repeated`: those that occur again.
        weights: how much each token counts; `total`: all together.
        cues: by position of a word that says how a claim stands, its tags.
        turned: by position of a word like "uncomfortable", what is left without the negating beginning.
        meanings: tags of all words under which a word of other spelling means the same.
        roots: of each token, "" where it has none.
        odd: positions of cues, poles and listed synonyms; any other token is a plain word for a thing.
        silent: positions of what names no subject: numbers, units, days, cues and poles.
        synonyms: positions of words listed with others of the same meaning.
        figures: positions of numbers.
        named: by position of a name, an identifier or what may be a name, the bare name.
        before: by position of a number, identifier or name, the tokens right before it.
        grams: character 3-grams (2-grams for CJK).
    """

    content: tuple[Token, ...]
    keys: tuple[str, ...]
    words: frozenset[str]
    repeated: frozenset[str]
    weights: tuple[float, ...]
    total: float
    cues: Mapping[int, Tags]
    turned: Mapping[int, str]
    meanings: frozenset[str]
    roots: tuple[str, ...]
    odd: frozenset[int]
    silent: frozenset[int]
    synonyms: frozenset[int]
    figures: frozenset[int]
    named: Mapping[int, str]
    before: Mapping[int, Sequence[Token]]
    grams: frozenset[str]


@functools.lru_cache(maxsize=2048)
def outline(facts: TextFacts) -> Outline:
    """Outline a text; a pure function, its last 2,048 answers are remembered."""
    content = facts.content
    keys = tuple([t.key for t in content])
    words = frozenset(keys)
    weights = tuple([weight(t) for t in content])
    tags = {i: t.tags for i, t in enumerate(content) if t.tags}
    lists = {i: groups(found) for i, found in tags.items()}
    figures = frozenset([i for i, t in enumerate(content) if t.kind is _NUMBER])
    names = [i for i, t in enumerate(content) if t.name]
    vague = [i for i, found in tags.items() if "initial" in found]
    return Outline(
        content=content,
        keys=keys,
        words=words,
        repeated=_repeated(keys) if len(words) < len(keys) else frozenset(),
        weights=weights,
        total=sum(weights),
        cues={i: tags[i] for i, found in lists.items() if not found.isdisjoint(TURNING)},
        turned={
            i: tags[i][-1].removeprefix(TURNED) for i, found in lists.items() if "turned" in found
        },
        meanings=frozenset().union(*map(_meanings, tags.values())),
        roots=tuple([root(t) for t in content]),
        odd=frozenset([i for i, found in lists.items() if not found.isdisjoint(_NOT_A_THING)]),
        silent=figures.union(
            [i for i, found in lists.items() if not found.isdisjoint(_NO_SUBJECT)]
        ),
        synonyms=frozenset([i for i, found in lists.items() if "syn" in found]),
        figures=figures,
        named={i: bare_name(keys[i]) for i in (*names, *vague)},
        before=_before(facts, [*figures, *names]),
        grams=_grams(facts.folded),
    )


def weight(token: Token) -> float:
    """Return how much a token counts: cues little, single characters half."""
    kind = token.kind
    if kind is _GLYPH:
        return 0.6
    if kind is _IDENT:
        return 1.5
    if token.tags and not _CUES.isdisjoint(token.tags):
        return 0.5
    return _WORD_WEIGHTS[min(8, len(token.key))] if kind is _WORD else 1.0


def _repeated(keys: Iterable[str]) -> frozenset[str]:
    return frozenset([key for key, count in Counter(keys).items() if count > 1])


@functools.lru_cache(maxsize=4096)
def _meanings(tags: Tags) -> Tags:
    return tuple([tag for tag in tags if tag.partition(":")[0] in _MEANINGS])


def _before(facts: TextFacts, positions: Sequence[int]) -> dict[int, list[Token]]:
    """Return the tokens right before what stands at each position; what is cut from one piece starts together."""
    if not positions:
        return {}
    found: dict[int, list[Token]] = {facts.content[i].start: [] for i in positions}
    for token, after in pairwise(facts.tokens):
        if after.start in found:
            found[after.start].append(token)
    return {i: found[facts.content[i].start] for i in positions}


def _grams(text: str) -> frozenset[str]:
    size = 2 if not text.isascii() and _UNSPACED.search(text) else 3
    padded = f" {text} " if size == 3 else text
    # Made from a set, so that the frozen one takes no more room than it needs.
    return frozenset({padded[i : i + size] for i in range(len(padded) - size + 1)})
