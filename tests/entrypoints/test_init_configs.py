"""Editing the configuration of MCP clients."""

import json
import tomllib
from pathlib import Path

import pytest

from memorycore.entrypoints.client_installers import json_config, toml_config
from memorycore.entrypoints.client_installers.clients import (
    Client,
    ServerCommand,
    known_clients,
)
from memorycore.entrypoints.client_installers.installing import Step, chosen, propose
from memorycore.errors import ConfigurationError, InvalidInputError
from memorycore.testing import FakeClock

COMMAND = ServerCommand((("MEMORYCORE_MEMORY_DIR", "/m"),))
ENTRY = {"command": "/py", "args": ["-m", "memorycore.server"], "env": {"A": 'quote " and \\'}}

TOML = """# my settings
model = "o9"

[mcp_servers.other]   # keep me
command = "node"
args = ["a b", "c"]

[mcp_servers.other.env]
KEY = "x"

[profiles.fast]
model = "o9-mini"
"""


def client_named(home: Path, name: str) -> Client:
    return next(client for client in known_clients(home, "linux") if client.name == name)


@pytest.mark.parametrize("text", [None, "", "  \n", "{}", '{"mcpServers": {}}'])
def test_a_server_is_added_to_a_json_file_that_has_none(text: str | None) -> None:
    after = json.loads(json_config.with_server(text, "mcpServers", "memorycore", ENTRY))
    assert after == {"mcpServers": {"memorycore": ENTRY}}


def test_everything_else_in_a_json_file_stays_in_order() -> None:
    text = '{\n\t"z": 1,\n\t"mcpServers": {"b": {"command": "é"}},\n\t"a": [1, 2]\n}\n'
    after = json_config.with_server(text, "mcpServers", "memorycore", ENTRY)
    assert list(json.loads(after)) == ["z", "mcpServers", "a"]
    assert '\n\t"z"' in after
    assert "é" in after
    back = json_config.without_server(after, "mcpServers", "memorycore")
    assert back is not None
    assert json.loads(back) == json.loads(text)


def test_the_byte_order_mark_and_line_ends_of_a_json_file_stay() -> None:
    text = '\ufeff{\r\n  "a": 1\r\n}\r\n'
    after = json_config.with_server(text, "mcpServers", "memorycore", ENTRY)
    assert after.startswith("\ufeff{\r\n")
    assert after.count("\n") == after.count("\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "{ // comment\n}",
        "{,}",
        "[]",
        '"x"',
        '{"mcpServers": []}',
        '{"a": 1, "a": 2}',
        "[" * 100_000,
    ],
)
def test_a_json_file_that_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="left alone"):
        json_config.with_server(text, "mcpServers", "memorycore", ENTRY)


def test_a_server_is_added_to_toml_and_the_rest_stays_word_for_word() -> None:
    after = toml_config.with_server(TOML, "mcp_servers", "memorycore", ENTRY)
    assert after.startswith(TOML)
    assert tomllib.loads(after)["mcp_servers"]["memorycore"] == ENTRY
    assert toml_config.without_server(after, "mcp_servers", "memorycore") == TOML + "\n"


def test_adding_to_toml_twice_is_adding_once() -> None:
    once = toml_config.with_server(TOML, "mcp_servers", "memorycore", ENTRY)
    assert toml_config.with_server(once, "mcp_servers", "memorycore", ENTRY) == once


@pytest.mark.parametrize(
    "text",
    [
        "[broken",
        "a = 1\na = 2",
        'mcp_servers = { memorycore = { command = "x" } }',
        '[mcp_servers]\nmemorycore = { command = "x" }\n',
        '[mcp_servers]\nmemorycore.command = "x"\n',
        'mcp_servers = "none"',
    ],
)
def test_toml_that_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="left alone"):
        toml_config.with_server(text, "mcp_servers", "memorycore", ENTRY)


def test_a_table_named_inside_a_toml_string_is_not_taken_for_one() -> None:
    text = 'note = """\n[mcp_servers.memorycore]\nkeep = me\n"""\n'
    with pytest.raises(ConfigurationError, match="left alone"):
        toml_config.with_server(text, "mcp_servers", "memorycore", ENTRY)


@pytest.mark.parametrize(
    "name", ["claude-code", "claude-desktop", "cursor", "codex", "vscode", "windsurf", "gemini"]
)
def test_installing_twice_and_uninstalling_leaves_no_trace_in_any_client(
    tmp_path: Path, name: str
) -> None:
    client = client_named(tmp_path, name)
    first = propose(client, COMMAND, uninstall=False)
    assert first.step is Step.ADD
    assert first.carry_out(FakeClock()).done
    assert "memorycore.server" in client.path.read_text(encoding="utf-8")
    assert propose(client, COMMAND, uninstall=False).step is Step.NOTHING
    assert propose(client, COMMAND, uninstall=True).carry_out(FakeClock()).done
    assert "memorycore" not in client.path.read_text(encoding="utf-8")
    assert propose(client, COMMAND, uninstall=True).step is Step.NOTHING


def test_the_file_is_backed_up_before_it_is_changed(tmp_path: Path) -> None:
    client = client_named(tmp_path, "cursor")
    client.path.parent.mkdir()
    client.path.write_bytes(b'{"mcpServers": {}}')
    answer = propose(client, COMMAND, uninstall=False).carry_out(FakeClock())
    assert answer.backup is not None
    assert Path(answer.backup).read_bytes() == b'{"mcpServers": {}}'


@pytest.mark.parametrize("raw", [b"{ broken", b'{"a": "\xff"}'])
def test_a_file_that_cannot_be_read_is_refused_and_untouched(tmp_path: Path, raw: bytes) -> None:
    client = client_named(tmp_path, "cursor")
    client.path.parent.mkdir()
    client.path.write_bytes(raw)
    proposal = propose(client, COMMAND, uninstall=False)
    assert proposal.step is Step.REFUSED
    assert str(client.path) in proposal.reason
    assert proposal.carry_out(FakeClock()).done is False
    assert client.path.read_bytes() == raw


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    client = client_named(tmp_path, "cursor")
    client.path.mkdir(parents=True)
    assert propose(client, COMMAND, uninstall=False).step is Step.REFUSED


def test_a_file_that_changed_after_it_was_shown_is_not_written(tmp_path: Path) -> None:
    client = client_named(tmp_path, "cursor")
    proposal = propose(client, COMMAND, uninstall=False)
    client.path.parent.mkdir()
    client.path.write_text('{"new": 1}', encoding="utf-8")
    answer = proposal.carry_out(FakeClock())
    assert answer.step is Step.REFUSED
    assert client.path.read_text(encoding="utf-8") == '{"new": 1}'


def test_only_clients_that_left_traces_are_chosen_by_themselves(tmp_path: Path) -> None:
    clients = known_clients(tmp_path, "linux")
    assert chosen(clients, ()) == []
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".claude.json").write_text("{}", encoding="utf-8")
    assert [client.name for client in chosen(clients, ())] == ["claude-code", "cursor"]


def test_an_unknown_client_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"emacs.*cursor"):
        chosen(known_clients(tmp_path), ("emacs",))
