"""The server as a client starts it: a process, two pipes, and whatever happens to them."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = {
    "北京办公室 打印机": "北京办公室的打印机 ★🎉 型号是 HP-4711。",
    "Серверная Казань": "Серверная в Казани находится на третьем этаже, комната 312.",
    "Kantine Öffnungszeit": "Die Kantine öffnet täglich um 11:45 Uhr, außer an Feiertagen.",
    "サーバー 大阪": "大阪のサーバーは毎週火曜日の三時に再起動します。",
}

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

PUPPET = """
import os, sys, threading
from memorycore.entrypoints.mcp_server.stdio import serve_stdio
from memorycore.entrypoints.opening import LazyCore
from memorycore.errors import ColdBusyError

gate = threading.Event()

class Core:
    def recall(self, query, **options):
        if query == "noise":
            print("a banner"); os.write(1, b"native noise\\n"); sys.stderr.write("a log\\n")
        else:
            gate.wait(60)
        raise ColdBusyError("puppet")
    def usage(self):
        gate.set()
        raise ColdBusyError("puppet")
    def close(self):
        pass

serve_stdio(LazyCore(Core), lambda: lambda: None)
"""


class Server:
    """One running server; every line it prints must be JSON-RPC."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._last = 0

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}}
        self.send(json.dumps(message).encode())
        return self._last

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline().decode("utf-8"))
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        number = self.request(method, params)
        answer = self.receive()
        assert answer["id"] == number
        return answer

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer = self.ask("tools/call", {"name": f"memorycore_{name}", "arguments": arguments})
        result: dict[str, Any] = answer["result"]
        return result

    def start(self) -> "Server":
        assert self.ask("initialize", INITIALIZE)["result"]["serverInfo"]["name"] == "memorycore"
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self

    def ended(self, within: float = 40.0) -> int:
        return self.process.wait(within)


@contextmanager
def serving(
    folder: Path, *command: str, stdin: int = subprocess.PIPE, **environment: str
) -> Iterator[Server]:
    chosen = command or ("-m", "memorycore.server")
    paths = {
        "PYTHONPATH": str(ROOT),
        "PATH": os.defpath,
        "HOME": str(folder),
        "MEMORYCORE_MEMORY_DIR": str(folder / "memory"),
        "MEMORYCORE_DATA_DIR": str(folder / "data"),
        "MEMORYCORE_EMBEDDER": "none",
    }
    process = subprocess.Popen(
        [sys.executable, *chosen],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=paths | environment,
    )
    try:
        yield Server(process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def test_what_was_stored_is_recalled_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path, LC_ALL="C", PYTHONIOENCODING="cp1252") as server:
        server.start()
        for text in TEXTS.values():
            assert not server.tool("store_fact", content=text).get("isError")
    with serving(tmp_path) as server:
        server.start()
        for query, text in TEXTS.items():
            hits = server.tool("recall", query=query)["structuredContent"]["hits"]
            assert hits[0]["content"] == text


def test_the_handshake_needs_neither_settings_nor_store(tmp_path: Path) -> None:
    (tmp_path / "data" / "memorycore.db").mkdir(parents=True)
    with serving(tmp_path) as server:
        server.start()
        assert len(server.ask("tools/list")["result"]["tools"]) == 10
        result = server.tool("get_memory_usage")
        assert result["isError"] is True
        assert "memorycore.db" in result["content"][0]["text"]


def test_a_wrong_setting_is_told_by_the_tools(tmp_path: Path) -> None:
    with serving(tmp_path, MEMORYCORE_HTTP_PORT="many") as server:
        server.start()
        assert "http_port" in server.tool("recall", query="x")["content"][0]["text"]


def test_nothing_but_json_rpc_reaches_standard_output(tmp_path: Path) -> None:
    with serving(tmp_path, "-c", PUPPET) as server:
        server.start()
        assert server.tool("recall", query="noise")["isError"] is True
        assert server.ask("ping")["result"] == {}


def test_broken_lines_are_answered_and_survived(tmp_path: Path) -> None:
    with serving(tmp_path, "-c", PUPPET) as server:
        server.start()
        server.send(b"{broken")
        assert server.receive()["error"]["code"] == -32700
        server.send(
            b'{"jsonrpc":"2.0","id":90,"method":"tools/call","params":'
            b'{"name":"memorycore_recall","arguments":{"query":"lone \\udcaf"}}}'
        )
        assert server.receive()["result"]["isError"] is True
        server.send(
            b'{"jsonrpc":"2.0","id":91,"method":"tools/call","params":'
            b'{"name":"memorycore_store_fact","arguments":{"content":"x","importance":1e309}}}'
        )
        assert server.receive()["id"] == 91
        assert server.ask("ping")["result"] == {}


def test_a_cancelled_call_leaves_the_server_in_service(tmp_path: Path) -> None:
    with serving(tmp_path, "-c", PUPPET) as server:
        server.start()
        number = server.request(
            "tools/call", {"name": "memorycore_recall", "arguments": {"query": "slow"}}
        )
        cancel = {"requestId": number, "reason": "impatient"}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}
        server.send(json.dumps(message).encode())
        ping = server.request("ping")
        answers = [server.receive()]
        if answers[0]["id"] == number:
            assert "error" in answers[0]
            answers.append(server.receive())
        assert answers[-1] == {"jsonrpc": "2.0", "id": ping, "result": {}}
        assert server.tool("get_memory_usage")["isError"] is True


def test_requests_piped_in_are_answered_though_input_ends_at_once(tmp_path: Path) -> None:
    noise = {"name": "memorycore_recall", "arguments": {"query": "noise"}}
    with serving(tmp_path, "-c", PUPPET) as server:
        server.request("initialize", INITIALIZE)
        server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        server.request("tools/call", noise)
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert [server.receive()["id"] for _ in range(2)] == [1, 2]
        assert server.ended() == 0


def test_a_start_without_pipes_is_refused_in_one_sentence(tmp_path: Path) -> None:
    script = "import os, sys\nos.close(1)\nfrom memorycore.server import run_stdio\n"
    script += "from memorycore.errors import ConfigurationError\n"
    script += "try:\n    run_stdio()\nexcept ConfigurationError as fault:\n    sys.exit(7)"
    with serving(tmp_path, "-c", script) as server:
        assert server.ended(20) == 7


@pytest.mark.slow
def test_the_end_of_input_ends_the_server_in_the_middle_of_a_call(tmp_path: Path) -> None:
    with serving(tmp_path, "-c", PUPPET) as server:
        server.start()
        server.request("tools/call", {"name": "memorycore_recall", "arguments": {"query": "slow"}})
        assert server.ask("ping")
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.ended() == 0


def test_the_end_of_input_ends_an_idle_server_with_its_jobs(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.start().tool("get_memory_usage")
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.ended() == 0


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_a_polite_signal_ends_the_server(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.start()
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == 0


@pytest.mark.skipif(os.name != "posix", reason="POSIX process trees")
def test_a_server_whose_parent_was_killed_ends_though_its_input_stays_open(tmp_path: Path) -> None:
    parent = textwrap.dedent("""
        import os, subprocess, sys
        child = subprocess.Popen([sys.executable, "-m", "memorycore.server"])
        sys.stdout.flush()
        sys.stdin = None
        child.wait()
    """)
    with serving(tmp_path, "-c", parent) as server:
        server.start()
        server.process.kill()
        assert server.process.stdout is not None
        assert server.process.stdout.read() == b""
