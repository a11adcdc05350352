"""The command that adds MemoryCore to the MCP clients of this machine."""

import sys
from pathlib import Path

import click

from memorycore.adapters.clock import SystemClock
from memorycore.entrypoints import rendering_setup
from memorycore.entrypoints.cli.session import Session, command, console
from memorycore.entrypoints.client_installers.clients import ServerCommand, known_clients
from memorycore.entrypoints.client_installers.installing import Proposal, Step, chosen, propose
from memorycore.errors import ConfigurationError

_ENVIRONMENT = {"memory_dir": "MEMORYCORE_MEMORY_DIR", "data_dir": "MEMORYCORE_DATA_DIR"}


@command("init", example="memorycore init --client cursor --dry-run")
@click.option("--client", "clients", multiple=True, help="Only this client; may be repeated.")
@click.option("--uninstall", is_flag=True, help="Take MemoryCore out again.")
@click.option("--dry-run", is_flag=True, help="Only show the changes.")
@click.option("--yes", is_flag=True, help="Do not ask on a terminal.")
def init_command(session: Session, clients: tuple[str, ...], **flags: bool) -> int:
    """Add MemoryCore to the MCP clients found on this machine.

    Shows each change as a diff, keeps a backup beside the file and writes it in one step. A file that cannot be
    parsed is left alone. --memory-dir and --data-dir, when given, are written into the client's entry.
    """
    folders = session.given.settings().items()
    server = ServerCommand(tuple((_ENVIRONMENT[name], _absolute(value)) for name, value in folders))
    found = chosen(known_clients(Path.home()), clients)
    proposals = [propose(client, server, uninstall=flags["uninstall"]) for client in found]
    acts = not flags["dry_run"] and (flags["yes"] or _agreed(session, proposals))
    clock = SystemClock()
    answers = [item.carry_out(clock) if acts else item.answer() for item in proposals]
    document = {"clients": [answer.to_dict() for answer in answers]}
    session.show(document, lambda: rendering_setup.installed(answers, dry_run=not acts))
    refused = any(answer.step is Step.REFUSED for answer in answers)
    return ConfigurationError.exit_code if refused else 0


def _agreed(session: Session, proposals: list[Proposal]) -> bool:
    if session.as_json or not sys.stdin.isatty():
        return True
    answers = [item.answer() for item in proposals]
    console().print(rendering_setup.installed(answers, dry_run=True))
    needed = any(item.change for item in proposals)
    return needed and click.confirm("Write these changes?")


def _absolute(folder: str) -> str:
    return str(Path(folder).expanduser().absolute())
