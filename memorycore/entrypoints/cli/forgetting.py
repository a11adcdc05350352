"""Commands that correct, forget and bring back."""

import sys

import click

from memorycore.entrypoints import rendering
from memorycore.entrypoints.cli.session import Session, command, console, read_text
from memorycore.entrypoints.views import events_view, trashed_view
from memorycore.model.results import PurgeResult, ReleaseResult


@command("supersede", example='memorycore supersede "office in Lyon" "The office is in Nantes."')
@click.argument("old")
@click.argument("new_content", metavar="NEW")
def supersede_command(session: Session, old: str, new_content: str) -> None:
    """Replace what OLD (an id, or words only it answers to) names by NEW; the old goes to the trash."""
    with session.core() as core:
        result = core.supersede(old, read_text(new_content))
    session.show(result.to_dict(), lambda: rendering.superseded(result))


@command("forget", example='memorycore forget "the old office" --dry-run')
@click.argument("what")
@click.option("--purge", is_flag=True, help="Erase for good instead of moving to the trash.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Act without asking.")
def forget_command(session: Session, what: str, **options: bool) -> None:
    """Forget WHAT: a memory's id, or what the memories are about.

    Shows what would go and asks. Where nobody can be asked it only shows, unless --yes is given.
    """
    with session.core() as core:
        forget = core.purge if options["purge"] else core.release
        result: ReleaseResult | PurgeResult = forget(what, dry_run=True)
        if not options["dry_run"] and (options["yes"] or _agreed(session, result)):
            result = forget(what, dry_run=False)
    session.show(result.to_dict(), lambda: rendering.forgotten(result))


@command("trash", example="memorycore trash")
@click.option("--limit", type=int, default=50, show_default=True, help="Most memories to show.")
def trash_command(session: Session, limit: int) -> None:
    """List what left the store, why, and until when it can be brought back."""
    with session.core() as core:
        memories = core.trash()
    shown = memories[:limit]
    document = {"total": len(memories), "memories": [trashed_view(memory) for memory in shown]}
    session.show(document, lambda: rendering.trashed(shown, total=len(memories)))


@command("revive", example="memorycore revive MEMORY-ID")
@click.argument("memory_id")
def revive_command(session: Session, memory_id: str) -> None:
    """Bring the memory MEMORY_ID back from the trash; 'memorycore trash' lists the ids."""
    with session.core() as core:
        result = core.revive(memory_id)
    session.show(result.to_dict(), lambda: rendering.revived(result))


@command("history", example="memorycore history MEMORY-ID")
@click.argument("memory_id")
def history_command(session: Session, memory_id: str) -> None:
    """Tell who changed the memory MEMORY_ID, when, with which tool and why."""
    with session.core() as core:
        events = core.history(memory_id)
    document = {"memory_id": memory_id, "events": events_view(events)}
    session.show(document, lambda: rendering.told(memory_id, events))


def _agreed(session: Session, preview: ReleaseResult | PurgeResult) -> bool:
    if session.as_json or not sys.stdin.isatty():
        return False
    console().print(rendering.forgotten(preview))
    return rendering.concerned(preview) > 0 and click.confirm("Forget these?")
