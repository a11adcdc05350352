"""Small changes to a YAML file as text, so that comments, order and quoting of everything else stay.

Every result is parsed again and must mean exactly what was wanted; else the file is left alone.
"""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

import yaml

from memorycore.errors import ConfigurationError

Path = Sequence[str]
"""Keys from the top of the document down."""

_STEP = 2
"""Indentation of what is added."""


def with_value(text: str, path: Path, value: object) -> str:
    """Return `text` with `value` at `path`; mappings on the way are made.

    Raises:
        ConfigurationError: The text is no YAML mapping, or cannot be edited safely.
    """
    document = parse(text)
    if _found(document, path) == (True, value):
        return text
    expected = _unshared(document)
    _put(expected, path, value)
    return _checked(_set(text, path, value), expected)


def with_item(text: str, path: Path, item: str) -> str:
    """Return `text` with `item` in the list at `path`, which is made when missing."""
    known, items = _found(parse(text), path)
    listed = list(items) if known and isinstance(items, list) else []
    if item in listed:
        return text
    expected = _unshared(parse(text))
    _put(expected, path, [*listed, item])
    node = _node(text, path)
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        at = _line_end(text, _content_end(node))
        dash = node.start_mark.column
        return _checked(f"{text[:at]}\n{' ' * dash}- {item}{text[at:]}", expected)
    return _checked(_set(text, path, [*listed, item]), expected)


def without_item(text: str, path: Path, item: str) -> str:
    """Return `text` without `item` in the list at `path`; a list left empty goes with its key."""
    known, items = _found(parse(text), path)
    if not known or not isinstance(items, list) or item not in items:
        return text
    left = [other for other in items if other != item]
    if not left:
        return without_value(text, path)
    expected = _unshared(parse(text))
    _put(expected, path, left)
    node = _node(text, path)
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        doomed = next(child for child in node.value if child.value == item)
        return _checked(_cut_lines(text, doomed.start_mark.index, doomed), expected)
    return _checked(_set(text, path, left), expected)


def without_value(text: str, path: Path) -> str:
    """Return `text` without the key at `path`; a mapping left empty goes with its key."""
    document = parse(text)
    if not _found(document, path)[0]:
        return text
    while len(path) > 1 and len(_found(document, path[:-1])[1]) == 1:
        path = path[:-1]
    expected = _unshared(document)
    parent = _found(expected, path[:-1])[1]
    del parent[path[-1]]
    node = _node(text, path[:-1])
    if isinstance(node, yaml.MappingNode) and node.flow_style:
        return _checked(_replace(text, node, _flow(parent)), expected)
    key, value = _pair(node, path[-1])
    return _checked(_cut_lines(text, key.start_mark.index, value), expected)


def parse(text: str) -> dict[str, Any]:
    """Return the document as a mapping; an empty text is an empty one.

    Raises:
        ConfigurationError: It is no YAML, or no mapping.
    """
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as fault:
        message = f"it is no YAML ({str(fault).splitlines()[0]}); it was left alone"
        raise ConfigurationError(message) from fault
    if document is None:
        return {}
    if not isinstance(document, dict):
        message = "it holds no mapping; it was left alone"
        raise ConfigurationError(message)
    return document


def _set(text: str, path: Path, value: object) -> str:
    """Write `value` at `path` into the deepest mapping that is there."""
    root = yaml.compose(text)
    if not isinstance(root, yaml.MappingNode):
        return text + _block({path[0]: _nested(path[1:], value)}, 0)
    node = root
    for depth, key in enumerate(path):
        if node.flow_style:
            whole = _plain(node)
            _put(whole, path[depth:], value)
            return _replace(text, node, _flow(whole))
        pair = next(((k, v) for k, v in node.value if k.value == key), None)
        rest = _nested(path[depth + 1 :], value)
        if pair is None:
            return _insert(text, node, {key: rest}, at_end=node is root)
        child = pair[1]
        if not isinstance(child, yaml.MappingNode) or depth == len(path) - 1:
            return _overwrite(text, pair, {key: rest})
        node = child
    message = "it cannot be edited; it was left alone"
    raise ConfigurationError(message)


def _insert(text: str, node: yaml.MappingNode, entry: dict[str, Any], *, at_end: bool) -> str:
    if at_end:
        glue = "" if text.endswith("\n") else "\n"
        return text + glue + _block(entry, node.start_mark.column)
    first = node.value[0][0].start_mark
    at: int = first.index
    column: int = first.column
    return text[:at] + _block(entry, column).lstrip(" ") + " " * column + text[at:]


def _overwrite(text: str, pair: tuple[Any, Any], entry: dict[str, Any]) -> str:
    key, value = pair
    block = _block(entry, key.start_mark.column).strip()
    start, end = key.start_mark.index, _content_end(value)
    rest: str = text[max(end, key.end_mark.index + 1) :]
    return text[:start] + block + rest


def _replace(text: str, node: yaml.Node, new: str) -> str:
    return text[: node.start_mark.index] + new + text[node.end_mark.index :]


def _cut_lines(text: str, start: int, last: yaml.Node) -> str:
    begin = text.rfind("\n", 0, start) + 1
    end = _line_end(text, _content_end(last))
    return text[:begin] + text[end + 1 :]


def _content_end(node: yaml.Node) -> int:
    """Return where the text of a node ends; a block's own end mark lies beyond the comments that follow."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _content_end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
        return end - 1
    return end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _node(text: str, path: Path) -> yaml.Node | None:
    node: yaml.Node | None = yaml.compose(text)
    for key in path:
        if not isinstance(node, yaml.MappingNode):
            return None
        node = next((value for name, value in node.value if name.value == key), None)
    return node


def _pair(node: yaml.Node | None, key: str) -> tuple[yaml.Node, yaml.Node]:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    for name, value in pairs:
        if name.value == key:
            return name, value
    message = f"{key} is said in a form that cannot be edited safely; it was left alone"
    raise ConfigurationError(message)


def _plain(node: yaml.MappingNode) -> dict[str, Any]:
    loader = yaml.SafeLoader("")
    return {str(key): value for key, value in loader.construct_mapping(node, deep=True).items()}


def _nested(path: Path, value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _flow(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _block(entry: dict[str, Any], column: int) -> str:
    text: str = yaml.safe_dump(
        entry,
        sort_keys=False,
        allow_unicode=True,
        indent=_STEP,
        width=1_000,
        default_flow_style=False,
    )
    return textwrap.indent(text, " " * column)


def _unshared(value: Any) -> Any:
    """Return a copy in which an aliased part is no longer the same object: an edit must not reach its twin."""
    if isinstance(value, dict):
        return {key: _unshared(item) for key, item in value.items()}
    return [_unshared(item) for item in value] if isinstance(value, list) else value


def _found(document: object, path: Path) -> tuple[bool, Any]:
    for key in path:
        if not isinstance(document, dict) or key not in document:
            return False, None
        document = document[key]
    return True, document


def _put(document: dict[str, Any], path: Path, value: object) -> None:
    for key in path[:-1]:
        child = document.get(key)
        if not isinstance(child, dict):
            child = document[key] = {}
        document = child
    document[path[-1]] = value


def _checked(after: str, expected: dict[str, Any]) -> str:
    try:
        result = parse(after)
    except ConfigurationError:
        result = None
    if result != expected:
        message = "it is written in a form that cannot be edited safely; it was left alone"
        raise ConfigurationError(message)
    return after
