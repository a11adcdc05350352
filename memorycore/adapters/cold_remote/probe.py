"""Plain HTTP requests for checks below MCP: who is let in, what is refused."""

import http.client
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

PATIENCE = 5.0
"""Seconds to wait for an answer."""

FORM = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}
"""Headers that every MCP request carries."""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "memorycore-contract", "version": "1"},
    },
}
"""The first message of a session."""


def probe_http(url: str, headers: Mapping[str, str], *, padding: int = 0) -> int | None:
    """Send the first message of a session and return the HTTP status; None when nothing came back.

    Args:
        url: The MCP endpoint.
        headers: Added to those every request has; `host` replaces the usual one.
        padding: Bytes that the body is made longer by.
    """
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=PATIENCE)
    message = INITIALIZE | ({"padding": "x" * padding} if padding else {})
    body = json.dumps(message).encode("utf-8")
    try:
        connection.putrequest("POST", parts.path or "/", skip_host="host" in headers)
        for name, value in {**FORM, "content-length": str(len(body)), **headers}.items():
            connection.putheader(name, value)
        connection.endheaders()
        _send(connection, body)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _send(connection: http.client.HTTPConnection, body: bytes) -> None:
    """Send the body; a server that refuses early closes while it is sent, and its answer can still be read."""
    try:
        connection.send(body)
    except (BrokenPipeError, ConnectionResetError):
        return
