"""The command that moves the cold store to another database or service."""

import click
from rich.console import Group, RenderableType

from memorycore.entrypoints import rendering
from memorycore.entrypoints.cli.session import Session, command
from memorycore.entrypoints.opening import load_settings
from memorycore.errors import ColdTierError
from memorycore.service.migration import MigrationReport

_BACKENDS = ("sqlite", "postgres", "mcp")


@command("migrate", example="memorycore migrate --to postgres --url postgresql://me@db/team")
@click.option("--to", "to", type=click.Choice(_BACKENDS), required=True, help="Kind of the target.")
@click.option("--url", metavar="URL", help="Address of the target; a file for sqlite.")
@click.option("--token", metavar="TOKEN", help="Bearer token of an mcp target.")
@click.option(
    "--from",
    "source",
    type=click.Choice(_BACKENDS[:2]),
    help="The store to move; without it the one that the settings name.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be moved; write nothing.")
def migrate_command(
    session: Session,
    *,
    to: str,
    url: str | None,
    token: str | None,
    source: str | None,
    dry_run: bool,
) -> int:
    """Move the cold store: memories, trash, old texts, history, vectors. The source stays as it is.

    A run that was cut off goes on where it stopped. At the end both stores are read and compared. A service of the
    cold-store contract (mcp) takes live memories only.
    """
    # The stores pull in native libraries: only commands that use them pay for it.
    from memorycore.bootstrap.migrating import Destination, migrate  # noqa: PLC0415
    from memorycore.settings import ColdBackend  # noqa: PLC0415

    settings = load_settings(**session.given.settings())
    with session.progress("Moving") as progress:
        report = migrate(
            settings,
            Destination(ColdBackend(to), url, token),
            source=ColdBackend(source) if source else None,
            dry_run=dry_run,
            progress=progress,
        )
    session.show(report.to_dict(), lambda: _drawn(report))
    return 0 if report.verified or dry_run else ColdTierError.exit_code


def _drawn(report: MigrationReport) -> RenderableType:
    held = report.source
    made = rendering.table("", "in the source", title=f"Migration to {report.to}")
    for name in ("live", "trashed", "revisions", "vectors", "events"):
        rendering.add(made, name, getattr(held, name))
    if report.dry_run:
        return Group(made, rendering.sentence("Nothing was written."))
    state = "verified" if report.verified else "NOT verified"
    lines = [f"{report.moved} moved, {report.unchanged} there already, {state}.", *report.notes]
    return Group(made, *map(rendering.sentence, lines))
