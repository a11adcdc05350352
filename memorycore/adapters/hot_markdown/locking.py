"""The host's own lock: an advisory lock on `<file>.lock`, which is created once and never removed.

Not through `filelock`: some of its releases remove the file on release, and a host that waits on the removed
file would then hold a lock nobody else sees.
"""

import errno
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from memorycore.errors import HotLockTimeoutError

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.02

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: IO[bytes]) -> None:
        handle.seek(0)
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)

    def _unlock(handle: IO[bytes]) -> None:
        handle.seek(0)
        msvcrt.locking(handle.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(handle: IO[bytes]) -> None:
        fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(handle: IO[bytes]) -> None:
        fcntl.flock(handle.fileno(), fcntl.LOCK_UN)


def lock_path(data_file: Path) -> Path:
    """Return the lock file of a data file, beside it under its unresolved name as the host has it."""
    return data_file.with_name(data_file.name + ".lock")


@contextmanager
def locked(data_file: Path, *, timeout: float) -> Iterator[None]:
    """Hold the lock of `data_file`, waiting at most `timeout` seconds; threads exclude each other too.

    Raises:
        HotLockTimeoutError: Somebody else held it all the time.
        OSError: The lock file cannot be opened.
    """
    path = lock_path(data_file)
    with path.open("ab") as handle:
        _wait_for(handle, path, timeout=timeout)
        try:
            yield
        finally:
            _unlock(handle)


def _wait_for(handle: IO[bytes], path: Path, *, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    pause = _FIRST_PAUSE
    while True:
        try:
            _try_lock(handle)
        except OSError as error:
            if error.errno not in {errno.EACCES, errno.EAGAIN, errno.EDEADLK}:
                raise
        else:
            return
        if time.monotonic() >= deadline:
            msg = f"another process has held {path} for {timeout:g} s; try again when it is done"
            raise HotLockTimeoutError(msg)
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)
