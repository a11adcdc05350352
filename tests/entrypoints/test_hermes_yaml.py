"""Edits of the host's configuration leave everything else, comments included, as it was."""

import pytest
import yaml

from memorycore.entrypoints.hermes.yaml_edit import (
    with_item,
    with_value,
    without_item,
    without_value,
)
from memorycore.errors import ConfigurationError

PROVIDER = ("memory", "provider")
ENABLED = ("plugins", "enabled")
SERVER = ("mcp_servers", "memorycore")
ENTRY = {"command": "/x/python", "args": ["-m", "memorycore.server"], "env": {"A": "b: c"}}

DOCUMENTS = {
    "empty": "",
    "comment only": "# mine\n",
    "no newline at the end": "model: x",
    "block": (
        "# top\nmemory:\n  # why\n  provider: honcho  # was mem0\n  nudge_interval: 3\n"
        "plugins:\n  enabled:\n    - a  # first\n    - b\n# tail\n"
    ),
    "flow": "memory: {provider: honcho, a: 1}\nplugins: {enabled: [x]}\nmcp_servers: {}\n",
    "nulls": "mcp_servers:   # none yet\nplugins:\n  enabled: []\nmemory: null\n",
    "other servers": (
        "mcp_servers:\n  other:\n    command: foo\n    args:\n    - a\n\n# note\ntext: |\n  many\n  lines\n"
    ),
    "carriage returns": "memory:\r\n  provider: ''\r\nplugins:\r\n  enabled:\r\n  - a\r\n",
    "byte order mark": "\ufeffmemory:\n  provider: honcho\n",
}


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_what_was_wanted_is_there_and_all_else_is_kept(text: str) -> None:
    edited = with_value(text, PROVIDER, "ours")
    edited = with_item(edited, ENABLED, "ours")
    edited = with_value(edited, SERVER, ENTRY)
    before, after = yaml.safe_load(text) or {}, yaml.safe_load(edited)
    assert after["memory"]["provider"] == "ours"
    assert after["plugins"]["enabled"][-1] == "ours"
    assert after["mcp_servers"]["memorycore"] == ENTRY
    assert {comment for comment in text.split("\n") if comment.startswith("#")} <= set(
        edited.split("\n")
    )
    for section in set(before) - {"memory", "plugins", "mcp_servers"}:
        assert after[section] == before[section]


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_taking_it_out_again_gives_back_the_same_settings(text: str) -> None:
    edited = with_value(with_item(text, ENABLED, "ours"), SERVER, ENTRY)
    back = without_value(without_item(edited, ENABLED, "ours"), SERVER)

    def filled(document: dict[str, object] | None) -> dict[str, object]:
        empty: tuple[object, ...] = (None, {}, {"enabled": []})
        return {key: value for key, value in (document or {}).items() if value not in empty}

    assert filled(yaml.safe_load(back)) == filled(yaml.safe_load(text))


def test_block_text_comes_back_to_the_letter() -> None:
    text = DOCUMENTS["block"]
    edited = with_value(with_item(text, ENABLED, "ours"), SERVER, ENTRY)
    assert without_value(without_item(edited, ENABLED, "ours"), SERVER) == text


def test_doing_it_twice_changes_nothing() -> None:
    once = with_item(with_value(DOCUMENTS["block"], SERVER, ENTRY), ENABLED, "ours")
    assert with_item(with_value(once, SERVER, ENTRY), ENABLED, "ours") == once


@pytest.mark.parametrize(
    "text",
    ["- a\n", "a: [\n", "base: &b {provider: q}\nmemory: *b\n", "memory: 3\n---\nmemory: 4\n"],
    ids=["a list", "broken", "an alias", "two documents"],
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="left alone"):
        with_value(text, PROVIDER, "ours")
