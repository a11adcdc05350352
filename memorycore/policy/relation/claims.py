"""What one text states: its values, names, environments, its polarity and its cues."""

import functools
from dataclasses import dataclass

from memorycore.policy.relation.facts import TextFacts
from memorycore.policy.relation.forms import bare_name
from memorycore.policy.relation.polarity import Stance, stance
from memorycore.policy.relation.tokens import Kind

_MARKS = ("env:", "side:", "kin:", "unit:", "month:", "dow:")


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """The claims of one text.

    Attributes:
        numbers: values, such as `n:5`, `t:9:30`, `q:600` (seconds).
        weak_one: a one stands there as a word ("one", 一), which may mean no more than "a".
        idents: identifiers, versions, paths, addresses.
        names: words written like names, Cyrillic ones without their case endings.
        initials: unknown words with a capital that only the start of a sentence may explain.
        marks: tags of environment, kinship, unit, month and weekday found.
        stance: whether the text affirms or denies.
        adds: a word says that something comes on top.
        series: a word says that things are counted or numbered (a ticket, a queue's depth).
        defines: a word or sign of being stands there.
    """

    numbers: frozenset[str]
    weak_one: bool
    idents: frozenset[str]
    names: frozenset[str]
    initials: frozenset[str]
    marks: frozenset[str]
    stance: Stance
    adds: bool
    series: bool
    defines: bool


@functools.lru_cache(maxsize=2048)
def claims(facts: TextFacts) -> Claims:
    """Read the claims of a text; a pure function, its last 2,048 answers are remembered."""
    tokens = facts.tokens
    tagged = [t for t in tokens if t.tags]
    said = {tag for t in tagged for tag in t.tags}
    numbers = [t for t in tokens if t.kind is Kind.NUMBER]
    named = [t for t in tokens if t.name]
    return Claims(
        numbers=frozenset([t.key for t in numbers if "weak" not in t.tags]),
        weak_one="weak" in said,
        idents=frozenset([t.key for t in named if t.kind is Kind.IDENT]),
        names=frozenset([bare_name(t.key) for t in named if t.kind is not Kind.IDENT]),
        initials=frozenset([t.key for t in tagged if "initial" in t.tags]),
        marks=frozenset([tag for tag in said if tag.startswith(_MARKS)]),
        stance=stance(tokens),
        adds="add" in said,
        series="series:word" in said,
        defines="copula:is" in said or ":" in facts.text or "=" in facts.text,
    )
