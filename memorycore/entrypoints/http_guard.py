"""Who may speak to an HTTP server on this machine: checks of Host, Origin, token, form and size of a request.

A server on loopback is reachable from every web page the user opens (DNS rebinding, cross-site requests), so that
being on loopback alone protects nothing. No response carries a CORS header.
"""

import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_LIMIT = 4_000_000
"""Bytes of a request; twenty times the longest fact there may be, escaped."""

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Tell whether an address to bind is reachable from this machine only."""
    if host.casefold() in LOOPBACK_NAMES:
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Access:
    """The rules: names the server answers to, and the token (None: none is asked for)."""

    names: frozenset[str]
    token: str | None = None
    body_limit: int = BODY_LIMIT

    def refusal(self, scope: Scope) -> "Refusal | None":
        """Return why a request is refused, None when it may pass."""
        headers = _headers(scope)
        checks: list[Check] = [self._host, self._origin]
        if scope["path"] != "/health":
            checks += [self._form, self._size, self._token]
        for check in checks:
            refusal = check(scope, headers)
            if refusal is not None:
                return refusal
        return None

    def _host(self, _scope: Scope, headers: dict[str, str]) -> "Refusal | None":
        if _name(headers.get("host", "")) in self.names:
            return None
        text = (
            f"This server does not answer to the host {headers.get('host', '')!r}. "
            "Add the name to http_allowed_hosts (MEMORYCORE_HTTP_ALLOWED_HOSTS) if it is yours."
        )
        return Refusal(421, text)

    def _origin(self, _scope: Scope, headers: dict[str, str]) -> "Refusal | None":
        origin = headers.get("origin")
        if origin is None or _origin_name(origin) in self.names:
            return None
        text = (
            f"Requests from the origin {origin!r} are refused. "
            "Add its host to http_allowed_hosts (MEMORYCORE_HTTP_ALLOWED_HOSTS) if it is yours."
        )
        return Refusal(403, text)

    def _form(self, scope: Scope, headers: dict[str, str]) -> "Refusal | None":
        if scope["method"] in {"GET", "DELETE"}:
            return None
        if scope["method"] != "POST":
            return Refusal(405, "This server takes GET, POST and DELETE.")
        kind = headers.get("content-type", "").split(";")[0].strip().casefold()
        if kind == "application/json":
            return None
        return Refusal(415, "The body must be sent as application/json.")

    def _size(self, _scope: Scope, headers: dict[str, str]) -> "Refusal | None":
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) <= self.body_limit:
            return None
        return Refusal(413, f"The body is limited to {self.body_limit} bytes.")

    def _token(self, _scope: Scope, headers: dict[str, str]) -> "Refusal | None":
        if self.token is None:
            return None
        scheme, _blank, sent = headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(sent.strip().encode(), self.token.encode())
        if scheme.casefold() == "bearer" and same:
            return None
        text = "A bearer token is required: the one set as http_token (MEMORYCORE_HTTP_TOKEN)."
        return Refusal(401, text)


Check = Callable[[Scope, dict[str, str]], "Refusal | None"]
"""Looks at one thing about a request."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP status and the sentence that goes with it."""

    status: int
    text: str
    headers: tuple[tuple[bytes, bytes], ...] = ()

    async def send(self, send: Send) -> None:
        """Answer with this refusal."""
        body = json.dumps({"error": self.text}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            *self.headers,
        ]
        if self.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Guard:
    """Lets requests through to `app` that keep to the rules."""

    def __init__(self, app: App, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._access.refusal(scope)
        if refusal is None:
            refusal, receive = await self._body(receive, is_json=scope["method"] == "POST")
        if refusal is not None:
            await refusal.send(send)
            return
        await self._app(scope, receive, send)

    async def _body(self, receive: Receive, *, is_json: bool) -> tuple[Refusal | None, Receive]:
        """Read the body, whatever length it announced, up to the limit; return it to be read again."""
        chunks, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                break
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            more = message.get("more_body", False)
            if size > self._access.body_limit:
                text = f"The body is limited to {self._access.body_limit} bytes."
                return Refusal(413, text), receive
        body = b"".join(chunks)
        if is_json and not _is_text(body):
            return Refusal(400, "The body must be JSON in UTF-8, without lone surrogates."), receive
        return None, _replay(body, receive)


def _is_text(body: bytes) -> bool:
    """Tell whether `body` is JSON whose strings are Unicode text."""
    try:
        json.dumps(json.loads(body.decode("utf-8")), ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return True


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def names_of(host: str, allowed: Iterable[str]) -> frozenset[str]:
    """Return the host names a server bound to `host` answers to: its own, loopback's, and those allowed."""
    own = {_name(host)} if host not in {"0.0.0.0", "::", ""} else set()
    return LOOPBACK_NAMES | own | {_name(name) for name in allowed}


def _headers(scope: Scope) -> dict[str, str]:
    pairs = scope["headers"]
    return {name.decode("latin-1").casefold(): value.decode("latin-1") for name, value in pairs}


def _name(host: str) -> str:
    """Return a Host header without its port, as it compares: `[::1]:80` is `::1`."""
    host = host.strip().casefold().rstrip(".")
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


def _origin_name(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in {"http", "https"} else None
