"""Adds and removes one server in a JSON configuration; everything else stays as it is."""

import json
import re
from typing import Any

from memorycore.errors import ConfigurationError

_INDENT = re.compile(r"\n([ \t]+)\"")
_BOM = "\ufeff"


def with_server(text: str | None, section: str, name: str, entry: dict[str, Any]) -> str:
    """Return the configuration with `entry` as `section.name`.

    Raises:
        ConfigurationError: The text is no JSON object, or the section is none.
    """
    config = _parse(text)
    _section(config, section)[name] = entry
    return _dump(config, like=text)


def without_server(text: str | None, section: str, name: str) -> str | None:
    """Return the configuration without `section.name`; the same text when it was not there.

    Raises:
        ConfigurationError: The text is no JSON object, or the section is none.
    """
    config = _parse(text)
    if text is None or name not in config.get(section, {}):
        return text
    del _section(config, section)[name]
    return _dump(config, like=text)


def _parse(text: str | None) -> dict[str, Any]:
    if text is None or not text.strip(_BOM).strip():
        return {}
    try:
        config = json.loads(text.removeprefix(_BOM), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as fault:
        message = f"it is no plain JSON ({fault}); comments are not kept, so it was left alone"
        raise ConfigurationError(message) from fault
    if not isinstance(config, dict):
        message = "it holds no JSON object; it was left alone"
        raise ConfigurationError(message)
    return config


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        message = "a key stands twice in one object"
        raise ValueError(message)
    return dict(pairs)


def _section(config: dict[str, Any], section: str) -> dict[str, Any]:
    servers = config.setdefault(section, {})
    if not isinstance(servers, dict):
        message = f"its {section!r} is no object; it was left alone"
        raise ConfigurationError(message)
    return servers


def _dump(config: dict[str, Any], *, like: str | None) -> str:
    found = _INDENT.search(like or "")
    indent: str | int = found[1] if found else 2
    mark = _BOM if like and like.startswith(_BOM) else ""
    text = mark + json.dumps(config, ensure_ascii=False, indent=indent) + "\n"
    return text.replace("\n", "\r\n") if like and "\r\n" in like else text
