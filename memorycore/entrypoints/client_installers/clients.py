"""The MCP clients that can be configured: where their file lies and how it names a server."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from memorycore.entrypoints.client_installers import json_config, toml_config
from memorycore.entrypoints.client_installers.changes import FileChange, read_config
from memorycore.errors import ConfigurationError

SERVER = "memorycore"
"""The name under which clients know the server."""


class Syntax(StrEnum):
    """How the file is written."""

    JSON = "json"
    TOML = "toml"


@dataclass(frozen=True, slots=True)
class Client:
    """One client. It is taken to be installed when its file or the `marker` folder exists."""

    name: str
    title: str
    path: Path
    marker: Path
    section: str = "mcpServers"
    syntax: Syntax = Syntax.JSON
    says_type: bool = False

    @property
    def is_installed(self) -> bool:
        """Tell whether traces of the client lie on this machine."""
        return self.path.exists() or self.marker.is_dir()

    def change(self, command: "ServerCommand", *, uninstall: bool) -> FileChange | None:
        """Return the change that adds or removes the server; None when there is nothing to do.

        Raises:
            ConfigurationError: The file cannot be read, parsed or edited safely; it was left alone.
        """
        before = read_config(self.path)
        editor = json_config if self.syntax is Syntax.JSON else toml_config
        try:
            if uninstall:
                after = editor.without_server(before, self.section, SERVER)
            else:
                entry = command.entry(says_type=self.says_type)
                after = editor.with_server(before, self.section, SERVER, entry)
        except ConfigurationError as fault:
            message = f"{self.path}: {fault}"
            raise ConfigurationError(message) from fault
        if after is None or after == before:
            return None
        return FileChange(self.path, before, after)


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a client starts the server: this Python, so that no PATH is needed, and the folders if set."""

    environment: tuple[tuple[str, str], ...] = ()

    def entry(self, *, says_type: bool) -> dict[str, Any]:
        """Return the client's entry for the server."""
        entry: dict[str, Any] = {"type": "stdio"} if says_type else {}
        entry |= {"command": sys.executable, "args": ["-m", "memorycore.server"]}
        if self.environment:
            entry["env"] = dict(self.environment)
        return entry


def application_data(home: Path, platform: str) -> Path:
    """Return where desktop applications keep their settings."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return home / "AppData" / "Roaming"
    return home / ".config"


def known_clients(home: Path, platform: str = sys.platform) -> tuple[Client, ...]:
    """Return every client that can be configured, for the user whose home is `home`."""
    data = application_data(home, platform)
    desktop, code = data / "Claude", data / "Code" / "User"
    return (
        Client(
            "claude-code", "Claude Code", home / ".claude.json", home / ".claude", says_type=True
        ),
        Client("claude-desktop", "Claude Desktop", desktop / "claude_desktop_config.json", desktop),
        Client("cursor", "Cursor", home / ".cursor" / "mcp.json", home / ".cursor"),
        Client(
            "windsurf",
            "Windsurf",
            home / ".codeium" / "windsurf" / "mcp_config.json",
            home / ".codeium" / "windsurf",
        ),
        Client("vscode", "VS Code", code / "mcp.json", code, section="servers", says_type=True),
        Client(
            "codex",
            "Codex",
            home / ".codex" / "config.toml",
            home / ".codex",
            section="mcp_servers",
            syntax=Syntax.TOML,
        ),
        Client("gemini", "Gemini CLI", home / ".gemini" / "settings.json", home / ".gemini"),
    )
