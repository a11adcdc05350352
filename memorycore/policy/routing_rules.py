"""Routing by hand-written rules, for when there is no trained head."""

import math

from memorycore.policy.routing_head import Prediction
from memorycore.policy.structure import Structure

_HOT = {
    "first_imperative": 1.4, "ends_imperative": 0.8, "has_preference": 0.9, "has_redline": 0.9, "has_rule": 0.6,
    "has_rule_label": 1.2, "has_interaction": 0.6, "user_identity": 0.9, "user_file": 0.5, "has_honesty": 0.7,
    "form_trigger": 1.0, "form_contrast": 0.5, "form_bracketed": 0.5, "red_line_form": 0.9, "asks_first": 0.6,
    "person_wants": 0.5, "has_correction": 0.5, "has_recurrence": 0.2,
}  # fmt: skip
_COLD = {
    "hard_fact": 0.9, "dated": 0.9, "has_lasting": 0.5, "machine_fact": 0.7, "machine_rule": 0.8, "has_pending": 0.9,
    "done_pending": 0.6, "done_lasting": 0.7, "user_fact": 0.7, "has_rare": 0.8, "no_markers": 0.8, "length": 0.5,
    "has_contact": 0.5, "numbers": 0.6,
}  # fmt: skip
_STALE = {
    "bare_done": 2.2, "short_done": 1.3, "errand_done": 1.0, "noise_form": 6.0, "last_completed": 0.5, "form_check": 0.5,
}  # fmt: skip
_PROTECTED = {
    "red_line_form": 1.6, "forbids_deed": 1.4, "has_redline": 0.9, "imperative_talk": 1.0, "has_rule_label": 0.8,
    "has_honesty": 0.8, "form_trigger": 0.7, "form_bracketed": 0.6, "first_imperative": 0.6, "has_correction": 0.5,
    "asks_first": 0.7, "machine_rule": -1.0, "user_file": -0.4,
}  # fmt: skip


def predict_by_rules(structure: Structure) -> Prediction:
    """Return the same four numbers as the head, from fixed weights on the plainest evidence.

    The weights state the order of the evidence (a label or an imperative over a rule word, an open
    end over a completion word), not a fit to any data.
    """
    cold = 0.9 + _sum(_COLD, structure)
    hot = _sum(_HOT, structure)
    stale = _sum(_STALE, structure) - 0.8 * structure["has_rule"] - structure["done_pending"]
    stale *= 1.0 - structure["red_line_form"]
    top = max(cold, hot, stale)
    shares = [math.exp(2.0 * (score - top)) for score in (cold, hot, stale)]
    total = sum(shares)
    protected = 1.0 / (1.0 + math.exp(4.2 - 1.6 * _sum(_PROTECTED, structure)))
    return Prediction(shares[0] / total, shares[1] / total, shares[2] / total, protected)


def _sum(weights: dict[str, float], structure: Structure) -> float:
    return sum(weight * structure[name] for name, weight in weights.items())
