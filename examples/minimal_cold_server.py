"""A whole cold-store service in one page: SQLite with full text behind the five tools of the contract.

    python examples/minimal_cold_server.py notes.db --port 8767
    memorycore contract check http://127.0.0.1:8767/mcp

It has one author, so it only listens on this machine. Read cold-store-contract.md beside it.
"""

import argparse
import contextlib
import hashlib
import json
import math
import re
import secrets
import sqlite3
import sys
import threading
import unicodedata
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VERSION = "1.0"
LONGEST = 200_000
BODY_LIMIT = 4_000_000
LOCAL = {"127.0.0.1", "localhost", "[::1]"}
ENOUGH = 0.5
"""The share of a query's words, weighed by how rare they are, that a memory must have."""

TEXT = {"type": "string"}
TOOLS: dict[str, dict[str, Any]] = {
    "remember": {"content": TEXT, "importance": {"type": "number"}},
    "recall": {"query": TEXT, "top_k": {"type": "integer"}},
    "update": {"id": TEXT, "content": TEXT},
    "forget": {"id": TEXT},
    "stats": {},
    "get": {"ids": {"type": "array", "items": TEXT}},
}


class RefusedError(Exception):
    """A call that cannot be carried out: `code` is one of the contract's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def words(text: str) -> list[str]:
    """Return the words of a text, and for scripts without blanks its pairs of letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    found = []
    for run in re.findall(r"[^\W_]+", folded):
        if re.search(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", run):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        else:
            found.append(run)
    return found


class Store:
    """The five verbs on one table."""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS memories (id TEXT PRIMARY KEY, content TEXT NOT NULL, "
            "digest TEXT NOT NULL UNIQUE, importance REAL NOT NULL)"
        )

    def remember(self, content: Any = None, importance: Any = 0.5) -> dict[str, Any]:
        """Keep a text; when this returns it is on disk."""
        text = checked(content)
        with self._writing() as db:
            known = db.execute("SELECT id FROM memories WHERE digest = ?", (digest(text),))
            row = known.fetchone()
            if row:
                return {"status": "duplicate", "id": row[0], "content": text}
            new = secrets.token_hex(16)
            values = (new, text, digest(text), min(1.0, max(0.0, float(importance))))
            db.execute("INSERT INTO memories VALUES (?, ?, ?, ?)", values)
        return {"status": "stored", "id": new, "content": text}

    def recall(self, query: Any = None, top_k: Any = 5) -> dict[str, Any]:
        """Return what shares enough of the query's rarer words."""
        if not isinstance(query, str):
            raise RefusedError("invalid_input", "query must be text")
        if not isinstance(top_k, int) or not 1 <= top_k <= 100:
            raise RefusedError("invalid_input", "top_k must be a whole number from 1 to 100")
        with self._lock:
            rows = self._db.execute("SELECT id, content, importance FROM memories").fetchall()
        held = [(row, set(words(row[1]))) for row in rows]
        asked = set(words(query))
        counts = {word: sum(word in has for _, has in held) for word in asked}
        weights = {word: math.log(1 + (1 + len(held)) / (1 + counts[word])) for word in asked}
        total = sum(weights.values()) or 1.0
        hits = []
        for (memory_id, content, importance), has in held:
            score = sum(weights[word] for word in asked & has) / total
            if score >= ENOUGH:
                hit = {"id": memory_id, "content": content, "importance": importance}
                hits.append({**hit, "score": round(min(1.0, score), 4)})
        hits.sort(key=lambda hit: (-hit["score"], hit["id"]))
        return {"hits": hits[:top_k], "abstained": not hits, "degraded": None}

    def update(self, id: Any = None, content: Any = None) -> dict[str, Any]:  # noqa: A002
        """Replace a text under its id."""
        text = checked(content)
        with self._writing() as db:
            values = (text, digest(text), str(id))
            statement = "UPDATE memories SET content = ?, digest = ? WHERE id = ?"
            if db.execute(statement, values).rowcount == 0:
                raise RefusedError("unknown_memory", "there is no memory of that id")
        return {"status": "updated", "id": str(id), "content": text}

    def forget(self, id: Any = None) -> dict[str, Any]:  # noqa: A002
        """Drop one memory."""
        if id is None:
            raise RefusedError("invalid_input", "id is required")
        with self._writing() as db:
            gone = db.execute("DELETE FROM memories WHERE id = ?", (str(id),)).rowcount
        return {"forgotten": gone == 1, "id": str(id)}

    def stats(self) -> dict[str, Any]:
        """Return the count, and what is offered beyond the five tools."""
        with self._lock:
            live = self._db.execute("SELECT count(*) FROM memories").fetchone()[0]
        offered = {"contract_version": VERSION, "capabilities": ["get"]}
        return {**offered, "backend": "minimal", "live": live, "degraded": "no embedder"}

    def get(self, ids: Any = None) -> dict[str, Any]:
        """Return the memories under some ids."""
        if not isinstance(ids, list) or len(ids) > 100:
            raise RefusedError("invalid_input", "ids must be a list of up to 100 ids")
        marks = ",".join("?" * len(ids))
        with self._lock:
            rows = self._db.execute(
                f"SELECT id, content FROM memories WHERE id IN ({marks})",  # noqa: S608
                [str(one) for one in ids],
            ).fetchall()
        return {"memories": [{"id": row[0], "content": row[1]} for row in rows]}

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db


def checked(content: Any) -> str:
    """Return a text that can be kept."""
    if not isinstance(content, str) or not content.strip():
        raise RefusedError("invalid_input", "content must be text and not blank")
    if len(content) > LONGEST:
        raise RefusedError(
            "invalid_input", f"content is longer than {LONGEST} characters; split it"
        )
    return content


def digest(text: str) -> str:
    """Return the identity of a text."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()


def carried_out(store: Store, name: Any, arguments: Any) -> dict[str, Any]:
    """Call the verb of that name with the arguments it knows."""
    if name not in TOOLS or not isinstance(arguments, dict):
        raise RefusedError("invalid_input", f"there is no tool {name!r}")
    known = {key: value for key, value in arguments.items() if key in TOOLS[name]}
    value: dict[str, Any] = getattr(store, name)(**known)
    return value


def called(store: Store, name: Any, arguments: Any) -> dict[str, Any]:
    """Carry out a tool call and return its result."""
    try:
        value, failed = carried_out(store, name, arguments), False
    except RefusedError as refused:
        error = {"code": refused.code, "message": str(refused), "retryable": False}
        value, failed = {"error": error}, True
    except (sqlite3.Error, ValueError, TypeError) as fault:
        code = "unavailable" if isinstance(fault, sqlite3.OperationalError) else "invalid_input"
        error = {"code": code, "message": "it cannot be done", "retryable": code == "unavailable"}
        value, failed = {"error": error}, True
    content = [{"type": "text", "text": json.dumps(value, ensure_ascii=False)}]
    return {"content": content, "structuredContent": value, "isError": failed}


def answered(store: Store, message: dict[str, Any]) -> dict[str, Any] | None:
    """Answer a JSON-RPC message; None for a notification."""
    params = message.get("params") or {}
    match message.get("method"):
        case "initialize":
            return {
                "protocolVersion": params.get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "minimal-cold-server", "version": VERSION},
            }
        case "tools/list":
            schemas = {
                name: {"type": "object", "properties": properties}
                for name, properties in TOOLS.items()
            }
            return {"tools": [{"name": name, "inputSchema": schemas[name]} for name in schemas]}
        case "tools/call":
            return called(store, params.get("name"), params.get("arguments") or {})
        case _:
            return None


class Handler(BaseHTTPRequestHandler):
    """MCP over HTTP without sessions: one POST, one JSON answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    store: Store

    def do_POST(self) -> None:
        """Answer one message."""
        size = int(self.headers.get("content-length") or 0)
        host = (self.headers.get("host") or "").rsplit(":", 1)[0]
        if size > BODY_LIMIT:
            self._send(413, None)
        elif host not in LOCAL or self.headers.get("origin"):
            self.rfile.read(size)
            self._send(403, None)
        else:
            self._answer(self.rfile.read(size))

    def _answer(self, body: bytes) -> None:
        try:
            message = json.loads(body)
        except ValueError:
            return self._send(400, None)
        if not isinstance(message, dict) or "id" not in message:
            return self._send(202, None)
        result = answered(self.store, message)
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        missing = {"code": -32601, "message": "there is no such method"}
        return self._send(200, {**reply, **({"result": result} if result else {"error": missing})})

    def do_GET(self) -> None:
        """There is no stream to listen to."""
        self._send(405, None)

    def _send(self, status: int, value: Any) -> None:
        body = b"" if value is None else json.dumps(value).encode("utf-8")
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if status >= 400:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: requests hold what people remember."""


def main() -> None:
    """Serve until it is stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("--port", type=int, default=8767)
    given = parser.parse_args()
    Handler.store = Store(given.database)
    with ThreadingHTTPServer(("127.0.0.1", given.port), Handler) as server:
        print(f"serving http://127.0.0.1:{server.server_port}/mcp", file=sys.stderr, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
