"""The state of both tiers as people read it in a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from memorycore.entrypoints.rendering import add, day, gauge, percent, sentence, table
from memorycore.entrypoints.views import snippet
from memorycore.model.results import (
    AuditEntry,
    AuditReport,
    TierUsage,
    UsageReport,
)

_BAR = 30


def bar(usage: TierUsage) -> Text:
    """Return a bar of the budget in use: green, from 60 % yellow, from 80 % red."""
    full = round(_BAR * min(1.0, usage.pressure))
    style = "red" if usage.pressure >= 0.8 else "yellow" if usage.pressure >= 0.6 else "green"
    return Text("█" * full, style).append("░" * (_BAR - full), "dim")


def used(report: UsageReport) -> RenderableType:
    """Draw the usage of both tiers and the jobs."""
    lines: list[RenderableType] = []
    for usage in report.hot:
        lines.extend((sentence(gauge(usage)), bar(usage)))
    cold = report.cold
    counts = f"{cold.live} live, {cold.trashed} in the trash, {cold.bytes / 1e6:.1f} MB"
    lines.append(sentence(f"Cold store ({cold.backend}): {counts}"))
    if cold.queued or cold.pending_vectors:
        waits = f"  {cold.queued} writes queued, {cold.pending_vectors} vectors to be made"
        lines.append(sentence(waits, "yellow"))
    lines.append(sentence(f"Embedder: {cold.embedder or 'not used yet'}"))
    if cold.degraded:
        lines.append(sentence(f"  degraded: {cold.degraded}", "yellow"))
    if report.open_intents:
        lines.append(sentence(f"{report.open_intents} moves are not finished.", "yellow"))
    known = [job for job in report.jobs if job.last_run or job.next_run]
    if known:
        made = table("job", "last run", "next run", "last error")
        for job in known:
            add(made, job.name, day(job.last_run), day(job.next_run), job.last_error or "-")
        lines.append(made)
    lines.extend(sentence(f"Note: {note}", "yellow") for note in report.notes)
    return Group(*lines)


def audited(report: AuditReport) -> RenderableType:
    """Draw every hot entry with its plan."""
    lines: list[RenderableType] = [sentence(gauge(usage)) for usage in report.usage]
    if not report.entries:
        lines.append(sentence("The hot files are empty; 'memorycore store' adds the first fact."))
    else:
        made = table("file", "type", "age", "entry and plan")
        for entry in report.entries:
            kind = f"{entry.type.value}{' *' if entry.protected else ''}"
            add(made, entry.target.value, kind, f"{entry.age_days:.0f} d", _explained(entry))
        lines.append(made)
        if any(entry.protected for entry in report.entries):
            lines.append(sentence("* protected: never leaves", "dim"))
    lines.extend(sentence(f"Note: {note}", "yellow") for note in report.notes)
    return Group(*lines)


def _explained(entry: AuditEntry) -> str:
    lines = [snippet(entry.text, 160), f"  → {entry.plan}"]
    if entry.protected_because and entry.protected_because not in entry.plan:
        lines.append(f"  * {entry.protected_because}")
    if entry.flags:
        lines.append(f"  ! {', '.join(entry.flags)}")
    return "\n".join(lines)


def overflowed(views: Sequence[Mapping[str, Any]], *, planned: bool) -> RenderableType:
    """Draw what an overflow did, or with `planned` would do."""
    lines: list[RenderableType] = []
    for view in views:
        before, after, limit = view["characters_before"], view["characters_after"], view["limit"]
        shares = f"{percent(before / limit)} → {percent(after / limit)}" if limit else ""
        verb = "would go" if planned else "went"
        head = f"{view['target'].upper()}.md {verb} from {before} to {after} characters ({shares})"
        lines.append(sentence(head, "bold"))
        moves = [action for action in view["actions"] if action["action"] != "keep"]
        made = table("step", "signals", "entry and reason")
        for action in moves:
            signals = ", ".join(action["signals"])
            add(
                made,
                action["action"],
                signals,
                "\n".join([*action["entries"], "  " + action["reason"]]),
            )
        lines.append(made if moves else sentence("  Nothing needs to leave."))
        lines.extend(sentence(f"  failed: {text}", "red") for text in view.get("failed", ()))
        if view["note"]:
            lines.append(sentence(f"  {view['note']}", "yellow"))
    return Group(*lines)
