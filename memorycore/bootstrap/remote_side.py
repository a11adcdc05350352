"""The cold tier at a remote, with the outbox in front of it."""

import importlib.util
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memorycore.adapters.cold_remote import Endpoint, McpWire, RemoteCold
from memorycore.bootstrap.databases import Databases
from memorycore.bootstrap.surroundings import Around
from memorycore.errors import ConfigurationError
from memorycore.model.memory import Event
from memorycore.service.outbox import OutboxedCold
from memorycore.settings import Settings


@dataclass(frozen=True, slots=True)
class RemoteSide:
    """The remote tier and what it wants done regularly and at the end."""

    tier: OutboxedCold
    history: Callable[[str], Sequence[Event]]
    replay_outbox: Callable[[], object]
    close: Callable[[], None]


def endpoint_of(settings: Settings) -> Endpoint:
    """Return where the settings say the remote is."""
    token = settings.cold_token.get_secret_value().strip() if settings.cold_token else ""
    return Endpoint(settings.cold_url or "", token or None, timeout=settings.cold_timeout)


def remote_side(around: Around, database: Databases) -> RemoteSide:
    """Connect lazily to the remote that the settings name; nothing is sent before it is needed.

    Raises:
        ConfigurationError: The `mcp` package, which some hosts go without, is not installed.
    """
    if importlib.util.find_spec("mcp") is None:
        message = "cold_backend = mcp needs the package mcp: pip install 'mcp>=1.26'"
        raise ConfigurationError(message)
    clock = around.clock
    wire = McpWire(endpoint_of(around.settings), monotonic=clock.monotonic, jitter=random.random)
    remote = RemoteCold(wire, monotonic=clock.monotonic)
    tier = OutboxedCold(
        remote,
        database.outbox,
        leases=database.leases,
        owner=around.owner.token,
        clock=clock,
        ids=around.ids,
    )
    return RemoteSide(tier, remote.history, tier.replay, wire.close)
