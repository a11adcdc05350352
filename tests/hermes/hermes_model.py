"""A language model by script: an OpenAI-compatible chat server on loopback that says what a test tells it."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

REVIEW = "Review the conversation above"
"""How the host opens a background review."""

MODEL = "scripted"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call the model shall make."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(slots=True)
class Script:
    """What the model does in the next turns, and what it was sent."""

    calls: list[Call] = field(default_factory=list)
    review: list[Call] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)

    def next_step(self, messages: list[dict[str, Any]]) -> Call | str:
        """Return the next call of the turn, or the closing words."""
        last = max(n for n, message in enumerate(messages) if message["role"] == "user")
        results = sum(message["role"] == "tool" for message in messages[last + 1 :])
        words = text_of(messages[last])
        calls = self.review if words.startswith(REVIEW) else self.calls
        return calls[results] if results < len(calls) else f"done after {results} calls"


class ScriptedModel:
    """The server; use it as a context manager."""

    def __init__(self) -> None:
        self.script = Script()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.script))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The address to configure the host with."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "ScriptedModel":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a chat message."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"data": [{"id": MODEL, "object": "model", "context_length": 200_000}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.requests.append(body)
            message = _message(script.next_step(body["messages"]), len(script.requests))
            reason = "tool_calls" if "tool_calls" in message else "stop"
            if body.get("stream"):
                self._stream(message, reason)
            else:
                self._send(_envelope("chat.completion", message, reason, key="message"))

        def _send(self, document: Mapping[str, Any]) -> None:
            raw = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _stream(self, message: dict[str, Any], reason: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            kind = "chat.completion.chunk"
            for delta, end in ((message, None), ({}, reason)):
                event = json.dumps(_envelope(kind, delta, end, key="delta"))
                self.wfile.write(f"data: {event}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        @override
        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    return Handler


def _message(step: Call | str, number: int) -> dict[str, Any]:
    if isinstance(step, str):
        return {"role": "assistant", "content": step}
    function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def _envelope(kind: str, part: object, reason: str | None, *, key: str) -> dict[str, Any]:
    return {
        "id": "scripted",
        "object": kind,
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, key: part, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
