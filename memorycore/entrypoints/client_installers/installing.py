"""Adds MemoryCore to clients, or takes it out again, one answer a client."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memorycore.entrypoints.client_installers.changes import FileChange
from memorycore.entrypoints.client_installers.clients import Client, ServerCommand
from memorycore.errors import ConfigurationError, InvalidInputError
from memorycore.model.record import Record
from memorycore.ports import Clock


class Step(StrEnum):
    """What was done, or with a dry run would be done, to one client."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"
    NOTHING = "nothing"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """The step for one file of one client; `done` is False for a dry run."""

    client: str
    path: str
    step: Step
    diff: str
    done: bool
    backup: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of one client that can be shown and carried out; `change` None needs nothing."""

    client: Client
    change: FileChange | None
    step: Step
    reason: str = ""

    def answer(self, *, done: bool = False, backup: Path | None = None) -> Answer:
        """Return what is told about this proposal."""
        return Answer(
            client=self.client.name,
            path=str(self.client.path),
            step=self.step,
            diff=self.change.diff() if self.change else "",
            done=done,
            backup=str(backup) if backup else None,
            reason=self.reason,
        )

    def carry_out(self, clock: Clock) -> Answer:
        """Make the change, if one is needed."""
        if self.change is None:
            return self.answer()
        try:
            return self.answer(done=True, backup=self.change.apply(clock))
        except ConfigurationError as fault:
            return Proposal(self.client, None, Step.REFUSED, str(fault)).answer()


def chosen(
    clients: Sequence[Client], names: Iterable[str], *, also: Iterable[str] = ()
) -> list[Client]:
    """Return the clients named, or those installed when none is named.

    Args:
        clients: All there are.
        names: What the user asked for.
        also: Names that are known, but not among `clients`.

    Raises:
        InvalidInputError: A name is unknown.
    """
    wanted = list(names)
    known = {client.name: client for client in clients}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        message = f"unknown client {', '.join(unknown)}; known are {', '.join([*known, *also])}"
        raise InvalidInputError(message)
    if wanted:
        return [known[name] for name in wanted]
    return [client for client in clients if client.is_installed]


def propose(client: Client, command: ServerCommand, *, uninstall: bool) -> Proposal:
    """Return what should be done to one client; a file that cannot be edited safely is refused."""
    try:
        change = client.change(command, uninstall=uninstall)
    except ConfigurationError as fault:
        return Proposal(client, None, Step.REFUSED, str(fault))
    if change is None:
        why = "it is not configured there" if uninstall else "it is configured already"
        return Proposal(client, None, Step.NOTHING, why)
    if uninstall:
        return Proposal(client, change, Step.REMOVE)
    return Proposal(client, change, Step.ADD if _is_new(change) else Step.CHANGE)


def _is_new(change: FileChange) -> bool:
    return "memorycore.server" not in (change.before or "")
