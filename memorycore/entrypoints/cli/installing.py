"""The command that adds MemoryCore to the MCP clients of this machine."""

import sys
from pathlib import Path
from typing import Protocol

import click

from memorycore.adapters.clock import SystemClock
from memorycore.entrypoints import rendering_setup
from memorycore.entrypoints.cli.session import Session, command, console
from memorycore.entrypoints.client_installers.clients import ServerCommand, known_clients
from memorycore.entrypoints.client_installers.installing import Answer, Step, chosen, propose
from memorycore.errors import ConfigurationError
from memorycore.ports import Clock

HERMES = "hermes"
"""Name of the one client that gets a plugin, not only a line in its configuration."""

_ENVIRONMENT = {"memory_dir": "MEMORYCORE_MEMORY_DIR", "data_dir": "MEMORYCORE_DATA_DIR"}


class Offer(Protocol):
    """What may be done to one client: shown first, then carried out."""

    @property
    def change(self) -> object:
        """Return what would be written; something false when nothing is needed."""
        ...

    def answer(self) -> Answer:
        """Return what is told about it."""
        ...

    def carry_out(self, clock: Clock) -> Answer:
        """Write it."""
        ...


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
    proposals = _proposals(session, clients, uninstall=flags["uninstall"])
    acts = not flags["dry_run"] and (flags["yes"] or _agreed(session, proposals))
    clock = SystemClock()
    answers = [item.carry_out(clock) if acts else item.answer() for item in proposals]
    document = {"clients": [answer.to_dict() for answer in answers]}
    session.show(document, lambda: rendering_setup.installed(answers, dry_run=not acts))
    refused = any(answer.step is Step.REFUSED for answer in answers)
    return ConfigurationError.exit_code if refused else 0


def _proposals(session: Session, clients: tuple[str, ...], *, uninstall: bool) -> list[Offer]:
    folders = session.given.settings().items()
    server = ServerCommand(tuple((_ENVIRONMENT[name], _absolute(value)) for name, value in folders))
    others = [name for name in clients if name != HERMES]
    known = known_clients(Path.home())
    found = chosen(known, others, also=(HERMES,)) if others or not clients else []
    offers: list[Offer] = [propose(client, server, uninstall=uninstall) for client in found]
    return offers + _hermes(
        session, uninstall=uninstall, named=HERMES in clients, only=bool(clients)
    )


def _hermes(session: Session, *, uninstall: bool, named: bool, only: bool) -> list[Offer]:
    # The plugin's parts are of no use to other clients.
    from memorycore.entrypoints.hermes_install import (  # noqa: PLC0415
        find_host,
        hermes_home,
        propose_hermes,
    )

    folder = session.given.memory_dir
    host = find_host()
    memory_dir = Path(_absolute(folder)) if folder else None
    home = hermes_home(Path.home(), memory_dir=memory_dir, told=host.home)
    if not named and (only or not home.is_dir()):
        return []
    return [propose_hermes(home, host, uninstall=uninstall)]


def _agreed(session: Session, proposals: list[Offer]) -> bool:
    if session.as_json or not sys.stdin.isatty():
        return True
    answers = [item.answer() for item in proposals]
    console().print(rendering_setup.installed(answers, dry_run=True))
    needed = any(item.change for item in proposals)
    return needed and click.confirm("Write these changes?")


def _absolute(folder: str) -> str:
    return str(Path(folder).expanduser().absolute())
