"""Adds and removes one server in a TOML configuration, as text, so that comments and order stay.

The result is parsed again and must differ from the original in that one server only; else nothing is written.
"""

import json
import re
import tomllib
from typing import Any

from memorycore.errors import ConfigurationError

_HEADER = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")


def with_server(text: str | None, section: str, name: str, entry: dict[str, Any]) -> str:
    """Return the configuration with the table `section.name` saying `entry`.

    Raises:
        ConfigurationError: The text is no TOML, or says it in a form that cannot be edited safely.
    """
    before = _parse(text or "")
    servers = _servers(before, section)
    kept = _cut(text or "", section, name)
    block = _table(f"{section}.{name}", entry)
    after = f"{kept}{_gap(kept)}{block}"
    return _checked(after, {**before, section: {**servers, name: entry}})


def without_server(text: str | None, section: str, name: str) -> str | None:
    """Return the configuration without the table `section.name`; the same text when it was not there.

    Raises:
        ConfigurationError: The text is no TOML, or says it in a form that cannot be edited safely.
    """
    before = _parse(text or "")
    servers = _servers(before, section)
    if text is None or name not in servers:
        return text
    others = {key: value for key, value in servers.items() if key != name}
    return _checked(_cut(text, section, name), {**before, section: others})


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        message = f"it is no TOML ({fault}); it was left alone"
        raise ConfigurationError(message) from fault


def _servers(config: dict[str, Any], section: str) -> dict[str, Any]:
    servers = config.get(section, {})
    if not isinstance(servers, dict):
        message = f"its {section!r} is no table; it was left alone"
        raise ConfigurationError(message)
    return servers


def _gap(before: str) -> str:
    """Return the line breaks that put one empty line between `before` and a table."""
    if not before.strip() or before.endswith("\n\n"):
        return ""
    return "\n" if before.endswith("\n") else "\n\n"


def _cut(text: str, section: str, name: str) -> str:
    """Drop the table `section.name` and its sub-tables, up to the next other table."""
    kept, dropping = [], False
    for line in text.splitlines(keepends=True):
        if header := _HEADER.match(line):
            parts = [part.strip().strip("\"'") for part in header[1].split(".")]
            dropping = parts[:2] == [section, name]
        if not dropping:
            kept.append(line)
    return "".join(kept)


def _table(path: str, entry: dict[str, Any]) -> str:
    plain = {key: value for key, value in entry.items() if not isinstance(value, dict)}
    lines = [f"[{path}]", *(f"{key} = {_value(value)}" for key, value in plain.items())]
    for key, nested in entry.items():
        if isinstance(nested, dict):
            lines.append("")
            lines.append(f"[{path}.{key}]")
            lines.extend(f"{name} = {_value(value)}" for name, value in nested.items())
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """Return a string, number, flag or list of them as TOML; JSON's form of these is TOML's too."""
    return json.dumps(value, ensure_ascii=False)


def _checked(after: str, expected: dict[str, Any]) -> str:
    result = _parse(after)
    for config in (result, expected):
        for section in [key for key, value in config.items() if value == {}]:
            del config[section]
    if result != expected:
        message = "it says its servers in a form that cannot be edited safely; it was left alone"
        raise ConfigurationError(message)
    return after
