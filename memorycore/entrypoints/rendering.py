"""Results as people read them in a terminal: short sentences and tables.

The text of a memory is data: control characters are shown, never obeyed, and no markup in it is live.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memorycore.entrypoints.views import snippet
from memorycore.model.memory import Event, Memory, TrashedMemory
from memorycore.model.results import (
    Hit,
    ImportReport,
    MaintenanceReport,
    PurgeResult,
    RecallResult,
    ReembedReport,
    ReleaseResult,
    ReviveResult,
    StoreResult,
    StoreStatus,
    SupersedeResult,
    TierUsage,
)
from memorycore.model.routing import Classification, Screening, Verdict

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

_STATUS = {
    StoreStatus.STORED: "Stored in the hot file",
    StoreStatus.COLD_STORED: "Stored in the cold store",
    StoreStatus.COLD_DUPLICATE: "Already known",
    StoreStatus.COLD_UPDATED: "Merged into a known memory",
    StoreStatus.COLD_SUPERSEDED: "Stored; it replaces an older memory",
    StoreStatus.COLD_QUEUED: "Queued: the cold store does not answer; it is kept and sent later",
    StoreStatus.STALE: "Not kept, put into the trash (can be revived)",
    StoreStatus.COLD_STORED_FALLBACK: "Stored in the cold store: the hot file has no room for it",
    StoreStatus.REJECTED: "Refused",
}


def visible(text: str) -> str:
    """Return `text` with control characters, bidi marks and surrogates written out as escapes."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def sentence(text: str, style: str = "") -> Text:
    """Return one line of plain text."""
    return Text(visible(text), style=style)


def table(*columns: str, title: str = "") -> Table:
    """Return an empty table; the last column takes the room that is left."""
    made = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for position, column in enumerate(columns):
        last = position == len(columns) - 1
        made.add_column(column, ratio=1 if last else None, overflow="fold", header_style="bold")
    made.expand = True
    return made


def add(made: Table, *cells: object, style: str = "") -> None:
    """Add a row of plain texts."""
    made.add_row(*(Text(visible(str(cell))) for cell in cells), style=style)


def day(moment: datetime | None) -> str:
    """Return a moment to the minute, in UTC, or a dash."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "-"


def percent(share: float) -> str:
    """Return a share as whole percents."""
    return f"{share:.0%}"


def counted(number: int) -> str:
    """Return a number of memories in words."""
    return "1 memory" if number == 1 else f"{number} memories"


def gauge(usage: TierUsage) -> str:
    """Return a tier's usage in one phrase."""
    entries = "1 entry" if usage.entries == 1 else f"{usage.entries} entries"
    size = f"{usage.characters} of {usage.limit} characters"
    return f"{usage.target.value.upper()}.md: {entries}, {size} ({percent(usage.pressure)})"


def stored(result: StoreResult) -> RenderableType:
    """Draw the answer to a write."""
    style = "red" if result.status is StoreStatus.REJECTED else "green"
    lines = [sentence(f"{_STATUS[result.status]}.", style), sentence(f"  why: {result.reason}")]
    if result.memory_id:
        lines.append(sentence(f"  id:  {result.memory_id}"))
    if result.related_id and result.related_id != result.memory_id:
        lines.append(sentence(f"  related: {result.related_id}"))
    lines.extend(sentence(f"  note: {warning}", "yellow") for warning in result.warnings)
    if result.usage:
        lines.append(sentence(f"  {gauge(result.usage)}", "dim"))
    return Group(*lines)


def recalled(result: RecallResult) -> RenderableType:
    """Draw hits, best first, or say that nothing is known."""
    parts: list[RenderableType] = []
    if result.degraded:
        parts.append(sentence(f"Degraded: {result.degraded}", "yellow"))
    if not result.hits:
        parts.append(sentence("Nothing relevant is stored."))
        return Group(*parts)
    made = table("score", "created", "memory")
    for hit in result.hits:
        add(made, f"{hit.score:.2f}", f"{hit.created_at:%Y-%m-%d}", _hit(hit))
    return Group(*parts, made)


def _hit(hit: Hit) -> str:
    lines = [hit.content]
    if hit.revived:
        lines.append("  (brought back from the trash)")
    lines.extend(f"  · {reason}" for reason in hit.why)
    return "\n".join([*lines, f"  id {hit.id}"])


def classified(decided: Classification, screening: Screening) -> RenderableType:
    """Draw where a text would go and why."""
    kept = ", protected" if decided.protected else ""
    head = f"{decided.route.value} ({decided.type.value}{kept}), {percent(decided.confidence)} sure"
    lines = [sentence(head, "bold"), *(sentence(f"  · {reason}") for reason in decided.reasons)]
    if screening.verdict is not Verdict.CLEAN:
        found = f"Screening: {screening.verdict.value} ({', '.join(screening.kinds)})"
        lines.append(sentence(found, "red"))
    return Group(*lines)


def maintained(report: MaintenanceReport) -> RenderableType:
    """Draw the counts of a maintenance pass."""
    state = "Done" if report.finished else "Not finished"
    head = f"{state} in {report.seconds:.1f} s: {report.examined} examined, {report.live} live."
    counts = {
        "purged from the trash": report.purged,
        "duplicates": report.duplicates,
        "merged": report.merged,
        "superseded": report.superseded,
        "stale": report.stale,
        "decayed": report.decayed,
        "evicted": report.evicted,
        "vectors made": report.embedded,
    }
    changed = [sentence(f"  {name}: {count}") for name, count in counts.items() if count]
    quiet = [sentence("  Nothing had to change.")] if report.finished and not changed else []
    notes = [sentence(f"  {note}", "yellow") for note in report.notes]
    return Group(sentence(head), *changed, *quiet, *notes)


def superseded(result: SupersedeResult) -> RenderableType:
    """Draw a correction."""
    old = [sentence(f"  was: {snippet(memory.content)}") for memory in result.superseded]
    head = "Replaced" if result.superseded else "Nothing was replaced; told as new"
    return Group(
        sentence(f"{head}: {snippet(result.content)}", "green" if result.superseded else "yellow"),
        sentence(f"  id:  {result.memory_id}"),
        sentence(f"  why: {result.reason}"),
        *old,
    )


def concerned(result: ReleaseResult | PurgeResult) -> int:
    """Return how many memories a forgetting names."""
    return len(_named(result))


def _named(result: ReleaseResult | PurgeResult) -> Sequence[Memory]:
    return result.released if isinstance(result, ReleaseResult) else result.preview


def forgotten(result: ReleaseResult | PurgeResult) -> RenderableType:
    """Draw what was forgotten, or would be."""
    named = _named(result)
    if result.dry_run:
        head = f"Would forget {counted(len(named))}; nothing was changed (--yes acts)."
    elif isinstance(result, PurgeResult):
        head = f"Erased {counted(result.purged)} for good."
    else:
        head = f"Moved {counted(len(named))} to the trash; 'memorycore trash' lists what is there."
    made = table("id", "memory")
    for memory in named:
        add(made, memory.id, snippet(memory.content))
    capped = (
        [sentence("There are more than one call may forget.", "yellow")] if result.capped else []
    )
    shown = [made] if named else []
    return Group(sentence(head), sentence(f"  why: {result.reason}"), *capped, *shown)


def trashed(memories: Sequence[TrashedMemory], *, total: int) -> RenderableType:
    """Draw the trash."""
    if not memories:
        return sentence("The trash is empty.")
    made = table("id", "reason", "until", "memory")
    for trashed_memory in memories:
        add(
            made,
            trashed_memory.memory.id,
            trashed_memory.reason.value,
            f"{trashed_memory.expires_at:%Y-%m-%d}",
            snippet(trashed_memory.memory.content),
        )
    more = [sentence(f"{total - len(memories)} more; --limit shows them.")]
    return Group(made, *(more if total > len(memories) else []))


def revived(result: ReviveResult) -> RenderableType:
    """Draw what came back."""
    if result.memory is None:
        return sentence(f"Nothing was brought back: {result.reason}")
    was = f" (was: {result.was.value})" if result.was else ""
    return sentence(f"Back in the store{was}: {snippet(result.memory.content)}", "green")


def told(memory_id: str, events: Sequence[Event]) -> RenderableType:
    """Draw the history of one memory."""
    if not events:
        return sentence(f"Nothing is recorded about {memory_id}.")
    made = table("when", "what", "who", "with", "why")
    for event in events:
        by = event.provenance
        add(made, day(event.at), event.kind.value, by.actor, by.tool, by.reason)
    return made


def imported(report: ImportReport) -> RenderableType:
    """Draw the counts of an import."""
    head = (
        f"Read {report.read} in {report.seconds:.1f} s: {report.stored} stored, "
        f"{report.duplicates} known already, {report.merged} merged, {report.superseded} replaced."
    )
    refused = [sentence(f"  line {place + 1}: {why}", "red") for place, why in report.rejected]
    return Group(sentence(head), *refused)


def reembedded(report: ReembedReport) -> RenderableType:
    """Draw the end of a change of model."""
    how = "resumed and done" if report.resumed else "done"
    text = f"{report.embedded} vectors of {report.model}, {how} in {report.seconds:.1f} s."
    return sentence(text)
