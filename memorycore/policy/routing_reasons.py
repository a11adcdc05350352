"""The reasons of a routing decision, in words that a user of the product understands."""

from collections.abc import Callable

from memorycore.model.routing import Route
from memorycore.policy.structure import Structure

_SHOWN = 3

_Reason = tuple[Callable[[Structure], bool], Callable[[Structure], str]]


def explain(
    structure: Structure, *, route: Route, protected: bool, important: bool
) -> tuple[str, ...]:
    """Return the pieces of evidence that speak for the decision, the strongest first."""
    reasons = ["importance 0.9 or more"] if important else []
    if route is Route.STALE:
        reasons += _fitting(_STALE, structure)
    elif route is Route.HOT:
        reasons += _fitting(_PROTECTED if protected else (), structure) + _fitting(_HOT, structure)
    else:
        reasons += _fitting(_COLD, structure)
    return tuple(dict.fromkeys(reasons))[:_SHOWN] or (_DEFAULT[route],)


_DEFAULT = {
    Route.HOT: "reads like texts about how to behave or about who the user is",
    Route.COLD: "a fact to look up, nothing the agent needs on every turn",
    Route.STALE: "reads like a finished status with nothing lasting in it",
}


def _fitting(reasons: tuple[_Reason, ...], structure: Structure) -> list[str]:
    return [say(structure) for applies, say in reasons if applies(structure)]


def _has(*names: str) -> Callable[[Structure], bool]:
    return lambda structure: all(structure[name] for name in names)


def _quoting(before: str, section: str, after: str = "") -> Callable[[Structure], str]:
    def say(structure: Structure) -> str:
        words = ", ".join(f"“{word}”" for word in structure.words(section)[:2])
        return f"{before} {words}{after}".strip()

    return say


def _plain(text: str) -> Callable[[Structure], str]:
    return lambda _structure: text


_PROTECTED: tuple[_Reason, ...] = (
    (_has("forbids_deed"), _quoting("forbids something harmful:", "destructive")),
    (
        _has("asks_first"),
        _quoting("harmful deed", "destructive", " together with an approval phrase"),
    ),
    (_has("has_redline"), _quoting("red-line wording", "redline")),
    (_has("imperative_talk"), _quoting("an instruction how to communicate:", "interaction")),
    (_has("has_honesty"), _quoting("a rule of honesty:", "honesty")),
)
_HOT: tuple[_Reason, ...] = (
    (_has("has_rule_label"), _quoting("label", "rule_label")),
    (_has("first_imperative"), _plain("speaks to the agent in the imperative")),
    (_has("form_trigger"), _plain("says what a word or phrase of the user means")),
    (_has("has_preference"), _quoting("preference word", "preference")),
    (_has("user_identity"), _quoting("who the user is:", "identity")),
    (_has("has_correction"), _quoting("a correction:", "correction")),
    (_has("has_redline"), _quoting("red-line wording", "redline")),
    (_has("has_rule"), _quoting("rule word", "rule")),
    (_has("has_interaction"), _quoting("about how to answer:", "interaction")),
    (_has("form_contrast"), _plain("weighs one way against another")),
)
_COLD: tuple[_Reason, ...] = (
    (_has("done_pending"), _quoting("finished in part, still open:", "pending")),
    (
        _has("done_lasting"),
        _plain("a finished record with lasting content (cause, number, path or date)"),
    ),
    (_has("has_rare"), _quoting("applies on rare occasions:", "rare")),
    (_has("pending_only"), _quoting("still open:", "pending")),
    (_has("machine_rule"), _quoting("the rule word describes a machine:", "machine")),
    (_has("machine_fact"), _plain("a technical fact with a path, address, number or code")),
    (_has("dated"), _plain("a dated record")),
    (_has("has_contact"), _quoting("a contact or family fact:", "contact")),
    (_has("hard_fact"), _plain("a fact with a value to look up")),
)
_STALE: tuple[_Reason, ...] = (
    (_has("noise_form"), _plain("template or automatic filler text")),
    (_has("has_completed"), _quoting("completion word", "completed", ", nothing lasting")),
    (_has("has_errand"), _quoting("a passing matter:", "errand")),
)
