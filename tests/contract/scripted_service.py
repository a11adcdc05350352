"""A service on loopback whose every answer a test decides, down to the bytes."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

PLAIN: Mapping[str, tuple[str, ...]] = {
    "remember": ("content",),
    "recall": ("query", "top_k"),
    "update": ("id", "content"),
    "forget": ("id",),
    "stats": (),
}
Tool = Callable[[Mapping[str, Any]], Any]


class Script:
    """What the service does; a test changes it while the service runs.

    `tools` carry calls out. `statuses` are HTTP answers given instead, first one first. `hang` makes calls wait until
    it is cleared; so many `refused_notices` get HTTP 429; `drip` sends answers a byte at a time; `dropped` answers
    are thrown away after the work was done.
    """

    def __init__(self, *, sessions: bool = False) -> None:
        self.tools: dict[str, Tool] = {"stats": lambda _: {"live": 0}}
        self.parameters = dict(PLAIN)
        self.types: dict[str, str] = {}
        self.as_text = False
        self.statuses: list[int | tuple[int, dict[str, str]]] = []
        self.refused_notices = 0
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.opened = 0
        self.headers: list[Mapping[str, str]] = []
        self.hanging = threading.Event()
        self.hanging.set()
        self.drip = False
        self.dropped = 0
        self.sessions = sessions
        self.session: str | None = None
        self.raw: bytes | None = None

    def hang(self) -> None:
        """Give no answer until `answer_again`."""
        self.hanging.clear()

    def answer_again(self) -> None:
        """Answer what waits and what comes."""
        self.hanging.set()

    def forget_sessions(self) -> None:
        """Behave like a service that was restarted."""
        self.session = None

    def made(self, tool: str) -> list[Mapping[str, Any]]:
        """Return the arguments of the calls of one tool."""
        return [arguments for name, arguments in self.calls if name == tool]

    def result(self, message: Mapping[str, Any]) -> Any:
        """Return the result of a JSON-RPC request."""
        params = message.get("params") or {}
        match message["method"]:
            case "initialize":
                self.opened += 1
                return {
                    "protocolVersion": params["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "scripted", "version": "1"},
                }
            case "tools/list":
                return {"tools": [self._listing(name) for name in self.parameters]}
            case _:
                return self._called(params["name"], params.get("arguments") or {})

    def _listing(self, name: str) -> dict[str, Any]:
        named = {one: {"type": self.types.get(one, "string")} for one in self.parameters[name]}
        return {"name": name, "inputSchema": {"type": "object", "properties": named}}

    def _called(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append((name, arguments))
        value = self.tools[name](arguments)
        failed = isinstance(value, dict) and "error" in value
        text = value if isinstance(value, str) else json.dumps(value)
        blocks = [{"type": "text", "text": text}]
        if self.as_text or not isinstance(value, dict):
            return {"content": blocks, "isError": failed}
        return {"content": blocks, "structuredContent": value, "isError": failed}


@contextmanager
def scripted(script: Script, port: int = 0) -> Iterator[str]:
    """Serve a script for the length of the block; yields its URL."""

    class Handler(_Handler):
        pass

    Handler.script = script
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp"
        finally:
            script.answer_again()
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    script: Script

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        message = json.loads(body)
        script = self.script
        script.headers.append(dict(self.headers))
        if message.get("method") == "tools/call":
            script.hanging.wait(20)
            if script.statuses:
                answer = script.statuses.pop(0)
                status, more = answer if isinstance(answer, tuple) else (answer, {})
                return self._send(status, b"", more)
        if self._lost(message):
            return self._send(404, b"", {})
        if "id" not in message:
            return self._send(self._noticed(), b"", {})
        if script.raw is not None and message["method"] == "tools/call":
            return self._send(200, script.raw, {})
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": script.result(message)}
        if script.dropped and message["method"] == "tools/call":
            script.dropped -= 1
            self.close_connection = True
            return None
        more = {"mcp-session-id": script.session} if script.session else {}
        return self._send(200, json.dumps(reply).encode(), more)

    def do_GET(self) -> None:
        self._send(405, b"", {})

    def do_DELETE(self) -> None:
        self._send(200, b"", {})

    def _noticed(self) -> int:
        script = self.script
        if not script.refused_notices:
            return 202
        script.refused_notices -= 1
        return 429

    def _lost(self, message: Mapping[str, Any]) -> bool:
        script = self.script
        if not script.sessions:
            return False
        if message.get("method") == "initialize":
            script.session = f"session-{script.opened}"
            return False
        return self.headers.get("mcp-session-id") != script.session

    def _send(self, status: int, body: bytes, more: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in more.items():
            self.send_header(name, value)
        try:
            self.end_headers()
            if not self.script.drip:
                self.wfile.write(body)
                return
            for number in range(len(body)):
                self.wfile.write(body[number : number + 1])
                time.sleep(0.02)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    @override
    def log_message(self, format: str, *args: Any) -> None:
        return
