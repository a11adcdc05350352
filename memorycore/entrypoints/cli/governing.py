"""Commands that show and keep both tiers in shape."""

import click

from memorycore.entrypoints import rendering, rendering_tiers
from memorycore.entrypoints.cli.session import Session, command
from memorycore.entrypoints.views import overflow_view, plan_view, texts_of

BOTH = click.Choice(["memory", "user", "both"])
BOTH_HELP = "Which hot file."


@command("usage", example="memorycore usage --json")
def usage_command(session: Session) -> None:
    """Show how full the hot files are, what the cold store holds, and when the jobs ran."""
    with session.core() as core:
        report = core.usage()
    session.show(report.to_dict(), lambda: rendering_tiers.used(report))


@command("audit", example="memorycore audit --target user")
@click.option("--target", type=BOTH, default="both", show_default=True, help=BOTH_HELP)
def audit_command(session: Session, target: str) -> None:
    """Explain every entry of the hot files: type, age, protection, plan and reason."""
    with session.core() as core:
        report = core.audit(target)
    session.show(report.to_dict(), lambda: rendering_tiers.audited(report))


@command("overflow", example="memorycore overflow --dry-run")
@click.option("--target", type=BOTH, default="both", show_default=True, help=BOTH_HELP)
@click.option("--dry-run", is_flag=True, help="Only show what would move and why.")
def overflow_command(session: Session, target: str, dry_run: bool) -> None:  # noqa: FBT001 - click passes it by name
    """Move what need not be in every prompt to the cold store. Nothing is lost."""
    with session.core() as core:
        texts = texts_of(core.audit(target))
        if dry_run:
            views = [plan_view(plan, texts) for plan in core.plan_overflow(target).values()]
        else:
            views = [overflow_view(report, texts) for report in core.overflow(target).values()]
    document = {"dry_run": dry_run, "targets": views}
    session.show(document, lambda: rendering_tiers.overflowed(views, planned=dry_run))


@command("maintain", example="memorycore maintain")
@click.option("--full", is_flag=True, help="Look at everything, not only at what changed.")
def maintain_command(session: Session, full: bool) -> None:  # noqa: FBT001 - click passes it by name
    """Clean the cold store: expired trash, duplicates, contradictions, decay, missing vectors."""
    with session.core() as core, session.progress("Maintenance") as progress:
        report = core.maintain(full=full, progress=progress)
    session.show(report.to_dict(), lambda: rendering.maintained(report))
