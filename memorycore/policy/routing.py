"""Where a text belongs: the verdict of the learned head, corrected by what is plain to see."""

from dataclasses import dataclass

from memorycore.model.routing import Classification, EntryType, Route, Target
from memorycore.policy.habits import tells_a_habit
from memorycore.policy.markers import Lexicon
from memorycore.policy.overflow.scope import is_blank_field, scope_features
from memorycore.policy.routing_head import Prediction, RoutingHead, Vector
from memorycore.policy.routing_reasons import explain
from memorycore.policy.routing_rules import predict_by_rules
from memorycore.policy.structure import Structure, read_structure

HOT_IMPORTANCE = 0.9
"""From here on the author's importance alone decides for the hot tier."""

STALE_CONFIDENCE = 0.7
"""A text is dropped only above this: no lasting text fell there in tenfold trials."""

PROTECTED_CONFIDENCE = 0.2
"""Low on purpose: a red line that leaves costs more than a line too many in the hot tier."""

PLAIN_PROTECTED_CONFIDENCE = 0.35
SOME_HOT = 0.12
"""Below the first, protection also needs this share of "hot": the two layers must not disagree."""

UNSEEN_STALE_CONFIDENCE = 0.85
"""The bar when no word or form says that something is over: only the vector thinks so."""

RULES_STALE_CONFIDENCE = 0.8
"""The same bar for the hand-written rules, which know less."""


_SIGNS_OF_AN_END = (
    "has_completed", "has_closure", "has_errand", "noise_form", "form_tagged_date", "form_check",
)  # fmt: skip
_SIGNS_OF_A_RULE = ("has_rule", "has_redline", "has_preference", "has_interaction", "has_approval")

_NOTHING_SAID = Prediction(cold=0.0, hot=0.0, stale=1.0, protected=0.0)


@dataclass(frozen=True, slots=True)
class Router:
    """Classifies texts; without a head the hand-written rules decide alone."""

    lexicon: Lexicon
    head: RoutingHead | None = None

    def classify(
        self, text: str, *, target: Target, importance: float = 0.5, vector: Vector | None = None
    ) -> Classification:
        """Return route, type and protection of `text`, with the reasons in words.

        Args:
            text: What is to be stored; any language.
            target: The hot file it is meant for; a prior, since most of USER.md is behaviour.
            importance: The author's own weight, 0 to 1; from 0.9 on the text is hot.
            vector: Raw unit passage vector of the text by the model the head was trained for.
        """
        structure = read_structure(text, target=target, lexicon=self.lexicon)
        if self.head is None:
            prediction, bar = predict_by_rules(structure), RULES_STALE_CONFIDENCE
        else:
            prediction, bar = self.head.predict(structure.values, vector), STALE_CONFIDENCE
        if is_blank_field(text):
            prediction = _NOTHING_SAID
        protected = _is_protected(prediction, structure)
        needed, red_line = self._needed(text, structure, vector)
        by_text = Route.HOT if protected else _route(prediction, structure, bar, text)
        route = Route.HOT if importance >= HOT_IMPORTANCE else by_text
        return Classification(
            route=route,
            type=_type(route, structure),
            protected=protected,
            behavioural=by_text is Route.HOT,
            confidence=_confidence(route, by_text, prediction),
            reasons=explain(
                structure, route=route, protected=protected, important=importance >= HOT_IMPORTANCE
            ),
            needed=needed,
            red_line=red_line,
        )

    def _needed(
        self, text: str, structure: Structure, vector: Vector | None
    ) -> tuple[float | None, float | None]:
        if self.head is None or self.head.lasting is None:
            return None, None
        features = {**structure.values, **scope_features(text, self.lexicon)}
        found = self.head.needed(features, vector)
        return (round(found[0], 4), round(found[1], 4)) if found else (None, None)


def _route(prediction: Prediction, structure: Structure, bar: float, text: str) -> Route:
    if not any(structure[name] for name in _SIGNS_OF_AN_END):
        bar = max(bar, UNSEEN_STALE_CONFIDENCE)
    over = prediction.stale >= max(bar, prediction.hot, prediction.cold)
    if over and not (_lasts(structure) or _recurs(text, structure)):
        return Route.STALE
    likely_over = prediction.stale > 2 * prediction.hot
    return Route.HOT if prediction.hot >= prediction.cold and not likely_over else Route.COLD


def _lasts(structure: Structure) -> bool:
    """Tell whether a text plainly keeps something: a filled-in field, an open end, a cause with a fact."""
    if structure["form_bold_label"] and not structure["has_completed"]:
        return True
    if structure["noise_form"]:
        return False
    if structure["first_imperative"] and any(structure[name] for name in _SIGNS_OF_A_RULE):
        return True
    still_open = structure["has_pending"] and not structure["has_errand"]
    explained = structure["has_lasting"] and structure["hard_fact"] and structure["form_digits"]
    return bool(still_open and structure["form_digits"]) or bool(explained and structure["dated"])


def _recurs(text: str, structure: Structure) -> bool:
    """Tell whether a text says what happens again and again, which no completion word makes a thing of the past."""
    return not structure["noise_form"] and tells_a_habit(text)


def _is_protected(prediction: Prediction, structure: Structure) -> bool:
    filler = structure["noise_form"] and prediction.stale >= prediction.hot
    if filler or prediction.protected < PROTECTED_CONFIDENCE:
        return False
    return prediction.protected >= PLAIN_PROTECTED_CONFIDENCE or prediction.hot >= SOME_HOT


def _type(route: Route, structure: Structure) -> EntryType:
    if route is Route.HOT:
        return EntryType.RULE
    if route is Route.COLD and structure["rare_rule"] and not structure["has_completed"]:
        return EntryType.RULE
    return EntryType.STATE


def _confidence(route: Route, by_text: Route, prediction: Prediction) -> float:
    if route is not by_text:
        return 1.0
    shares = {Route.HOT: prediction.hot, Route.COLD: prediction.cold, Route.STALE: prediction.stale}
    share = max(shares[route], prediction.protected) if route is Route.HOT else shares[route]
    return round(share, 4)
