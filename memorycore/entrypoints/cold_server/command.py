"""Runs a cold server from what the command line gives."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycore.adapters.clock import SystemClock
from memorycore.bootstrap.cold_service import open_cold_service
from memorycore.entrypoints.cold_server.authors import Rate, authors_of
from memorycore.entrypoints.cold_server.serving import Address, Door, serve_cold
from memorycore.entrypoints.http_guard import BODY_LIMIT, Access, names_of
from memorycore.entrypoints.logs import log_to_stderr
from memorycore.entrypoints.opening import load_settings

BURST_SECONDS = 4
"""How many seconds' worth of requests an author may send at once."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What `memorycore cold-server` takes; `rate` is requests a second and author."""

    host: str = "127.0.0.1"
    port: int = 8766
    tokens: tuple[str, ...] = ()
    token_file: Path | None = None
    shared: bool = False
    allowed_hosts: tuple[str, ...] = ()
    body_limit: int = BODY_LIMIT
    rate: float = 100.0
    jobs: bool = True
    log_level: str = "warning"


def run_cold_server(options: ServerOptions, **given: Any) -> None:
    """Serve the cold store that the settings name until a signal comes.

    Raises:
        ConfigurationError: Tokens are missing or wrong, or the address cannot be bound.
        ColdTierError: The store cannot be opened.
    """
    log_to_stderr(options.log_level)
    authors = authors_of(options.tokens, options.token_file)
    address = Address(options.host, options.port)
    address.check(authors)
    settings = load_settings(**given)
    names = names_of(options.host, (*options.allowed_hosts, *settings.http_allowed_hosts))
    burst = max(1, int(options.rate * BURST_SECONDS))
    rate = Rate(per_second=options.rate, burst=burst, monotonic=SystemClock().monotonic)
    door = Door(Access(names, body_limit=options.body_limit), authors, rate)
    service = open_cold_service(settings, shared=options.shared)
    try:
        serve_cold(service, address, door, jobs=options.jobs and settings.schedule.enabled)
    finally:
        service.close()
