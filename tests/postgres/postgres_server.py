"""A PostgreSQL server of our own: the binaries that the package `pgserver` brings, in a folder that goes with it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

UNPRIVILEGED = "nobody"
"""Whom the server runs as when the tests run as root, which PostgreSQL refuses to be."""

QUICK = {"fsync": "off", "full_page_writes": "off"}
"""Settings for a server whose data nobody wants back after a power cut."""

WATCH = """
while kill -0 "$0" 2>/dev/null && [ -d "$1" ]; do sleep 1; done
[ -f "$1/data/postmaster.pid" ] && kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
rm -rf "$1"
"""
"""Ends the server when the tests were killed before they could."""


def binaries() -> Path | None:
    """Return the folder of `initdb` and `pg_ctl`, None where `pgserver` is not installed."""
    spec = importlib.util.find_spec("pgserver")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [Path(folder, "pginstall", "bin") for folder in folders]
    return next((folder for folder in found if (folder / "pg_ctl").exists()), None)


@dataclass
class PostgresServer:
    """One server on a loopback port."""

    folder: Path
    programs: Path
    port: int
    settings: dict[str, str] = field(default_factory=dict)
    watcher: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def url(self, database: str = "postgres", *, user: str = "postgres", password: str = "") -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        told = {"listen_addresses": "127.0.0.1", "port": str(self.port)} | QUICK | self.settings
        options = " ".join(f"-c {name}={value}" for name, value in told.items())
        options += f" -k {self.folder}"
        log = str(self.folder / "log")
        how = ("-w", "-D", str(self.data), "-l", log, "-o", options)
        for left in reversed(range(20)):
            try:
                self._run("pg_ctl", *how, "start")
            except subprocess.CalledProcessError:
                # What a killed server left running holds its memory for a moment.
                if not left:
                    raise
                time.sleep(0.1)
            else:
                return

    def stop(self, *, mode: str = "immediate") -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-w", "-D", str(self.data), "-m", mode, "stop")

    def kill(self) -> None:
        """End the server as a crash of its machine would."""
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        _wait_for_silence(self.port)

    def create(self) -> None:
        made = ("--no-sync", "--auth=trust", "--encoding=utf8", "--no-locale", "-U", "postgres")
        self._run("initdb", "-D", str(self.data), *made)

    def _run(self, program: str, *arguments: str) -> None:
        user = UNPRIVILEGED if os.geteuid() == 0 else None
        subprocess.run(
            [self.programs / program, *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=user,
            cwd=self.folder,
        )


def start_server(**settings: str) -> PostgresServer:
    """Make and start a server with these settings.

    Raises:
        FileNotFoundError: `pgserver` is not installed.
    """
    programs = binaries()
    if programs is None:
        message = "pgserver is not installed"
        raise FileNotFoundError(message)
    folder = Path(tempfile.mkdtemp(prefix="mc-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, UNPRIVILEGED)
        programs = _reachable(programs, folder)
    server = PostgresServer(folder, programs, _free_port(), settings, _watch(folder))
    server.create()
    server.start()
    return server


def remove_server(server: PostgresServer) -> None:
    """Stop the server and delete its folder."""
    if server.watcher is not None:
        server.watcher.kill()
        server.watcher.wait()
    server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


def _watch(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["sh", "-c", WATCH, str(os.getpid()), str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def make_database(url: str, name: str) -> str:
    """Make an empty database on the server that `url` leads to; return its own address."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return make_conninfo(url, dbname=name)


def _reachable(programs: Path, folder: Path) -> Path:
    """Return programs that the unprivileged user can run: a copy where the way to them is closed to others."""
    try:
        subprocess.run(
            [programs / "postgres", "--version"],
            check=True,
            capture_output=True,
            user=UNPRIVILEGED,
            cwd="/",
        )
    except (OSError, subprocess.CalledProcessError):
        # The libraries lie in a sibling of the folder of the package, and are found from there.
        package = programs.parent.parent
        for part in (package, package.parent / "pgserver.libs"):
            if part.is_dir():
                shutil.copytree(part, folder / "programs" / part.name)
        for path in (folder / "programs").rglob("*"):
            path.chmod(path.stat().st_mode | 0o555)
        return folder / "programs" / package.name / "pginstall" / "bin"
    return programs


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for_silence(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return
        time.sleep(0.01)
