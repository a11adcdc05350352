"""One Hermes home: its core, its worker and its counts, shared by every agent of the process that uses it."""

import functools
import itertools
import logging
import threading
from collections.abc import Callable
from pathlib import Path

from memorycore.adapters.clock import SystemClock
from memorycore.adapters.hermes_home import DEFAULT_LIMITS, find_hermes_home
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.entrypoints.hermes.breaker import Breaker
from memorycore.entrypoints.hermes.governance import Governance
from memorycore.entrypoints.hermes.governor import (
    DATA,
    MEMORIES,
    Governor,
    Opened,
    OpenHome,
    open_home,
)
from memorycore.entrypoints.hermes.ledger import STATUS_FILE, Ledger
from memorycore.entrypoints.hermes.watching import HotWatch
from memorycore.entrypoints.hermes.worker import Worker
from memorycore.errors import MemoryCoreError
from memorycore.ports.ambient import Clock

_log = logging.getLogger(__name__)

SHUTDOWN_WAIT = 3.0
"""Seconds the last agent waits for queued work; the host grants five in all."""

LOCK_WAIT = 2.0
"""Seconds the plugin itself waits for the host's lock."""

HOST_WRITE_WAIT = 2.0
"""Seconds background work holds back after room was made for a write of the host."""

QUIET = 20.0
"""Seconds without a turn after which jobs that are due may use the processor."""


class Home:
    """Everything that agents of one home share. Opening never raises: a core that cannot open is tried again."""

    def __init__(self, path: Path, *, open_home: OpenHome, clock: Clock) -> None:
        limits = find_hermes_home(path / MEMORIES)
        self.path = path
        self.store = MarkdownHotStore(
            path / MEMORIES,
            limits=limits.limits if limits else DEFAULT_LIMITS,
            clock=clock,
            lock_timeout=LOCK_WAIT,
        )
        self.watch = HotWatch(self.store)
        self.ledger = Ledger(path / DATA / STATUS_FILE, clock=clock)
        self.breaker = Breaker(clock.monotonic)
        self.worker = Worker(f"memorycore-{path.name}")
        self.chores = Worker(f"memorycore-jobs-{path.name}")
        self._serial = itertools.count()
        self._closing = threading.Event()
        self._last_turn = clock.monotonic()
        self.trouble = ""
        self._open_home = open_home
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: Opened | None = None
        self._governance: Governance | None = None
        self._retry = Breaker(clock.monotonic, failures=1, pause=30.0)
        self._host_free = threading.Event()
        self._host_free.set()
        self._missed = False

    @property
    def opened(self) -> Opened | None:
        """The core, opened now if it was not and is due to be tried."""
        with self._lock:
            if self._opened is None and self._retry.allows():
                self._open()
            return self._opened

    @property
    def governance(self) -> Governance | None:
        """What keeps the files in order; None without a core."""
        return self._governance if self.opened else None

    def reconcile(self) -> None:
        """Look at the files now and leave the rest to the worker."""
        governance = self.governance
        if governance is None:
            return
        governance.observe()
        self._submit("settle", lambda: self._settle(governance))

    def warm_up(self) -> None:
        """Load the embedder while the host gets ready, so that the first turn does not wait for it."""
        opened = self.opened
        if opened and opened.prefetch_enabled:
            self._submit("warm up", lambda: opened.core.prefetch("warm up", top_k=1))

    def note_use(self, query: str, shown: int) -> None:
        """Count the memories a turn was shown as recalled, off the turn: what is used does not fade."""
        opened = self.opened
        if opened:
            self._submit(
                f"note use {next(self._serial)}",
                lambda: opened.core.prefetch(query, top_k=shown, count=True),
            )

    def catch_up(self) -> None:
        """Reconcile when a file was touched or a task was dropped; a stat otherwise."""
        if self._missed or self.watch.touched():
            self._missed = False
            self.reconcile()

    def turn(self) -> None:
        """Note that a turn is going on: chores wait."""
        self._last_turn = self._clock.monotonic()

    def host_writes(self) -> None:
        """Hold background work back: the host is about to write."""
        self._host_free.clear()

    def host_wrote(self) -> None:
        """Let background work go on."""
        self._host_free.set()

    def close(self) -> None:
        """Finish what is queued, write the counts and close the core."""
        self.host_wrote()
        self._closing.set()
        if not (self.worker.close(SHUTDOWN_WAIT) and self.chores.close(SHUTDOWN_WAIT / 2)):
            _log.warning("queued work not finished home=%s", self.path)
        self.ledger.save()
        with self._lock:
            opened, self._opened = self._opened, None
        if opened:
            opened.core.close()

    def _open(self) -> None:
        try:
            self._opened = self._open_home(self.path)
        except (MemoryCoreError, ImportError, OSError) as fault:
            self._retry.failed()
            self.trouble = str(fault) or type(fault).__name__
            self.ledger.fault("open", fault)
            return
        self._retry.succeeded()
        self.trouble = ""
        self._governance = Governance(
            self._opened.core, store=self.store, watch=self.watch, clock=self._clock
        )

    def _settle(self, governance: Governance) -> None:
        self._host_free.wait(HOST_WRITE_WAIT)
        governance.settle()
        self.ledger.save()
        opened = self._opened
        if opened and opened.jobs_enabled:
            self._submit("jobs", lambda: self._run_jobs(opened.core), to=self.chores)

    def _run_jobs(self, core: Governor) -> None:
        """Run what is due: without a server beside the host nobody else would. It stops when a turn begins."""
        while self._busy() and not self._closing.is_set():
            self._closing.wait(QUIET / 4)
        for job in core.jobs.all:
            if not self._busy():
                core.jobs.run_due(job.name, cancelled=self._busy)

    def _busy(self) -> bool:
        since = self._clock.monotonic() - self._last_turn
        return self._closing.is_set() or since < QUIET

    def _submit(self, key: str, work: Callable[[], object], *, to: Worker | None = None) -> None:
        def task() -> None:
            try:
                work()
            except Exception as fault:  # noqa: BLE001 - a fault must not end the worker; it is counted and logged
                self.ledger.fault(key.rstrip(" 0123456789"), fault)

        if not (to or self.worker).submit(key, task):
            self._missed = True


class Homes:
    """The homes in use in this process. Agents attach and detach; the last one out closes the home."""

    def __init__(self, *, open_home: OpenHome = open_home, clock: Clock | None = None) -> None:
        self._open_home = open_home
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._homes: dict[Path, tuple[Home, int]] = {}
        self._sessions: dict[str, Path] = {}

    @property
    def clock(self) -> Clock:
        """The clock of every home."""
        return self._clock

    def attach(self, path: Path, session_id: str) -> Home:
        """Return the home at `path`, opened for its first agent."""
        with self._lock:
            home, agents = self._homes.get(path, (None, 0))
            home = home or Home(path, open_home=self._open_home, clock=self._clock)
            self._homes[path] = (home, agents + 1)
            self._sessions[session_id] = path
            return home

    def rename(self, session_id: str, path: Path) -> None:
        """Note that the agent of `path` goes by another session id."""
        with self._lock:
            self._sessions[session_id] = path

    def detach(self, path: Path) -> None:
        """Let one agent go."""
        with self._lock:
            home, agents = self._homes.get(path, (None, 0))
            if home is None:
                return
            if agents > 1:
                self._homes[path] = (home, agents - 1)
                return
            del self._homes[path]
            self._sessions = {name: at for name, at in self._sessions.items() if at != path}
        home.close()

    def of_session(self, session_id: str, current: Path | None) -> Home | None:
        """Return the home in use by a session, else at the host's `current` home, else the only one in use."""
        with self._lock:
            for path in (self._sessions.get(session_id), current):
                if path is not None and path in self._homes:
                    return self._homes[path][0]
            if len(self._homes) == 1:
                return next(iter(self._homes.values()))[0]
            return None


@functools.cache
def shared_homes() -> Homes:
    """Return the homes of this process: the host imports the plugin twice, under two names, and both must meet here."""
    return Homes()
