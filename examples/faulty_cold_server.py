"""A cold-store service in another style, wrong in ten ways: what `memorycore contract check` is for.

    python examples/faulty_cold_server.py --port 8768
    memorycore contract check http://127.0.0.1:8768/mcp

It is written with the MCP SDK, keeps its memories in a list, and answers in the plain form: JSON as text, with
`memory_id`, `text`, `limit`, `results` and `deleted`. All of that is allowed. What is wrong is marked below; each
mark is a mistake that was made by a real service.
"""

import argparse
import json
import re
import socket
import sys
import threading
import traceback
from dataclasses import dataclass
from typing import Any

import uvicorn

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer

NEWEST = 3


@dataclass
class Note:
    """One memory."""

    number: int
    text: str


def words(text: str) -> set[str]:
    """Return the words of a text, and the single letters of scripts without blanks."""
    return set(re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+", text.casefold()))


def said(**fields: Any) -> str:
    """Return a result as JSON text."""
    return json.dumps(fields, ensure_ascii=False)


class Notes:
    """The tools, over a list of memories."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.rows: list[Note] = []
        self.last = 0

    def remember(self, text: str) -> str:
        """Keep a text."""
        if text == "":
            return said(error="text is empty")
        # 1. Blank text passes: only the empty string is looked for.
        # 2. Long text is cut, and called stored.
        # 3. The same text twice is two memories.
        note = self.add(text[:2000])
        # 4. The id is text here and a number in recall.
        return said(status="ok", memory_id=str(note.number))

    def recall(self, query: str, limit: int = 5) -> str:  # noqa: ARG002
        """Find texts."""
        asked = words(query)
        if not asked:
            return said(results=[])
        with self.lock:
            found = [(len(asked & words(note.text)), note) for note in self.rows]
            newest = self.rows[-NEWEST:]
        good = [(shared, note) for shared, note in found if shared * 2 >= len(asked)]
        good.sort(key=lambda pair: -pair[0])
        # 5. When nothing fits, the newest memories are given, whatever they are about.
        rows = good or [(0, note) for note in newest]
        # 6. The limit is not looked at. 7. The score counts words and has no upper end.
        results = [
            {"memory_id": note.number, "text": note.text, "score": shared} for shared, note in rows
        ]
        return said(results=results)

    def update(self, memory_id: str | int, text: str) -> str:
        """Replace a text."""
        try:
            blank = not text.strip() and text[len(text)]
        except IndexError:
            # 8. Callers are shown the inside of the program.
            return said(error=traceback.format_exc())
        with self.lock:
            for note in self.rows:
                if not blank and str(note.number) == str(memory_id):
                    note.text = text
                    return said(status="updated", memory_id=str(note.number))
        # 9. An unknown id makes a new memory.
        return said(status="updated", memory_id=str(self.add(text).number))

    def forget(self, memory_id: str | int) -> str:
        """Drop a memory."""
        # 10. The id is taken for a pattern.
        pattern = re.escape(str(memory_id)).replace("%", ".*").replace(r"\*", ".*")
        with self.lock:
            kept = [note for note in self.rows if not re.fullmatch(pattern, str(note.number))]
            gone = len(self.rows) - len(kept)
            self.rows = kept
        return said(deleted=gone > 0)

    def stats(self) -> str:
        """Count."""
        return said(count=len(self.rows))

    def add(self, text: str) -> Note:
        """Append a memory."""
        with self.lock:
            self.last += 1
            self.rows.append(Note(self.last, text))
            return self.rows[-1]


def main() -> None:
    """Serve until it is stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8768)
    given = parser.parse_args()
    bound = socket.create_server(("127.0.0.1", given.port))
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server, notes = MCPServer("faulty-cold-server"), Notes()
    for tool in (notes.remember, notes.recall, notes.update, notes.forget, notes.stats):
        server.add_tool(tool)
    app = server.streamable_http_app()
    print(f"serving http://127.0.0.1:{bound.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[bound])


if __name__ == "__main__":
    main()
