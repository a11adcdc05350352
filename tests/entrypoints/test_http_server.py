"""The HTTP server as a process."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
JSON = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
TOKEN = "only-for-this-test"
FACT = "The staging database of project heron runs on host crane-3, port 5433."


def command(folder: Path, *options: str, **environment: str) -> "subprocess.Popen[bytes]":
    paths = {
        "PYTHONPATH": str(ROOT),
        "PATH": os.defpath,
        "HOME": str(folder),
        "MEMORYCORE_MEMORY_DIR": str(folder / "memory"),
        "MEMORYCORE_DATA_DIR": str(folder / "data"),
        "MEMORYCORE_EMBEDDER": "none",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "memorycore", "serve", "--http", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=paths | environment,
    )


@contextmanager
def serving(folder: Path, *options: str, **environment: str) -> Iterator[str]:
    process = command(folder, "--port", "0", *options, **environment)
    assert process.stderr is not None
    assert process.stdout is not None
    try:
        found = None
        while found is None:
            line = process.stderr.readline().decode()
            assert line, "the server ended"
            found = re.search(r"url=(http://\S+)/mcp", line)
        yield found[1]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, "the server ends in order: it closes its store"
        assert process.stdout.read() == b""
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


class Answer:
    """Status, headers and text of a response."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = response.read().decode("utf-8")
        assert not any(name.startswith("access-control") for name in self.headers)


def ask(
    url: str, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> Answer:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    try:
        connection.request(method, path, body or None, JSON | (headers or {}))
        return Answer(connection.getresponse())
    finally:
        connection.close()


def tool(url: str, name: str, token: str = "", **arguments: Any) -> dict[str, Any]:
    params = {"name": f"memorycore_{name}", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"authorization": f"Bearer {token}"} if token else {}
    answer = ask(url, "POST", "/mcp", json.dumps(message).encode(), headers)
    assert answer.status == 200, answer.text
    data = next(line for line in answer.text.splitlines() if line.startswith("data:"))
    result: dict[str, Any] = json.loads(data.removeprefix("data:"))["result"]
    return result


def test_a_client_goes_on_after_the_server_was_restarted(tmp_path: Path) -> None:
    with serving(tmp_path) as url:
        assert not tool(url, "store_fact", content=FACT).get("isError")
    with serving(tmp_path) as url:
        hits = tool(url, "recall", query="heron staging database")["structuredContent"]["hits"]
        assert hits[0]["content"] == FACT


def test_a_web_page_reads_nothing(tmp_path: Path) -> None:
    evil = {"origin": "https://evil.example"}
    with serving(tmp_path) as url:
        assert json.loads(ask(url, "GET", "/health").text) == {"status": "ok"}
        assert ask(url, "POST", "/mcp", b"{}", evil).status == 403
        assert ask(url, "OPTIONS", "/mcp", b"", evil).status == 403
        assert ask(url, "POST", "/mcp", b"{}", {"host": "evil.example"}).status == 421
        assert ask(url, "POST", "/mcp", b"{}", {"content-type": "text/plain"}).status == 415
        assert ask(url, "GET", "/elsewhere").status == 404


def test_the_token_opens_the_door_and_nothing_else_does(tmp_path: Path) -> None:
    with serving(tmp_path, MEMORYCORE_HTTP_TOKEN=TOKEN) as url:
        assert ask(url, "POST", "/mcp", b"{}").status == 401
        assert not tool(url, "get_memory_usage", token=TOKEN).get("isError")


def test_another_address_than_loopback_needs_a_token(tmp_path: Path) -> None:
    process = command(tmp_path, "--host", "0.0.0.0", "--port", "0")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"http_token" in err
    assert out == b""


def test_a_taken_port_is_one_clear_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = command(tmp_path, "--port", str(taken.getsockname()[1]))
        _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"http_port" in err
    assert b"Traceback" not in err


def test_broken_bodies_get_client_errors_and_the_server_goes_on(tmp_path: Path) -> None:
    bodies = (b"", b"{broken", b"[]", b'{"a": "\\udcaf"}', b"\xff\xfe", b"[" * 50_000)
    with serving(tmp_path) as url:
        for body in bodies:
            answer = ask(url, "POST", "/mcp", body)
            assert 400 <= answer.status < 500, (body[:20], answer.text)
            assert "Traceback" not in answer.text
        assert ask(url, "GET", "/health").status == 200
