"""Reading what a tool call answered, whatever style the service has: structured content or JSON as text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memorycore.model.contract import Answer

_WRAPPER = "result"
"""The key under which SDKs wrap a result that is no object."""


def answer_of(structured: object, texts: Sequence[str], *, is_error: bool) -> Answer:
    """Return the answer of a call from its structured content and its text blocks.

    Structured content wins. Without it the blocks are read as JSON, one document over all of them or one a block.
    """
    text = "\n".join(texts)
    if structured is not None:
        return Answer(_unwrapped(structured), text, is_error)
    return Answer(_from_texts(texts), text, is_error)


def _unwrapped(value: object) -> Any:
    if isinstance(value, Mapping) and set(value) == {_WRAPPER}:
        inner = value[_WRAPPER]
        return _parsed(inner) if isinstance(inner, str) else inner
    return value


def _from_texts(texts: Sequence[str]) -> Any:
    whole = _parsed("\n".join(texts))
    if whole is not None:
        return _unwrapped(whole)
    parts = [_parsed(text) for text in texts]
    return parts if parts and any(part is not None for part in parts) else None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
