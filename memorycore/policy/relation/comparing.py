"""Decides how a newer text relates to an older one."""

from collections.abc import Mapping
from dataclasses import dataclass

from memorycore.model.relation import Match, Relation
from memorycore.policy.relation.facts import TextFacts, analyse, comparable
from memorycore.policy.relation.features import pair_features
from memorycore.policy.relation.guards import objections
from memorycore.policy.relation.language import script
from memorycore.policy.relation.scoring import CLASSES, Odds, PairScorer, Vector
from memorycore.policy.relation.statements import states_new_value
from memorycore.policy.relation.words import RelationWords

CUTS: Mapping[Relation, float] = {
    Relation.SAME: 0.75,
    Relation.SIMILAR: 0.9,
    Relation.UPDATE: 0.75,
    Relation.REVERSAL: 0.75,
}
"""Least confidence for each relation, chosen on held-out folds; below it the answer is `distinct`. Highest for
`similar`: to join two texts that belong apart loses more than to keep two that belong together."""

_TURNED_CUT = 0.93
"""Least confidence for `same` when one side negates and the other does not say it by negating."""

_SURE_APART, _SURE_TOGETHER = 0.7, 0.9
"""Scores from which `distinct`, or another relation, needs no second opinion."""

_LONGEST = 20_000
"""Characters; a longer text is only ever the same as its twin or distinct, so that no write takes seconds."""


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares texts by the word lists and, where there is one, the trained scorer."""

    words: RelationWords
    scorer: PairScorer | None = None

    def analyse(self, text: str, language: str | None = None) -> TextFacts:
        """Return the facts of one text; the last answers are remembered."""
        return analyse(text, self.words, language)

    def compare(
        self,
        older: str,
        newer: str,
        *,
        older_vector: Vector | None = None,
        newer_vector: Vector | None = None,
    ) -> Match:
        """Return the relation of `newer` to `older`; the vectors are unit passage vectors or None."""
        if max(len(older), len(newer)) > _LONGEST:
            return _compare_long(older, newer, self.words)
        a, b = read_pair(older, newer, self.words)
        return self.compare_facts(a, b, older_vector=older_vector, newer_vector=newer_vector)

    def compare_facts(
        self,
        older: TextFacts,
        newer: TextFacts,
        *,
        older_vector: Vector | None = None,
        newer_vector: Vector | None = None,
    ) -> Match:
        """Return the relation of two texts whose facts were read in one language."""
        if older.folded == newer.folded:
            return Match(Relation.SAME, 1.0, "the same text")
        if not older.content or not newer.content:
            return Match(Relation.DISTINCT, 1.0, "no words to compare")
        if older.language != newer.language:
            return Match(Relation.DISTINCT, 1.0, "in two languages")
        if states_new_value(older, newer):
            return Match(Relation.UPDATE, 0.9, "the same statement with another value")
        features = pair_features(older, newer)
        if self.scorer is None:
            odds = rule_odds(features)
        else:
            odds = self.scorer.probabilities(features, older_vector, newer_vector)
        return decide(odds, features, objections(features, (_likeliest(odds),)))


def _compare_long(older: str, newer: str, words: RelationWords) -> Match:
    if comparable(older, words) == comparable(newer, words):
        return Match(Relation.SAME, 1.0, "the same text")
    return Match(Relation.DISTINCT, 1.0, "too long to compare")


def read_pair(older: str, newer: str, words: RelationWords) -> tuple[TextFacts, TextFacts]:
    """Return the facts of two texts; when they are of one script, both in the language of the surer."""
    a, b = analyse(older, words), analyse(newer, words)
    if a.language == b.language or script(a.language) != script(b.language):
        return a, b
    if a.certainty >= b.certainty:
        return a, analyse(newer, words, a.language)
    return analyse(older, words, b.language), b


def decide(odds: Odds, features: Mapping[str, float], against: Mapping[Relation, str]) -> Match:
    """Return the likeliest relation if nothing forbids it, or `distinct` in doubt.

    `against` are the objections at least to the likeliest.
    """
    best, confidence = _likeliest(odds), max(odds)
    if best in against:
        return Match(Relation.DISTINCT, 1.0, against[best])
    if best is Relation.DISTINCT:
        return Match(best, confidence, "about different things")
    turned = best is Relation.SAME and features["neg_xor"] + features["sign_xor"] > 0
    if confidence < (_TURNED_CUT if turned else CUTS[best]):
        return Match(Relation.DISTINCT, 1 - confidence, f"in doubt: perhaps {best.value}")
    return Match(best, confidence, _REASONS[best])


def _likeliest(odds: Odds) -> Relation:
    return CLASSES[odds.index(max(odds))]


_REASONS: Mapping[Relation, str] = {
    Relation.SAME: "both say the same",
    Relation.SIMILAR: "one topic, each side adds something",
    Relation.UPDATE: "a new value for the same subject",
    Relation.REVERSAL: "the newer text denies the older one",
}


def is_ambiguous(match: Match) -> bool:
    """Tell whether a judge may decide the pair: the rules were not sure and no guard spoke."""
    if match.relation is Relation.DISTINCT:
        return match.score < _SURE_APART
    return match.score < _SURE_TOGETHER


def rule_odds(f: Mapping[str, float]) -> Odds:
    """Return odds from rules alone, for when no scorer is loaded."""
    odds = dict.fromkeys(CLASSES, 0.05)
    odds[_by_rule(f)] = 0.8
    return tuple(odds.values())


def _by_rule(f: Mapping[str, float]) -> Relation:
    close = f["cov_min"] >= 0.6 or f["cov_max"] >= 0.85
    if (
        f["sign_xor"]
        and close
        and f["flipped"] + f["opposite"] + f["cease_b"] + f["lone_neg_b"] > 0
    ):
        return Relation.REVERSAL
    if f["change_b"] and f["cov_a"] >= 0.5 and f["lead_kept"] > 0:
        return Relation.UPDATE
    if f["cov_min"] >= 0.97 and not f["sign_xor"]:
        return Relation.SAME
    if f["cov_max"] >= 0.97 and f["cov_min"] >= 0.4 and not f["sign_xor"]:
        return Relation.SIMILAR
    return Relation.DISTINCT
