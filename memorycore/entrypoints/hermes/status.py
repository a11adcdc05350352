"""Health of one home as `hermes memory status` shows it, told from files alone so that it is always quick."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memorycore.adapters.clock import SystemClock
from memorycore.adapters.hermes_home import DEFAULT_LIMITS, find_hermes_home
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.entrypoints.hermes.governor import DATA, MEMORIES
from memorycore.entrypoints.hermes.host_config import PLUGIN, hooks_enabled, read_config, serves_mcp
from memorycore.entrypoints.hermes.ledger import STATUS_FILE, read_summary
from memorycore.errors import HotTierError
from memorycore.model.results import Check, Health
from memorycore.model.routing import Target


def status_of(path: Path) -> dict[str, Any]:
    """Return name and value of everything worth showing about the home at `path`."""
    found = find_hermes_home(path / MEMORIES)
    limits = found.limits if found else DEFAULT_LIMITS
    store = MarkdownHotStore(path / MEMORIES, limits=limits, clock=SystemClock())
    config = read_config(path)
    summary = read_summary(path / DATA / STATUS_FILE)
    shown: dict[str, Any] = {"home": str(path)}
    shown |= {store.path(target).name: _usage(store, target) for target in Target}
    shown["cold store"] = _database(path / DATA / "memorycore.db")
    shown["room-making hooks"] = (
        "on" if hooks_enabled(config) else f"off; run: hermes plugins enable {PLUGIN}"
    )
    shown["tools"] = "through MCP" if serves_mcp(config) else "through the provider"
    shown |= _last_run(summary)
    for number, warning in enumerate(found.warnings if found else (), start=1):
        shown[f"warning {number}"] = warning
    return shown


def plugin_check(data_dir: Path) -> Check | None:
    """Return what the doctor says of the plugin's last session, None where there was none."""
    summary = read_summary(data_dir / STATUS_FILE)
    if not summary:
        return None
    told = _last_run(summary)
    detail = f"last session {told['last session']}, faults: {told['faults']}"
    if "last fault" not in told:
        return Check("Hermes plugin", Health.OK, detail)
    return Check("Hermes plugin", Health.WARNING, detail, f"the last was {told['last fault']}")


def _usage(store: MarkdownHotStore, target: Target) -> str:
    try:
        snapshot = store.read(target)
    except HotTierError as fault:
        return f"cannot be used: {fault}"
    count, share = len(snapshot.entries), f"{snapshot.pressure:.0%}"
    noun = "entry" if count == 1 else "entries"
    return f"{count} {noun}, {snapshot.characters}/{snapshot.limit} characters ({share})"


def _database(path: Path) -> str:
    try:
        size = path.stat().st_size
    except OSError:
        return "not made yet; it is made when the first session starts"
    return f"{path} ({size / 1024:.0f} KiB)"


def _last_run(summary: Mapping[str, Any]) -> dict[str, Any]:
    if not summary:
        return {"last session": "none yet"}
    shown: dict[str, Any] = {"last session": summary.get("written_at", "")}
    if summary.get("prefetches"):
        median = summary.get("prefetch_median_ms")
        shown["prefetch"] = (
            f"{summary['prefetches']} turns, {summary.get('injected', 0)} memories shown, median {median} ms"
        )
    faults = summary.get("faults")
    if isinstance(faults, dict) and faults:
        shown["faults"] = ", ".join(f"{kind} x{count}" for kind, count in faults.items())
        shown["last fault"] = f"{summary.get('last_fault')} at {summary.get('last_fault_at')}"
    else:
        shown["faults"] = "none"
    return shown
