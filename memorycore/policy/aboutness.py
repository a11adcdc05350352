"""What a request to forget is about, and which memories that names; no judge is asked.

A request has up to three parts: identifiers (`alice@acme.io`, `OTP 131243`), a subject (a name, or a role such as
"the user") and an attribute ("diet"). A memory is meant when it holds the identifier whole, or when it is about
the subject and speaks of the attribute, in its words or in others. Sharing a word is not enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memorycore.policy.identifiers import holds, plain
from memorycore.policy.stems import stem
from memorycore.policy.text import fold
from memorycore.policy.topics import Name, Topic
from memorycore.policy.wording import Spoken, holds_word, stems_of, word_share

GLUED_SUBJECT = 2
"""Characters at least of a name in a script without spaces."""

CLEAR = 1.7
"""Likeness (standard deviations) from which a memory of the subject speaks of the attribute.

Measured on invented facts in six languages: two of three right ones reach it, one of twenty others; a request that
misses can be said in other words, a memory that went by mistake must be missed first.
"""

LEAD = 1.2
"""How far the best memory of a subject must stand before the second to be meant although it is not clear."""

LEADER = 0.5
"""Likeness that a memory must have at least to be meant by its lead."""

CLEAR_WITHOUT_SUBJECT = 3.0
"""Likeness asked of a memory when the request names no subject the store knows."""

AS_GOOD_AS_BEST = 0.8
"""Memories of one subject within this likeness of the best one are meant as well."""

WORD_WORTH = 6.0
"""What finding all words of the attribute adds to the likeness of a memory."""

ENOUGH_WORDS = 0.5
"""Share of the attribute's words that a memory must hold to be meant without any similarity."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The memories that can be meant (`inside`), by key the words of the subject found there, and the attribute.

    `settled` tells that all of `inside` is meant and no similarity need be asked for. `attribute` is the text
    whose similarity counts otherwise.
    """

    inside: tuple[Spoken, ...]
    settled: bool
    attribute: str
    words: tuple[str, ...]
    subject: tuple[str, ...]
    reason: str
    gated: bool = True

    def names_subject(self, text: str) -> bool:
        """Tell whether a part of a memory names the subject, or holds the identifier."""
        low = plain(text)
        return any(plain(word) in low for word in self.subject)


def gate(topic: Topic, candidates: Sequence[Spoken]) -> Scope | None:
    """Return the memories that can be meant, or None when nothing stored is about the subject."""
    if topic.identifiers:
        return _by_identifier(topic, candidates)
    named = _by_name(topic, candidates)
    if named is not None:
        return named
    if topic.names and not _only_opening(topic, candidates):
        return None
    glued = _by_glued(topic, candidates)
    if glued is not None:
        return glued
    return _by_role(_names_as_words(topic), candidates)


def choose(scope: Scope, likeness: Mapping[str, float]) -> tuple[Spoken, ...]:
    """Return the memories that are meant, best first.

    Args:
        scope: What `gate` returned.
        likeness: By key, how like `scope.attribute` a memory is (`memorycore.policy.likeness`); empty without
            an embedder, when words alone decide.
    """
    if scope.settled:
        return scope.inside
    shares = {item.key: word_share(scope.words, item) for item in scope.inside}
    complete = [item for item in scope.inside if shares[item.key] >= 1.0]
    if complete:
        return tuple(complete)
    leader = _leader(likeness) if scope.gated else None
    scores = {
        item.key: likeness.get(item.key, 0.0) + WORD_WORTH * shares[item.key]
        for item in scope.inside
        if item.key == leader
        or _speaks_of(shares[item.key], likeness.get(item.key, 0.0), gated=scope.gated)
    }
    if not scores:
        return ()
    best = max(scores.values())
    meant = [i for i in scope.inside if scores.get(i.key, -1.0) >= best - AS_GOOD_AS_BEST]
    return tuple(sorted(meant, key=lambda item: -scores[item.key]))


def _speaks_of(share: float, likeness: float, *, gated: bool) -> bool:
    return share >= ENOUGH_WORDS or likeness >= (CLEAR if gated else CLEAR_WITHOUT_SUBJECT)


def _leader(likeness: Mapping[str, float]) -> str | None:
    ranked = sorted(likeness.items(), key=lambda pair: -pair[1])[:2]
    if len(ranked) < 2 or ranked[0][1] < LEADER or ranked[0][1] - ranked[1][1] < LEAD:
        return None
    return ranked[0][0]


def _by_identifier(topic: Topic, candidates: Sequence[Spoken]) -> Scope | None:
    inside = tuple(
        item for item in candidates if all(holds(plain(item.text), i) for i in topic.identifiers)
    )
    if not inside:
        return None
    values = ", ".join(identifier.kind.value for identifier in topic.identifiers)
    entity = all(identifier.entity for identifier in topic.identifiers)
    words = topic.attribute if entity and not topic.whole else ()
    scope = Scope(
        inside,
        settled=True,
        attribute=" ".join(words),
        words=words,
        subject=tuple(identifier.value for identifier in topic.identifiers),
        reason=f"holds the {values} that was named",
    )
    separates = any(word_share(words, item) >= ENOUGH_WORDS for item in inside) if words else False
    return replace(scope, settled=not separates)


def _by_name(topic: Topic, candidates: Sequence[Spoken]) -> Scope | None:
    if not topic.names:
        return None
    held = {item.key: [_holds_name(item, name) for name in topic.names] for item in candidates}
    inside = tuple(item for item in candidates if all(held[item.key]))
    names = topic.names
    if not inside:
        inside = tuple(item for item in candidates if held[item.key][0])
        names = topic.names[:1]
    if not inside:
        return None
    said = [*topic.values, *topic.names[len(names) :]]
    words = (*topic.attribute, *(fold(word) for name in said for word in name.words))
    about = [name for name in names if name not in topic.values]
    subject = (*(word for name in about for word in name.words), *topic.roles)
    settled = topic.whole or not words
    shown = " ".join(word for name in names for word in name.words)
    return Scope(inside, settled, " ".join(words), words, subject, f"is about {shown}")


def _holds_name(item: Spoken, name: Name) -> bool:
    return any(name.stands_in(text) for text in item.texts)


def _only_opening(topic: Topic, candidates: Sequence[Spoken]) -> bool:
    """Tell whether the only capital is that of the request's first word, which is a word elsewhere."""
    if len(topic.names) != 1 or len(topic.names[0].words) != 1:
        return False
    word = topic.names[0].words[0]
    if not topic.text.startswith(word):
        return False
    return any(stem(fold(word)) in stems_of(text) for item in candidates for text in item.texts)


def _names_as_words(topic: Topic) -> Topic:
    words = tuple(fold(word) for name in topic.names for word in name.words)
    return replace(topic, names=(), attribute=(*words, *topic.attribute))


def _by_role(topic: Topic, candidates: Sequence[Spoken]) -> Scope | None:
    inside = tuple(
        item for item in candidates if any(holds_word(item, role) for role in topic.roles)
    )
    gated = bool(inside)
    words = topic.attribute
    if not words:
        if not gated:
            return None
        return Scope(inside, topic.whole, "", (), topic.roles, f"is about the {topic.roles[0]}")
    reason = f"speaks of {' '.join(words)}"
    subject = topic.roles if gated else ()
    return Scope(
        inside or tuple(candidates),
        settled=False,
        attribute=" ".join(words),
        words=words,
        subject=subject,
        reason=reason,
        gated=gated,
    )


def _by_glued(topic: Topic, candidates: Sequence[Spoken]) -> Scope | None:
    """Gate a request in a script without spaces: its beginning is the subject where the store knows it."""
    if not topic.glued:
        return None
    subject = _glued_subject(topic.glued[0], candidates)
    if subject:
        inside = tuple(item for item in candidates if any(subject in t for t in item.texts))
        rest = (topic.glued[0].removeprefix(subject), *topic.glued[1:], *topic.attribute)
        words = tuple(piece for piece in rest if len(piece) > 1)
        settled = topic.whole or not words
        return Scope(inside, settled, " ".join(words), words, (subject,), f"is about {subject}")
    if topic.owner and not any(_longest_common(topic.owner, item) for item in candidates):
        return None
    anchors = {
        item.key: sum(len(_longest_common(piece, item)) for piece in topic.glued)
        for item in candidates
    }
    most = max(anchors.values(), default=0)
    if most < GLUED_SUBJECT:
        return None
    inside = tuple(item for item in candidates if anchors[item.key] == most)
    words = (*topic.glued, *topic.attribute)
    shared = _longest_common(max(topic.glued, key=len), inside[0])
    reason = f"speaks of {shared or topic.text}"
    return Scope(inside, len(inside) == 1, " ".join(words), words, (), reason)


def _glued_subject(piece: str, candidates: Sequence[Spoken]) -> str:
    """Return the longest beginning of `piece` that stands in most of the memories any beginning stands in."""
    counts: dict[str, int] = {}
    for length in range(GLUED_SUBJECT, len(piece) + 1):
        beginning = piece[:length]
        count = sum(any(beginning in text for text in item.texts) for item in candidates)
        if not count:
            break
        counts[beginning] = count
    if not counts:
        return ""
    most = max(counts.values())
    return max((beginning for beginning, count in counts.items() if count == most), key=len)


def _longest_common(piece: str, item: Spoken) -> str:
    """Return the longest part of `piece`, of two characters at least, that stands in the memory."""
    for length in range(len(piece), GLUED_SUBJECT - 1, -1):
        for start in range(len(piece) - length + 1):
            part = piece[start : start + length]
            if any(part in text for text in item.texts):
                return part
    return ""
