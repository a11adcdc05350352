"""Which of the kept texts a request to forget names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memorycore.errors import InvalidInputError
from memorycore.model.relation import Relation
from memorycore.policy.aboutness import (
    Scope,
    Spoken,
    Topic,
    choose,
    gate,
    read_topic,
    without_subject,
    word_share,
)
from memorycore.policy.aboutness_words import AboutnessWords
from memorycore.policy.clauses import keep_rest, says_all, split_clauses
from memorycore.policy.likeness import Bank, likeness
from memorycore.policy.relation.comparing import Comparer
from memorycore.ports import ColdRepository, SearchRequest, Vector
from memorycore.service.holdings import Held, Place
from memorycore.service.vectors import Vectors

CAP = 25
"""Texts one request may take; what is beyond needs another request, which shows the rest first."""

LOOKED_AT = 64
"""Texts whose likeness is computed; the most promising ones where more share the subject."""

WORD_WORTH = 6.0
"""What all words of the attribute add to the likeness of a part of a text."""

NEWER_VALUE = 3.0
"""What the rules' finding that the new text updates a memory adds to that memory's likeness."""

SAME_SLOT = 0.5
"""Weight of the likeness between a memory and the text that shall replace it."""


@dataclass(frozen=True, slots=True)
class Meant:
    """One text a request means, and what of it stays (None: nothing)."""

    held: Held
    rest: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a request means, why, and whether more was found than one request may take."""

    meant: tuple[Meant, ...]
    reason: str
    capped: bool = False


class Targets:
    """Finds what a request is about."""

    def __init__(
        self,
        repository: ColdRepository,
        *,
        vectors: Vectors,
        words: AboutnessWords,
        comparer: Comparer,
    ) -> None:
        self._repository = repository
        self._vectors = vectors
        self._words = words
        self._comparer = comparer
        self._banks: dict[str, Bank | None] = {}

    def topic(self, query: str) -> Topic:
        """Read a request.

        Raises:
            InvalidInputError: It names nothing: blank, a wildcard, only small words.
        """
        topic = read_topic(query, self._words)
        if topic.empty:
            message = (
                "say what to forget: a name, an identifier or words of it; "
                "blank text and wildcards such as * or % are refused"
            )
            raise InvalidInputError(message)
        return topic

    def find(self, query: str, holdings: Sequence[Held], *, new: str | None = None) -> Found:
        """Return what `query` means among `holdings`; `new` is the text that shall replace it.

        Raises:
            InvalidInputError: The query names nothing.
        """
        topic = self.topic(query)
        by_key = {held.memory.id: held for held in holdings}
        scope = gate(topic, [held.spoken for held in holdings])
        if scope is None:
            return Found((), "nothing stored is about that")
        scope = self._narrowed(topic, scope, by_key)
        scores = {} if scope.settled else self._scores(query, scope, new)
        chosen = choose(scope, scores)
        if not chosen:
            return Found((), f"{len(scope.inside)} texts share words, none is about that")
        meant = [
            Meant(by_key[item.key], self._rest(query, scope, item.text, new))
            for item in chosen[:CAP]
        ]
        return Found(tuple(meant), scope.reason, capped=len(chosen) > CAP)

    def _narrowed(self, topic: Topic, scope: Scope, held: Mapping[str, Held]) -> Scope:
        """Return the scope with at most `LOOKED_AT` texts, so that a request never embeds a whole store."""
        if scope.settled or len(scope.inside) <= LOOKED_AT:
            return scope
        author = held[scope.inside[0].key].memory.author
        vector = self._vectors.query(topic.text)
        request = SearchRequest(topic.text, vector, author, None, limit=LOOKED_AT)
        order = {c.memory.id: at for at, c in enumerate(self._repository.search(request))}
        ranked = sorted(
            scope.inside,
            key=lambda item: (
                -word_share(scope.words, item),
                held[item.key].place is not Place.HOT,
                order.get(item.key, LOOKED_AT),
            ),
        )
        return replace(scope, inside=tuple(ranked[:LOOKED_AT]))

    def _scores(self, query: str, scope: Scope, new: str | None) -> dict[str, float]:
        texts = [(item.key, text) for item in scope.inside for text in item.texts]
        bare = [without_subject(text, scope.subject) for _, text in texts]
        asked = self._likeness(query, scope.attribute, bare)
        scores: dict[str, float] = {}
        for (key, _), value in zip(texts, asked, strict=True):
            scores[key] = max(value, scores.get(key, value))
        if new is None:
            return scores
        told = [without_subject(item.text, scope.subject) for item in scope.inside]
        near = self._likeness(query, without_subject(new, scope.subject), told)
        for item, value in zip(scope.inside, near, strict=True):
            scores[item.key] += SAME_SLOT * max(0.0, value)
            if self._updates(item.text, new):
                scores[item.key] += NEWER_VALUE
        return scores

    def _updates(self, older: str, newer: str) -> bool:
        first, second = self._vectors.passages([older, newer])
        match = self._comparer.compare(older, newer, older_vector=first, newer_vector=second)
        return match.relation in (Relation.UPDATE, Relation.REVERSAL, Relation.SAME)

    def _rest(self, query: str, scope: Scope, text: str, new: str | None) -> str | None:
        """Return what of a text that says several things is not meant."""
        if not scope.attribute:
            return None
        clauses = split_clauses(text, self._words)
        if not clauses:
            return None
        bare = [without_subject(clause.part, scope.subject) for clause in clauses]
        values = self._likeness(query, scope.attribute, bare)
        if new is not None:
            near = self._likeness(query, without_subject(new, scope.subject), bare)
            values = [v + SAME_SLOT * max(0.0, n) for v, n in zip(values, near, strict=True)]
        scores = {
            clause.part: value + WORD_WORTH * word_share(scope.words, Spoken("", clause.part))
            for clause, value in zip(clauses, values, strict=True)
        }
        rest = keep_rest(clauses, scores, self._words)
        return None if rest is None or (new is not None and says_all(new, rest)) else rest

    def _likeness(self, query: str, question: str, texts: Sequence[str]) -> list[float]:
        """Return how like each text is to the question; zeros where there are no vectors."""
        bank = self._bank(query)
        asked = self._vectors.query(question) if question else None
        passages = self._vectors.passages(texts) if bank is not None else []
        rows = [vector for vector in passages if vector is not None]
        if bank is None or asked is None or len(rows) < len(texts) or not rows:
            return [0.0] * len(texts)
        return likeness(asked, np.stack(rows), bank)

    def _bank(self, query: str) -> Bank | None:
        language = self._words.language(query)
        bank = self._banks.get(language)
        if bank is None:
            bank = self._banks[language] = self._measured(language)
        return bank

    def _measured(self, language: str) -> Bank | None:
        yardstick = self._words.yardsticks[language]
        questions = [self._vectors.query(text) for text in yardstick.attributes]
        unrelated = self._vectors.passages(yardstick.unrelated)
        asked, told = _present(questions), _present(unrelated)
        if len(asked) < len(questions) or len(told) < len(unrelated):
            return None
        return Bank(np.stack(asked), np.stack(told))


def _present(vectors: Sequence[Vector | None]) -> list[Vector]:
    return [vector for vector in vectors if vector is not None]
