"""The wire of a stdio server: JSON-RPC lines on what were standard input and output, and nothing else.

The original descriptors are moved away first. From then on descriptor 1 leads to standard error, so that no
print, banner or native library can write into the protocol, and descriptor 0 is empty.
"""

import json
import os
import re
import sys
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

import anyio
import anyio.to_thread

from memorycore.errors import ConfigurationError

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

HEAD = 200
"""Characters of an outgoing message by which a notification is told from an answer."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
BAD_TEXT = (
    "The message holds bytes or escapes that are no Unicode text (a lone surrogate or invalid UTF-8); "
    "nothing was done. Send the text as valid UTF-8."
)


def claim_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Move standard input and output away for the protocol and return them; call once, before anything prints.

    Raises:
        ConfigurationError: One of them is closed.
    """
    if not (_is_open(0) and _is_open(1)):
        message = "standard input or output is closed; an MCP client starts this server with both"
        raise ConfigurationError(message)
    incoming = os.fdopen(os.dup(0), "rb", closefd=False)
    outgoing = os.fdopen(os.dup(1), "wb", buffering=0, closefd=False)
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    os.dup2(2 if _is_open(2) else empty, 1)
    os.close(empty)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    return incoming, outgoing


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


class Outgoing:
    """Writes whole lines; the SDK sees it as an asynchronous text file.

    A client that no longer reads ends the writing, not the server: the end of input does that.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = anyio.Lock()
        self._answered = 0
        self._news = anyio.Event()

    async def wait_for(self, answers: int) -> None:
        """Wait until so many requests have been answered since the start."""
        while self._answered < answers:
            await self._news.wait()

    async def write(self, text: str) -> int:
        """Write `text`, one or more whole lines."""
        data = text.encode("utf-8", "replace")
        async with self._lock:
            await anyio.to_thread.run_sync(self._write, data, abandon_on_cancel=True)
        if '"method":' not in text[:HEAD]:
            self._answered += 1
            self._news.set()
            self._news = anyio.Event()
        return len(text)

    async def flush(self) -> None:
        """Do nothing: every line was written out."""

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self._stream.write(view) or 0 :]
        except (BrokenPipeError, ConnectionResetError):
            return


class Incoming:
    """Reads lines; the SDK sees it as an asynchronous text file.

    What the SDK would drop without an answer (text that is no Unicode, broken JSON, no request at all) is
    answered here, so that no client waits for ever. When input ends, requests under way get `grace` seconds to be
    answered: whoever pipes a few requests in wants to read the answers.
    """

    def __init__(self, stream: BinaryIO, outgoing: Outgoing, *, grace: float) -> None:
        self._stream = stream
        self._outgoing = outgoing
        self._grace = grace
        self._asked = 0
        self.begun = anyio.Event()
        self.ended = anyio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await anyio.to_thread.run_sync(self._stream.readline, abandon_on_cancel=True):
            self.begun.set()
            if not line.strip():
                continue
            text, answer = screen_line(line)
            if answer is not None:
                self._asked += 1
                await self._outgoing.write(json.dumps(answer) + "\n")
            if text is not None:
                self._asked += _is_request(text)
                yield text
        self.ended.set()
        with anyio.move_on_after(self._grace):
            await self._outgoing.wait_for(self._asked)


def _is_request(text: str) -> bool:
    message = json.loads(text)
    return "id" in message and "method" in message


def screen_line(line: bytes) -> tuple[str | None, dict[str, Any] | None]:
    """Return the line for the SDK, or None and the answer to give instead (None: no answer is due)."""
    text = line.decode("utf-8", "replace")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None, _failure(None, PARSE_ERROR, "The line is no valid JSON.")
    if not isinstance(message, dict) or not message.keys() & {"method", "result", "error"}:
        number = message.get("id") if isinstance(message, dict) else None
        return None, _failure(number, INVALID_REQUEST, "The line is no JSON-RPC 2.0 message.")
    if not _is_bad_text(line, message):
        return text, None
    if "id" not in message or "method" not in message:
        return None, None
    if message["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": BAD_TEXT}], "isError": True}
        return None, {"jsonrpc": "2.0", "id": message["id"], "result": result}
    return None, _failure(message["id"], INVALID_PARAMS, BAD_TEXT)


def _is_bad_text(line: bytes, message: dict[str, Any]) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return True
    if not _ESCAPED_SURROGATE.search(line):
        return False
    return _LONE_SURROGATE.search(json.dumps(message, ensure_ascii=False)) is not None


def _failure(number: object, code: int, text: str) -> dict[str, Any]:
    known = number if isinstance(number, int | str) and not isinstance(number, bool) else None
    return {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": text}}
