"""Commands that store, find and classify."""

from datetime import UTC, datetime

import click

from memorycore.entrypoints import rendering
from memorycore.entrypoints.cli.session import Session, command, read_text
from memorycore.errors import InvalidInputError
from memorycore.model.results import StoreStatus

TARGETS = click.Choice(["memory", "user"])
TARGET_HELP = "memory for the work, user for the person."
IMPORTANCE_HELP = "0 to 1; from 0.9 on it stays in every prompt."


@command("store", example='memorycore store "Deploys go through the staging cluster first."')
@click.argument("text")
@click.option("--target", type=TARGETS, default="memory", show_default=True, help=TARGET_HELP)
@click.option("--importance", type=float, default=0.5, show_default=True, help=IMPORTANCE_HELP)
@click.option("--scope", default="global", show_default=True, help="Such as project:heron.")
@click.option("--source", help="Where the fact comes from.")
@click.option("--author", help="Whose memory, in a shared store.")
def store_command(session: Session, text: str, **options: object) -> int:
    """Store TEXT ('-' reads standard input). It goes where it belongs and the answer says why."""
    with session.core() as core:
        result = core.store_fact(read_text(text), **options)  # type: ignore[arg-type]
    session.show(result.to_dict(), lambda: rendering.stored(result))
    return InvalidInputError.exit_code if result.status is StoreStatus.REJECTED else 0


@command("recall", example='memorycore recall "which cluster do deploys use"')
@click.argument("query")
@click.option("--top-k", type=int, default=5, show_default=True, help="Most hits to show.")
@click.option("--scope", help="Look in this scope too, such as project:heron.")
@click.option("--about", help="Only memories that name this.")
@click.option("--as-of", help="What was known then, such as 2026-05-01.")
@click.option("--author", help="Whose memories, in a shared store.")
@click.option("--explain", is_flag=True, help="Say why each hit is there.")
def recall_command(session: Session, query: str, as_of: str | None, **options: object) -> None:
    """Find what was stored about QUERY ('-' reads standard input), in any language."""
    moment = _moment(as_of) if as_of else None
    with session.core() as core:
        result = core.recall(read_text(query), as_of=moment, **options)  # type: ignore[arg-type]
    session.show(result.to_dict(), lambda: rendering.recalled(result))


@command("classify", example='memorycore classify "Never push to main on Fridays."')
@click.argument("text")
@click.option("--target", type=TARGETS, default="memory", show_default=True, help=TARGET_HELP)
@click.option("--importance", type=float, default=0.5, show_default=True, help=IMPORTANCE_HELP)
def classify_command(session: Session, text: str, target: str, importance: float) -> None:
    """Say where TEXT ('-' reads standard input) would go and why. Writes nothing."""
    text = read_text(text)
    with session.core() as core:
        screening = core.screen(text)
        decided = core.classify(text, importance=importance, target=target)
    document = {**decided.to_dict(), "screening": screening.to_dict()}
    session.show(document, lambda: rendering.classified(decided, screening))


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as fault:
        message = f"--as-of must be a date such as 2026-05-01 or 2026-05-01T12:00:00Z, not {text!r}"
        raise InvalidInputError(message) from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
