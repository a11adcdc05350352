"""What the host's own configuration says about this plugin."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

PLUGIN = "memorycore-prefetch"
"""Name of the plugin's folder, of the provider and of its command."""

SERVER = "memorycore"
"""Name under which the installer adds the MCP server."""


def read_config(home: Path) -> Mapping[str, Any]:
    """Return `config.yaml` of a home; empty when it is missing or cannot be read."""
    try:
        document = yaml.safe_load((home / "config.yaml").read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return {}
    return document if isinstance(document, dict) else {}


def is_provider(config: Mapping[str, Any]) -> bool:
    """Tell whether this plugin is the home's memory provider."""
    return _section(config, "memory").get("provider") == PLUGIN


def hooks_enabled(config: Mapping[str, Any]) -> bool:
    """Tell whether the host loads this plugin's hooks, which is opt-in."""
    enabled = _section(config, "plugins").get("enabled")
    return isinstance(enabled, list) and PLUGIN in enabled


def serves_mcp(config: Mapping[str, Any]) -> bool:
    """Tell whether the home has our MCP server configured, switched on, and a client to call it."""
    servers = _section(config, "mcp_servers")
    ours = any(_is_ours(name, entry) for name, entry in servers.items())
    return ours and importlib.util.find_spec("mcp") is not None


def _is_ours(name: object, entry: object) -> bool:
    if not isinstance(entry, dict) or entry.get("enabled", True) is False:
        return False
    args = entry.get("args")
    words = [Path(str(entry.get("command", ""))).name]
    words += map(str, args) if isinstance(args, list) else []
    return name == SERVER or any(word.startswith("memorycore") for word in words)


def _section(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = config.get(name)
    return section if isinstance(section, dict) else {}
