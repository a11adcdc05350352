"""Connects the conformance suite to a service."""

import random
from collections.abc import Callable, Collection

from memorycore.adapters.clock import RandomIds, SystemClock
from memorycore.adapters.cold_remote import Endpoint, McpWire, probe_http
from memorycore.service.contract.bench import Surroundings
from memorycore.service.contract.suite import ColdStoreContract, Told
from memorycore.service.contract.verdicts import ContractReport

PATIENCE = 20.0
"""Seconds one call may take; a checked service may be small."""


def check_contract(
    url: str,
    *,
    token: str | None = None,
    other_token: str | None = None,
    restart: Callable[[], None] | None = None,
    only: Collection[str] | None = None,
    told: Told | None = None,
) -> ContractReport:
    """Check a service over HTTP.

    Args:
        url: Its MCP endpoint.
        token: The bearer token to use.
        other_token: The token of a second author, to see whether authors are kept apart.
        restart: Restarts the service, to see what outlives it.
        only: Make these checks and no others.
        told: Called after each check.

    Raises:
        ColdUnavailableError: The service cannot be reached.
    """
    wire = wire_to(url, token)
    other = wire_to(url, other_token) if other_token else None
    around = Surroundings(
        other=other,
        http=lambda headers, padding: probe_http(url, headers, padding=padding),
        token=token,
        restart=restart,
    )
    try:
        return ColdStoreContract(wire, tag=_tag(), around=around).run(only=only, told=told)
    finally:
        wire.close()
        if other is not None:
            other.close()


def wire_to(url: str, token: str | None = None) -> McpWire:
    """Return a connection that tries every call, whatever became of the one before."""
    endpoint = Endpoint(url, token, timeout=PATIENCE, first_pause=0.0)
    return McpWire(endpoint, monotonic=SystemClock().monotonic, jitter=random.random)


def _tag() -> str:
    """Return four letters that most likely no run used before."""
    digits = RandomIds().new_id()[:4]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digits)
