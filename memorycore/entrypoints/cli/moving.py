"""Commands that carry memories in and out, or over to another model."""

from pathlib import Path

import click

from memorycore.entrypoints import rendering
from memorycore.entrypoints.cli.session import Session, command
from memorycore.errors import InvalidInputError


@command("export", example="memorycore export memories.jsonl")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
def export_command(session: Session, path: Path) -> None:
    """Write every memory and hot entry to PATH, one JSON object a line."""
    with session.core() as core:
        count = core.export(path)
    document = {"exported": count, "path": str(path)}
    session.show(
        document, lambda: rendering.sentence(f"{rendering.counted(count)} written to {path}.")
    )


@command("import", example="memorycore import memories.jsonl")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_command(session: Session, path: Path) -> int:
    """Read memories from PATH: JSON lines with content and, if known, source, author, importance, created_at."""
    with session.core() as core:
        report = core.import_file(path)
    session.show(report.to_dict(), lambda: rendering.imported(report))
    useless = report.read > 0 and len(report.rejected) == report.read
    return InvalidInputError.exit_code if useless else 0


@command("reembed", example="memorycore reembed")
def reembed_command(session: Session) -> None:
    """Make all vectors anew with the configured model. Old vectors serve until the new ones are whole."""
    with session.core() as core, session.progress("Embedding") as progress:
        report = core.reembed(progress=progress)
    session.show(report.to_dict(), lambda: rendering.reembedded(report))
