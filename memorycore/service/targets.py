"""Which of the kept texts a request to forget names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memorycore.errors import InvalidInputError
from memorycore.model.relation import Relation
from memorycore.policy.aboutness import (
    Scope,
    choose,
    gate,
)
from memorycore.policy.aboutness_words import AboutnessWords
from memorycore.policy.clauses import (
    keep_rest,
    rest_without,
    says_all,
    split_clauses,
    split_sentences,
)
from memorycore.policy.likeness import Asked, Bank, likeness
from memorycore.policy.relation.comparing import Comparer
from memorycore.policy.topics import Topic, read_topic, says_little
from memorycore.policy.wording import Spoken, without_subject, word_share
from memorycore.ports import ColdRepository, SearchRequest, Vector
from memorycore.service.holdings import Held, Place
from memorycore.service.vectors import Vectors

CAP = 25
"""Texts one request may take; what is beyond needs another request, which shows the rest first."""

LOOKED_AT = 64
"""Texts whose likeness is computed; the most promising ones where more share the subject."""

SAMPLE = 30
"""Texts by which the language of a short request is told."""

WORD_WORTH = 6.0
"""What all words of the attribute add to the likeness of a part of a text."""

NEWER_VALUE = 3.0
"""What the rules' finding that the new text updates a memory adds to that memory's likeness."""

SAME_SLOT = 1.0
"""Weight of the likeness between a memory and the text that shall replace it.

On invented corrections in two languages it tells the replaced fact from others of the same person more surely than
the words of the request do.
"""

SAME_SLOT_PART = 0.5
"""The same for a part of a memory: parts of one sentence resemble each other anyway."""


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

    def topic(self, query: str, *, language: str | None = None) -> Topic:
        """Read a request; `language` None is told from the request alone.

        Raises:
            InvalidInputError: It names nothing: blank, a wildcard, only small words.
        """
        topic = read_topic(query, self._words, language=language)
        if topic.empty:
            message = (
                "say what to forget: a name, an identifier or words of it; "
                "blank text and wildcards such as * or % are refused"
            )
            raise InvalidInputError(message)
        return topic

    def names(self, query: str, text: str) -> bool:
        """Tell whether `text` names the subject or an identifier of a request."""
        topic = read_topic(query, self._words)
        if not (topic.identifiers or topic.names or topic.glued):
            return False
        return gate(topic, [Spoken("", text)]) is not None

    def find(self, query: str, holdings: Sequence[Held], *, new: str | None = None) -> Found:
        """Return what `query` means among `holdings`; `new` is the text that shall replace it.

        Raises:
            InvalidInputError: The query names nothing.
        """
        language = self._language(query, [held.memory.content for held in holdings])
        topic = self.topic(query, language=language)
        by_key = {held.memory.id: held for held in holdings}
        scope = gate(topic, [held.spoken for held in holdings])
        if scope is None or not scope.inside:
            return Found((), "nothing stored is about that")
        scope = self._narrowed(topic, scope, by_key)
        bank = self._bank(self._language(query, [item.text for item in scope.inside]))
        scores = {} if scope.settled else self._scores(bank, scope, new)
        chosen = choose(scope, scores)
        if not chosen:
            return Found((), f"{len(scope.inside)} texts share words, none is about that")
        meant = [
            Meant(by_key[item.key], self._rest(bank, scope, item.text, new))
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

    def _scores(self, bank: Bank | None, scope: Scope, new: str | None) -> dict[str, float]:
        texts = [
            (item.key, text)
            for item in scope.inside
            for text in item.texts
            if scope.gated or not says_little(text, self._words)
        ]
        bare = [without_subject(text, scope.subject) for _, text in texts]
        asked = self._likeness(bank, scope.attribute, bare)
        scores = {item.key: 0.0 for item in scope.inside} if not scope.gated else {}
        for (key, _), value in zip(texts, asked, strict=True):
            scores[key] = max(value, scores.get(key, value))
        if new is None:
            return scores
        told = [without_subject(item.text, scope.subject) for item in scope.inside]
        near = self._likeness(bank, without_subject(new, scope.subject), told)
        for item, value in zip(scope.inside, near, strict=True):
            scores[item.key] += SAME_SLOT * max(0.0, value)
            if self._updates(item.text, new):
                scores[item.key] += NEWER_VALUE
        return scores

    def _updates(self, older: str, newer: str) -> bool:
        first, second = self._vectors.passages([older, newer])
        match = self._comparer.compare(older, newer, older_vector=first, newer_vector=second)
        return match.relation in (Relation.UPDATE, Relation.REVERSAL, Relation.SAME)

    def _rest(self, bank: Bank | None, scope: Scope, text: str, new: str | None) -> str | None:
        """Return what of a text that says several things is not meant."""
        if not scope.attribute:
            sentences = split_sentences(text)
            meant = [part.part for part in sentences if scope.names_subject(part.part)]
            return rest_without(sentences, meant, self._words) if meant else None
        clauses = split_clauses(text, self._words)
        if not clauses:
            return None
        bare = [without_subject(clause.part, scope.subject) for clause in clauses]
        values = self._likeness(bank, scope.attribute, bare)
        if new is not None:
            near = self._likeness(bank, without_subject(new, scope.subject), bare)
            values = [v + SAME_SLOT_PART * max(0.0, n) for v, n in zip(values, near, strict=True)]
        scores = {
            clause.part: value + WORD_WORTH * word_share(scope.words, Spoken("", clause.part))
            for clause, value in zip(clauses, values, strict=True)
        }
        rest = keep_rest(clauses, scores, self._words)
        return None if rest is None or (new is not None and says_all(new, rest)) else rest

    def _likeness(self, bank: Bank | None, question: str, texts: Sequence[str]) -> list[float]:
        """Return how like each text is to the question; zeros where there are no vectors."""
        if bank is None or not question or not texts:
            return [0.0] * len(texts)
        vector = self._vectors.query(question)
        passages = _present(self._vectors.passages([question, *texts]))
        if vector is None or len(passages) <= len(texts):
            return [0.0] * len(texts)
        return likeness(Asked(vector, passages[0]), np.stack(passages[1:]), bank)

    def _language(self, query: str, texts: Sequence[str]) -> str:
        return self._words.language(query, among=" ".join(texts[:SAMPLE]))

    def _bank(self, language: str) -> Bank | None:
        bank = self._banks.get(language)
        if bank is None:
            bank = self._banks[language] = self._measured(language)
        return bank

    def _measured(self, language: str) -> Bank | None:
        yardstick = self._words.yardsticks[language]
        asked = _present([self._vectors.query(text) for text in yardstick.attributes])
        told = _present(self._vectors.passages([*yardstick.attributes, *yardstick.unrelated]))
        count = len(yardstick.attributes)
        if len(asked) < count or len(told) < count + len(yardstick.unrelated):
            return None
        return Bank(np.stack(asked), np.stack(told[:count]), np.stack(told[count:]))


def _present(vectors: Sequence[Vector | None]) -> list[Vector]:
    return [vector for vector in vectors if vector is not None]
