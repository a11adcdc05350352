"""What every command shares: options, an open core, one document on standard output."""

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from memorycore.entrypoints.logs import log_nothing
from memorycore.entrypoints.opening import open_now
from memorycore.entrypoints.views import encodable
from memorycore.errors import InvalidInputError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from memorycore.service.core import MemoryCore
    from memorycore.service.parts import Progress

PLAIN_WIDTH = 100
"""Columns of a table that does not go to a terminal."""


@dataclass(frozen=True, slots=True)
class Given:
    """Options that were given before or after the command's name; None means: not given."""

    memory_dir: str | None = None
    data_dir: str | None = None

    def settings(self) -> dict[str, Any]:
        """Return those that were given, as arguments of `Settings`."""
        options = {"memory_dir": self.memory_dir, "data_dir": self.data_dir}
        return {name: value for name, value in options.items() if value}


@dataclass(frozen=True, slots=True)
class Session:
    """One run of one command."""

    given: Given
    as_json: bool

    @contextmanager
    def core(self) -> "Iterator[MemoryCore]":
        """Open the core for the length of the command."""
        log_nothing()
        with open_now("cli", **self.given.settings()) as core:
            yield core

    def show(self, document: Any, drawing: "Callable[[], RenderableType]") -> None:
        """Print `document` as JSON when that was asked for, else what `drawing` returns."""
        if self.as_json:
            click.echo(json.dumps(encodable(document), ensure_ascii=False, indent=2))
        else:
            console().print(drawing())

    @contextmanager
    def progress(self, title: str) -> "Iterator[Progress | None]":
        """Show a bar on standard error while the block runs; None where nobody would see it."""
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        # rich is only worth its import where something is drawn.
        from rich.progress import Progress as Bar  # noqa: PLC0415

        with Bar(console=console(errors=True), transient=True) as bar:
            task = bar.add_task(title, total=None)

            def advance(stage: str, done: int, total: int) -> None:
                bar.update(task, description=stage, completed=done, total=total or None)

            yield advance


def console(*, errors: bool = False) -> "Console":
    """Return a console on standard output or standard error; colour only on a terminal."""
    # rich is only worth its import where something is drawn.
    from rich.console import Console  # noqa: PLC0415

    stream = sys.stderr if errors else sys.stdout
    width = None if stream.isatty() else PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False, markup=False)


def command(
    name: str, *, example: str, settings: Mapping[str, Any] | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function that takes a `Session` first, with the options every command has.

    Args:
        name: As typed.
        example: One line that works as it stands; shown at the end of the help.
        settings: Further click context settings.
    """

    def wrap(work: Callable[..., Any]) -> click.Command:
        @click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
        @click.option("--memory-dir", metavar="DIR", help="Folder of MEMORY.md and USER.md.")
        @click.option("--data-dir", metavar="DIR", help="Folder of the database.")
        @click.pass_obj
        @functools.wraps(work)
        def run(outer: Given, /, **options: Any) -> Any:
            given = replace(
                outer,
                memory_dir=options.pop("memory_dir") or outer.memory_dir,
                data_dir=options.pop("data_dir") or outer.data_dir,
            )
            session = Session(given, as_json=options.pop("as_json"))
            return work(session, **options)

        return click.command(
            name,
            epilog=f"\b\nExample:\n  {example}",
            context_settings={"help_option_names": ["-h", "--help"], **(settings or {})},
        )(run)

    return wrap


def read_text(argument: str) -> str:
    """Return a text argument; `-` reads standard input.

    Raises:
        InvalidInputError: Standard input is not UTF-8.
    """
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        message = f"standard input is not UTF-8: {fault.reason} at byte {fault.start}"
        raise InvalidInputError(message) from fault
