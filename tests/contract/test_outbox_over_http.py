"""Fifty writes to a service in every kind of trouble: all land, once, in the order in which they were made."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from scripted_service import Script, scripted

from memorycore.adapters.clock import RandomIds, SystemClock
from memorycore.adapters.cold_remote import Endpoint, McpWire, RemoteCold
from memorycore.adapters.cold_sqlite import open_database
from memorycore.model.memory import Provenance
from memorycore.ports import Draft, Outcome
from memorycore.service.outbox import OutboxedCold

WRITES = 50
BECAUSE = Provenance("tester", "test", "told so")


def refusing(script: Script) -> None:
    script.statuses = [401]


def failing(script: Script) -> None:
    script.statuses = [500] * 3


def dropping(script: Script) -> None:
    script.dropped = 3


def hanging(script: Script) -> None:
    script.hang()


class Landed:
    """A service that lands each key once, as the contract wants."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._ids: dict[str, str] = {}

    def __call__(self, given: Mapping[str, Any]) -> dict[str, Any]:
        key = given["idempotency_key"]
        if key not in self._ids:
            self._ids[key] = f"m{len(self._ids)}"
            self.texts.append(given["content"])
        return {"status": "stored", "id": self._ids[key]}


@pytest.mark.parametrize("trouble", [refusing, failing, dropping, hanging])
def test_fifty_writes_land_once_and_in_order(
    tmp_path: Path, trouble: Callable[[Script], None]
) -> None:
    script, landed = Script(), Landed()
    script.parameters["remember"] = ("content", "idempotency_key")
    script.tools["remember"] = landed
    database = open_database(tmp_path / "memorycore.db")
    clock = SystemClock()
    texts = [f"text {number}" for number in range(WRITES)]
    with scripted(script) as url:
        endpoint = Endpoint(url, timeout=4, first_pause=60)
        wire = McpWire(endpoint, monotonic=time.monotonic, jitter=lambda: 0.0)
        cold = _outboxed(wire, database, clock)
        outcomes = [cold.remember(Draft(text, BECAUSE)).outcome for text in texts[:10]]
        trouble(script)
        outcomes += [cold.remember(Draft(text, BECAUSE)).outcome for text in texts[10:]]
        assert set(outcomes[:10]) == {Outcome.STORED}
        assert set(outcomes[10:]) == {Outcome.QUEUED}
        assert database.outbox.count() == WRITES - 10
        script.answer_again()
        script.statuses, script.dropped = [], 0
        wire.close()
        later = McpWire(endpoint, monotonic=time.monotonic, jitter=lambda: 0.0)
        assert _outboxed(later, database, clock).replay() == WRITES - 10
        later.close()
    database.close()
    assert landed.texts == texts


def _outboxed(wire: McpWire, database: Any, clock: SystemClock) -> OutboxedCold:
    return OutboxedCold(
        RemoteCold(wire, monotonic=clock.monotonic),
        database.outbox,
        leases=database.leases,
        owner="tester",
        clock=clock,
        ids=RandomIds(),
    )
