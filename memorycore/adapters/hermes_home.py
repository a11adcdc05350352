"""What a Hermes home says about its memory files: where they are and how much they may hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from memorycore.model.routing import Target

DEFAULT_LIMITS: Mapping[Target, int] = {Target.MEMORY: 2200, Target.USER: 1375}
"""Characters of the joined text when the host's configuration names none (Hermes Agent 0.19.0)."""

_KEYS = {Target.MEMORY: "memory_char_limit", Target.USER: "user_char_limit"}
_TRACES = ("config.yaml", "SOUL.md", "state.db", "sessions", "plugins", "auth.json")


@dataclass(frozen=True, slots=True)
class HermesHome:
    """A Hermes home (or profile) and its hot limits; `warnings` say what could not be read."""

    path: Path
    limits: Mapping[Target, int]
    warnings: tuple[str, ...] = ()


def find_hermes_home(memory_dir: Path) -> HermesHome | None:
    """Return the home that `memory_dir` (`<home>/memories`) belongs to, or None when it is no Hermes home.

    A home is told by its own files, by the name `.hermes`, or by lying under `profiles`. A configuration
    that cannot be read leaves the host's defaults standing, as the host itself does, with a warning.
    """
    home = memory_dir.parent
    if memory_dir.name != "memories":
        return None
    known = home.name == ".hermes" or home.parent.name == "profiles"
    if not known and not any((home / trace).exists() for trace in _TRACES):
        return None
    section, warnings = _memory_section(home / "config.yaml")
    limits = dict(DEFAULT_LIMITS)
    for target, key in _KEYS.items():
        value = _whole_number(section.get(key))
        if value is not None:
            limits[target] = value
        elif section.get(key) is not None:
            warnings += (f"memory.{key} in {home / 'config.yaml'} is no positive whole number",)
    return HermesHome(home, limits, warnings)


def _memory_section(config: Path) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    try:
        document = yaml.safe_load(config.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}, ()
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = type(error).__name__
        return {}, (f"{config} cannot be read ({reason}); the host's default limits are used",)
    section = document.get("memory") if isinstance(document, dict) else None
    return (section if isinstance(section, dict) else {}), ()


def _whole_number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and value > 0 else None
