"""Opens both ends of a migration."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memorycore.adapters.clock import SystemClock
from memorycore.adapters.cold_remote import RemoteCold
from memorycore.bootstrap.contract import wire_to
from memorycore.bootstrap.databases import Databases, open_databases, with_postgres, with_sqlite
from memorycore.bootstrap.surroundings import DATABASE
from memorycore.errors import ConfigurationError
from memorycore.model.memory import Provenance
from memorycore.ports import Draft, Outcome
from memorycore.service.migration import Migration, MigrationReport, holding_of
from memorycore.service.migration_to_service import MigrationToService
from memorycore.service.parts import Progress
from memorycore.settings import ColdBackend, Settings

BY_MIGRATION = Provenance("user", "migrate", "moved from another store")
"""What a service that is sent memories records of who sent them."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where to: a backend, and its address; for SQLite the file, None being the one in the data folder."""

    to: ColdBackend
    url: str | None = None
    token: str | None = None


def migrate(
    settings: Settings,
    destination: Destination,
    *,
    source: ColdBackend | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> MigrationReport:
    """Move the store that the settings name, or the one on this machine when `source` is SQLite.

    Raises:
        ConfigurationError: The settings name no store that can be read whole, or no place to move it to.
        InvalidInputError: The target holds memories that do not come from this store.
        ColdTierError: One of the two fails; running it again goes on where it stopped.
    """
    backend = source or settings.cold_backend
    if backend is ColdBackend.MCP:
        message = "a remote store cannot be read whole: migrate on the machine that holds it"
        raise ConfigurationError(message)
    here = with_sqlite(settings.data_dir / DATABASE) if backend is ColdBackend.SQLITE else None
    here = here or open_databases(settings)
    try:
        if dry_run:
            return MigrationReport(
                destination.to.value, dry_run=True, source=holding_of(here.transfer)
            )
        if destination.to is ColdBackend.MCP:
            return _to_service(here, destination, progress=progress)
        _not_onto_itself(settings, backend, destination)
        with _opened(settings, destination) as there:
            migration = Migration(
                here.transfer, there.transfer, there.repository, destination.to.value
            )
            return migration.run(progress=progress)
    finally:
        here.close()


@contextmanager
def _opened(settings: Settings, destination: Destination) -> Iterator[Databases]:
    if destination.to is ColdBackend.SQLITE:
        there = with_sqlite(_file(settings, destination))
        yield there
        there.close()
        return
    if not destination.url:
        message = "--to postgres needs --url postgresql://user@host/database"
        raise ConfigurationError(message)
    # The rows alone are wanted here: what is local to a machine has no part in a migration.
    with tempfile.TemporaryDirectory() as folder:
        there = with_postgres(
            Path(folder, DATABASE), destination.url, timeout=settings.cold_timeout
        )
        try:
            yield there
        finally:
            there.close()


def _file(settings: Settings, destination: Destination) -> Path:
    path = Path(destination.url).expanduser() if destination.url else settings.data_dir / DATABASE
    return path / DATABASE if path.is_dir() else path


def _not_onto_itself(settings: Settings, source: ColdBackend, destination: Destination) -> None:
    if source is not destination.to:
        return
    if source is ColdBackend.SQLITE:
        same = _file(settings, destination).resolve() == (settings.data_dir / DATABASE).resolve()
    else:
        same = destination.url == settings.cold_url
    if same:
        message = (
            "source and target are the same store: name another with --url, "
            "or the source with --from"
        )
        raise ConfigurationError(message)


def _to_service(
    here: Databases, destination: Destination, *, progress: Progress | None
) -> MigrationReport:
    if not destination.url:
        message = "--to mcp needs --url of the service's MCP endpoint"
        raise ConfigurationError(message)
    wire = wire_to(destination.url, destination.token)
    store = RemoteCold(wire, monotonic=SystemClock().monotonic)

    def remember(draft: Draft, key: str) -> tuple[Outcome, str]:
        kept = store.remember(draft, key=key)
        return kept.outcome, kept.memory_id

    try:
        moving = MigrationToService(here.transfer, remember, store, BY_MIGRATION)
        return moving.run(progress=progress)
    finally:
        wire.close()
