"""Cold-store services as processes, for tests on loopback."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
ANNA, BEN = "annas-token-0123456789", "bens-token-0123456789ab"
AUTHORS = ("--token", f"anna={ANNA}", "--token", f"ben={BEN}")
ADDRESS = re.compile(r"(http://127\.0\.0\.1:(\d+)/mcp)")


class Service:
    """A service in a process of its own; started again it listens on the same port."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._command = command
        self._environment = dict(environment or {})
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self.url = ""

    def start(self) -> None:
        """Start and wait until it listens."""
        paths = {
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            "PATH": os.defpath,
            "HOME": str(self._folder),
            "MEMORYCORE_MEMORY_DIR": str(self._folder / "memory"),
            "MEMORYCORE_DATA_DIR": str(self._folder / "served"),
            "MEMORYCORE_EMBEDDER": "none",
        }
        self._process = subprocess.Popen(
            [sys.executable, *self._command, "--port", str(self._port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=paths | self._environment,
        )
        assert self._process.stderr is not None
        found = None
        while found is None:
            line = self._process.stderr.readline().decode()
            assert line, "the service ended before it listened"
            found = ADDRESS.search(line)
        self.url, self._port = found[1], int(found[2])

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to stop and return its exit code."""
        return self._end(signal.SIGTERM)

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()

    def _end(self, number: signal.Signals) -> int:
        process = self._process
        if process is None:
            return 0
        self._process = None
        process.send_signal(number)
        try:
            return process.wait(60)
        finally:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()


@contextmanager
def serving(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """Run a service for the length of the block."""
    service = Service(command, folder, environment)
    service.start()
    try:
        yield service
    finally:
        service.kill()


def cold_server(folder: Path, *options: str) -> Service:
    """Return a cold server that was not started yet."""
    return Service(["-m", "memorycore", "cold-server", *options], folder)


@contextmanager
def running_cold_server(
    folder: Path, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """Run a cold server for the length of the block; `environment` sets more, such as its backend."""
    command = ["-m", "memorycore", "cold-server", *options]
    with serving(command, folder, environment) as service:
        yield service
