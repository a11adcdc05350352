"""Runs a command: faults become one line and an exit code, never a traceback."""

import importlib
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import click
from typing_extensions import override

from memorycore.entrypoints.cli.catalogue import COMMANDS
from memorycore.entrypoints.cli.session import Given
from memorycore.entrypoints.numpy_threads import keep_to_one_thread
from memorycore.entrypoints.release import release
from memorycore.errors import InvalidInputError, MemoryCoreError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells expect it."""

_LONE_SURROGATES = re.compile("[\udc80-\udcff]")


class Commands(click.Group):
    """The commands of the catalogue, each imported when it is called for."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(entry.module)
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: memorycore demo",
)
@click.option("--memory-dir", metavar="DIR", help="Folder of MEMORY.md and USER.md.")
@click.option("--data-dir", metavar="DIR", help="Folder of the database and the settings file.")
@click.version_option(release(), prog_name="memorycore", message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context, memory_dir: str | None, data_dir: str | None) -> None:
    """Keep an agent's memory small, current and findable; nothing is lost on the way."""
    context.obj = Given(memory_dir=memory_dir, data_dir=data_dir)
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code (see `memorycore.errors` for the codes)."""
    given = [as_typed(text) for text in (sys.argv[1:] if arguments is None else arguments)]
    keep_to_one_thread()
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.excepthook = _report_bug
    try:
        answer: Any = program.main(given, prog_name="memorycore", standalone_mode=False)
    except MemoryCoreError as fault:
        return _fail(given, fault)
    except click.ClickException as fault:
        return _misused(given, fault)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted; what was written is safe.", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away, as in `memorycore audit | head`; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as fault:
        click.echo(f"memorycore: the answer could not be written: {fault.strerror}", err=True)
        return MemoryCoreError.exit_code
    return answer if isinstance(answer, int) else 0


def _open_closed_streams() -> None:
    """Give a process that was started without standard streams some that swallow everything."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for good


def as_typed(text: str) -> str:
    """Return an argument as the user typed it, also where the locale is not UTF-8."""
    if not _LONE_SURROGATES.search(text):
        return text
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError:
        return text


def _fail(given: Sequence[str], fault: MemoryCoreError) -> int:
    if "--json" in given:
        error = {"code": fault.code, "message": str(fault), "retryable": fault.retryable}
        click.echo(json.dumps({"error": error}))
    else:
        click.echo(f"memorycore: {fault}", err=True)
        if fault.retryable:
            click.echo("Trying again may help.", err=True)
    return fault.exit_code


def _misused(given: Sequence[str], fault: click.ClickException) -> int:
    if "--json" in given:
        error = {
            "code": InvalidInputError.code,
            "message": fault.format_message(),
            "retryable": False,
        }
        click.echo(json.dumps({"error": error}))
    else:
        fault.show()
    return InvalidInputError.exit_code


def _report_bug(
    kind: type[BaseException], fault: BaseException, trace: TracebackType | None
) -> None:
    """Say what broke and where in one line; the traceback goes to those who run with `python -X dev`."""
    if sys.flags.dev_mode:
        sys.__excepthook__(kind, fault, trace)
        return
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}"  # noqa: PTH119
        trace = trace.tb_next
    click.echo(
        f"memorycore: internal error at {place}: {kind.__name__}: {fault}\n"
        "This is a bug. Nothing stored is affected; please report the line above.",
        err=True,
    )
