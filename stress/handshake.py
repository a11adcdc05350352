"""How long a client waits: from starting the server to the handshake, and to the first answer."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def first_answer(base: Path) -> dict[str, float]:
    """Start the server on `base` over stdio, shake hands and recall once; return seconds from the start."""
    environment = {
        **os.environ,
        "MEMORYCORE_MEMORY_DIR": str(base / "hot"),
        "MEMORYCORE_DATA_DIR": str(base / "data"),
    }
    started = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "memorycore.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        _ask(
            server,
            1,
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "stress", "version": "1"},
            },
        )
        shaken = time.perf_counter() - started
        _send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        arguments = {"name": "memorycore_recall", "arguments": {"query": "harbour ferry"}}
        _ask(server, 2, "tools/call", arguments)
        answered = time.perf_counter() - started
    finally:
        if server.stdin is not None:
            server.stdin.close()
        server.wait(timeout=30)
    return {"handshake_s": shaken, "first_answer_s": answered}


def _ask(server: "subprocess.Popen[bytes]", number: int, method: str, params: Any) -> None:
    _send(server, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert server.stdout is not None
    while line := server.stdout.readline():
        if json.loads(line).get("id") == number:
            return
    message = f"the server ended before it answered {method}"
    raise RuntimeError(message)


def _send(server: "subprocess.Popen[bytes]", message: dict[str, Any]) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
