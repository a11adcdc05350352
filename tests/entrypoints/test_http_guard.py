"""Who may speak to the HTTP server."""

import asyncio
from typing import Any

import pytest

from memorycore.entrypoints.http_guard import (
    Access,
    Guard,
    Message,
    Receive,
    Scope,
    Send,
    is_loopback,
    names_of,
)

JSON = {"content-type": "application/json"}
OPEN = Access(names_of("127.0.0.1", ()))
TEAM = Access(names_of("0.0.0.0", ("mem.internal:8080",)), token="s3cret-for-tests", body_limit=100)


class _Answer:
    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message["body"]


async def _echo(_: Scope, receive: Receive, send: Send) -> None:
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def ask(
    access: Access,
    headers: dict[str, str],
    *,
    method: str = "POST",
    path: str = "/mcp",
    chunks: tuple[bytes, ...] = (b"{}",),
) -> _Answer:
    waiting = [
        {"type": "http.request", "body": chunk, "more_body": place < len(chunks) - 1}
        for place, chunk in enumerate(chunks)
    ]

    async def receive() -> Message:
        return waiting.pop(0)

    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    answer = _Answer()
    asyncio.run(Guard(_echo, access)(scope, receive, answer.send))
    assert not any(name.startswith("access-control") for name in answer.headers)
    return answer


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "LOCALHOST:1", "[::1]:8765"])
def test_loopback_names_are_answered_on_any_port(host: str) -> None:
    assert ask(OPEN, {"host": host} | JSON).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:80"]
)
def test_a_foreign_host_is_refused_and_the_setting_is_named(host: str) -> None:
    answer = ask(OPEN, {"host": host} | JSON)
    assert answer.status == 421
    assert b"http_allowed_hosts" in answer.body


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://[broken", "file://", "chrome-extension://x"]
)
def test_a_foreign_origin_is_refused_and_the_setting_is_named(origin: str) -> None:
    answer = ask(OPEN, {"host": "localhost", "origin": origin} | JSON)
    assert answer.status == 403
    assert b"http_allowed_hosts" in answer.body


def test_a_page_on_loopback_may_ask() -> None:
    assert ask(OPEN, {"host": "localhost", "origin": "http://localhost:3000"} | JSON).status == 200


def test_a_preflight_gets_no_permission() -> None:
    headers = {"host": "localhost", "access-control-request-method": "POST"}
    assert ask(OPEN, headers, method="OPTIONS").status == 405


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_form_a_web_page_could_send_unasked_is_refused(kind: str) -> None:
    assert ask(OPEN, {"host": "localhost", "content-type": kind}).status == 415


def test_a_proxy_host_passes_when_it_is_allowed() -> None:
    headers = {"host": "mem.internal:8080", "authorization": "Bearer s3cret-for-tests"} | JSON
    assert ask(TEAM, headers).status == 200


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "Bearer",
        "Bearer wrong",
        "Basic s3cret-for-tests",
        "Bearer s3cret-for-test",
        "Bearer ключ",
    ],
)
def test_a_wrong_token_is_refused(sent: str) -> None:
    answer = ask(TEAM, {"host": "localhost", "authorization": sent} | JSON)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert b"s3cret" not in answer.body


def test_health_needs_no_token_but_a_known_host() -> None:
    assert ask(TEAM, {"host": "localhost"}, method="GET", path="/health").status == 200
    assert ask(TEAM, {"host": "evil.example"}, method="GET", path="/health").status == 421


@pytest.mark.parametrize("announced", ["101", "-1", "99999999999999999999", "x"])
def test_an_announced_body_beyond_the_limit_is_refused(announced: str) -> None:
    headers = {"host": "localhost", "authorization": "Bearer s3cret-for-tests"} | JSON
    assert ask(TEAM, headers | {"content-length": announced}).status == 413


def test_a_body_that_grows_beyond_the_limit_unannounced_is_refused() -> None:
    headers = {"host": "localhost", "authorization": "bearer s3cret-for-tests"} | JSON
    assert ask(TEAM, headers, chunks=(b"x" * 60, b"x" * 60)).status == 413


def test_a_body_within_the_limit_arrives_whole() -> None:
    headers = {"host": "localhost", "authorization": "bearer s3cret-for-tests"} | JSON
    assert ask(TEAM, headers, chunks=(b'["', b"a" * 40, b'"]')).body == b'["' + b"a" * 40 + b'"]'


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'"\\udcaf"', b"[" * 100_000])
def test_a_body_that_is_no_json_text_is_refused(body: bytes) -> None:
    assert ask(OPEN, {"host": "localhost"} | JSON, chunks=(body,)).status == 400


def test_binding_every_address_allows_no_name_by_itself() -> None:
    assert names_of("0.0.0.0", ()) == names_of("127.0.0.1", ())
    assert "192.168.1.5" in names_of("192.168.1.5", ())


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"])
def test_loopback_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", ""])
def test_what_others_can_reach_is_no_loopback(host: str) -> None:
    assert not is_loopback(host)
