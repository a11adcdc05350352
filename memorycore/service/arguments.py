"""Checks on what callers pass, with advice where it cannot be used."""

from memorycore.errors import InvalidInputError
from memorycore.model.routing import Target


def one_target(target: str | Target) -> Target:
    """Return the target that is named.

    Raises:
        InvalidInputError: It is neither `memory` nor `user`.
    """
    try:
        return Target(target)
    except ValueError as fault:
        message = f"target must be 'memory' or 'user', not {target!r}"
        raise InvalidInputError(message) from fault


def targets(target: str) -> tuple[Target, ...]:
    """Return the target that is named, or both."""
    return tuple(Target) if target == "both" else (one_target(target),)


def checked_importance(importance: object) -> float:
    """Return an importance from 0 to 1.

    Raises:
        InvalidInputError: It is no number, or out of range.
    """
    if isinstance(importance, int | float) and 0 <= importance <= 1:
        return float(importance)
    message = f"importance must be a number between 0 and 1, not {importance!r}"
    raise InvalidInputError(message)


def checked_scope(scope: object) -> str:
    """Return the name of a scope.

    Raises:
        InvalidInputError: It is empty or no text.
    """
    if isinstance(scope, str) and scope.strip():
        return scope.strip()
    message = f"scope must be a name such as 'global' or 'project:heron', not {scope!r}"
    raise InvalidInputError(message)
