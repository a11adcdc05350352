"""The cold server as a process: who is let in, what survives, and how it ends."""

import http.client
import json
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cold_services import ANNA, AUTHORS, BEN, Service, cold_server, running_cold_server

from memorycore.bootstrap.cold_service import open_cold_service
from memorycore.bootstrap.contract import wire_to
from memorycore.entrypoints.cold_server.authors import Authors, Rate, authors_of
from memorycore.entrypoints.cold_server.serving import Address
from memorycore.entrypoints.cold_server.tools import ContractTools
from memorycore.errors import ConfigurationError
from memorycore.settings import EmbedderKind, Settings
from memorycore.testing import FakeClock, StoreWire

FORM = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "authorization": f"Bearer {ANNA}",
}
STATS = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "stats", "arguments": {}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_cold_server(tmp_path_factory.mktemp("cold"), *AUTHORS, "--rate", "500") as service:
        yield service


def ask(
    service: Service,
    headers: Mapping[str, str | None] | None = None,
    *,
    method: str = "POST",
    path: str = "/mcp",
    body: bytes | None = None,
) -> tuple[int, Mapping[str, str], str]:
    parts = urlsplit(service.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    given = {**FORM, **(headers or {})}
    sent = {name: value for name, value in given.items() if value is not None}
    connection.request(method, path, json.dumps(STATS).encode() if body is None else body, sent)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.getheaders()), text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"authorization": None}, 401),
        ({"authorization": f"Bearer {ANNA[:-1]}"}, 401),
        ({"authorization": f"Basic {ANNA}"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": f"bearer {BEN}"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example"}, 421),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_only_those_who_may_are_let_in(
    server: Service, headers: dict[str, str | None], status: int
) -> None:
    got, answered, text = ask(server, headers)
    assert got == status, text
    assert not any(name.lower().startswith("access-control") for name in answered)
    assert ANNA not in text


def test_health_needs_no_token_and_shows_no_data(server: Service) -> None:
    status, _, text = ask(server, {"authorization": None}, method="GET", path="/health")
    assert status == 200
    assert json.loads(text) == {"status": "ok"}


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server: Service) -> None:
    status, _, _ = ask(server, {"content-length": "999999999"}, body=b"{}")
    assert status == 413


def test_broken_messages_get_client_errors_without_traces(server: Service) -> None:
    for body in (b"", b"{", b"[]", b"\xff", b'{"a": "\\udcaf"}', b"[" * 50_000):
        status, _, text = ask(server, body=body)
        assert 400 <= status < 500
        assert "Traceback" not in text
    assert ask(server)[0] == 200


def test_sixteen_clients_that_write_and_recall_at_once_lose_nothing(server: Service) -> None:
    def client(number: int) -> list[str]:
        token = ANNA if number % 2 else BEN
        wire = wire_to(server.url, token)
        lost = []
        for turn in range(4):
            name = f"Tarn{number:02d}x{turn}q"
            text = f"Survey {name}: {2000 + 37 * number + turn} metres above the sea, {turn} marks."
            kept = wire.call("remember", {"content": text}).fields
            hits = wire.call("recall", {"query": f"survey {name}"}).fields["hits"]
            if not any(name in hit["content"] for hit in hits):
                lost.append(f"{text}: {kept}")
        wire.close()
        return lost

    with ThreadPoolExecutor(16) as pool:
        assert [one for lost in pool.map(client, range(16)) for one in lost] == []


def test_a_stopped_server_finishes_and_ends_in_order(tmp_path: Path) -> None:
    service = cold_server(tmp_path, *AUTHORS)
    service.start()
    wire = wire_to(service.url, ANNA)
    wire.call("remember", {"content": "The last train stops at the mill."})
    begun = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - begun < 30
    assert not list((tmp_path / "served").glob("*-wal"))
    wire.close()


def test_shared_authors_read_each_other_and_the_history_tells_who(tmp_path: Path) -> None:
    settings = Settings(memory_dir=tmp_path, data_dir=tmp_path, embedder=EmbedderKind.NONE)
    service = open_cold_service(settings, shared=True)
    tools = ContractTools(service.served)
    anna, ben = (StoreWire(tools, author=name) for name in ("anna", "ben"))
    kept = anna.call("remember", {"content": "The boiler key hangs in the pantry."}).fields
    found = ben.call("recall", {"query": "boiler key"}).fields["hits"]
    assert [hit["id"] for hit in found] == [kept["id"]]
    events = ben.call("history", {"id": kept["id"]}).fields["events"]
    assert events[0]["provenance"]["actor"] == "anna"
    service.close()


def test_a_secret_is_refused_before_it_is_kept(tmp_path: Path) -> None:
    settings = Settings(memory_dir=tmp_path, data_dir=tmp_path, embedder=EmbedderKind.NONE)
    service = open_cold_service(settings)
    secret = "ghp_" + "a1B2c3D4" * 4 + "Zz90"
    for tool, given in (("remember", {}), ("update", {"id": "x"})):
        wire = StoreWire(ContractTools(service.served))
        answer = wire.call(tool, {"content": f"The token is {secret}.", **given})
        assert answer.fields["error"]["code"] == "invalid_input"
        assert secret not in answer.text
    service.close()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert secret.encode() not in stored


def test_an_address_others_can_reach_needs_tokens() -> None:
    with pytest.raises(ConfigurationError, match="--token"):
        Address("0.0.0.0", 0).check(Authors())
    Address("127.0.0.1", 0).check(Authors())
    Address("0.0.0.0", 0).check(authors_of([f"anna={ANNA}"], None))


@pytest.mark.parametrize("pair", ["anna", "anna=", f"={ANNA}", "anna=short"])
def test_a_token_that_protects_nothing_is_refused(pair: str) -> None:
    with pytest.raises(ConfigurationError):
        authors_of([pair], None)


def test_two_authors_cannot_have_one_token() -> None:
    with pytest.raises(ConfigurationError, match="same token"):
        authors_of([f"anna={ANNA}", f"ben={ANNA}"], None)


def test_tokens_come_from_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(f'[authors]\nanna = "{ANNA}"\n', encoding="utf-8")
    file.chmod(0o644)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        authors_of([], file)
    file.chmod(0o600)
    authors = authors_of([f"ben={BEN}"], file)
    assert authors.author_of(f"Bearer {ANNA}") == "anna"
    assert authors.author_of(f"Bearer {BEN}") == "ben"
    assert authors.author_of("Bearer nobody's token at all") is None


@pytest.mark.parametrize("text", ["", "[authors]\n", "[authors]\nanna = 5\n", "not toml ["])
def test_a_token_file_that_names_nobody_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(ConfigurationError, match=r"tokens\.toml"):
        authors_of([], file)


def test_a_rate_lets_a_burst_through_and_then_so_many_a_second_for_each() -> None:
    clock = FakeClock()
    rate = Rate(per_second=2, burst=3, monotonic=clock.monotonic)
    assert [rate.wait_of("anna") for _ in range(4)] == [None, None, None, 1]
    assert rate.wait_of("ben") is None
    clock.advance(seconds=1)
    waits: list[Any] = [rate.wait_of("anna") for _ in range(3)]
    assert waits == [None, None, 1]


def test_a_client_that_asks_too_often_is_told_when_to_come_back_and_loses_nothing(
    tmp_path: Path,
) -> None:
    with running_cold_server(tmp_path, *AUTHORS, "--rate", "4") as service:
        answers = [ask(service) for _ in range(24)]
        refused = [headers for status, headers, _ in answers if status == 429]
        assert refused
        assert all(int(headers["retry-after"]) >= 1 for headers in refused)
        wire = wire_to(service.url, ANNA)
        kept = wire.call("remember", {"content": "The ladder is behind the shed."})
        assert kept.fields["status"] == "stored"
        wire.close()
