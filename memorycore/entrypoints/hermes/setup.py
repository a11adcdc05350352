"""What must stand in the host's configuration for the plugin to work."""

from typing import Any

from memorycore.entrypoints.hermes.host_config import PLUGIN


def activate(config: dict[str, Any]) -> None:
    """Name this plugin as memory provider and enable its hooks; everything else stays as it is."""
    _section(config, "memory")["provider"] = PLUGIN
    plugins = _section(config, "plugins")
    enabled = plugins.get("enabled")
    names = list(enabled) if isinstance(enabled, list) else []
    plugins["enabled"] = [*names, PLUGIN] if PLUGIN not in names else names


def _section(config: dict[str, Any], name: str) -> dict[str, Any]:
    section = config.get(name)
    if not isinstance(section, dict):
        section = config[name] = {}
    return section
