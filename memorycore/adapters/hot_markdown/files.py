"""Bytes on disk: whole-file reads and writes that leave either the old content or the new, whole."""

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memorycore.errors import HotFileUnavailableError

PRIVATE = 0o600
"""Mode of files made here: memories are nobody else's business."""

ABSENT = "absent"
"""Revision of a file that is not there."""

_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space and try again",
    errno.EROFS: "the file system is read-only; mount it writable or set another memory_dir",
    errno.EACCES: "permission denied; give this user the right to read and write it",
    errno.EPERM: "the operation is not permitted; check owner, mode and attributes",
    errno.EISDIR: "there is a folder in its place; move the folder away",
    errno.ENOTDIR: "a part of the path is no folder; check memory_dir",
    errno.ELOOP: "its symbolic links lead in a circle; mend the link",
}


def revision_of(raw: bytes | None) -> str:
    """Return the name of these bytes for compare-and-swap."""
    return ABSENT if raw is None else hashlib.sha256(raw).hexdigest()


@contextmanager
def faults_of(path: Path, *, doing: str) -> Iterator[None]:
    """Turn an operating system's error about `path` into `HotFileUnavailableError` with advice."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, error.strerror or str(error))
        raise HotFileUnavailableError(f"cannot {doing} {path}: {advice}") from error


def read_whole(path: Path) -> bytes | None:
    """Return the bytes of `path`, None when there is no such file.

    Raises:
        HotFileUnavailableError: It is no regular file or cannot be read.
    """
    with faults_of(path, doing="read"):
        try:
            kind = path.stat().st_mode
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
        if not stat.S_ISREG(kind):
            raise HotFileUnavailableError(f"cannot read {path}: it is no regular file")
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def write_whole(path: Path, raw: bytes) -> None:
    """Replace the content of `path` (through symbolic links) keeping its mode and owner; durable on return.

    Raises:
        OSError: Nothing was changed and no temporary file was left behind.
    """
    real = Path(os.path.realpath(path))
    descriptor, name = tempfile.mkstemp(prefix=".mem_", suffix=".tmp", dir=real.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(raw)
            handle.flush()
            _keep_mode_and_owner(handle.fileno(), real)
            os.fsync(handle.fileno())
        _put_in_place(temporary, real, raw)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(real.parent)


def _keep_mode_and_owner(descriptor: int, real: Path) -> None:
    if os.name != "posix":
        return
    try:
        before = real.stat()
        mode = stat.S_IMODE(before.st_mode)
    except FileNotFoundError:
        before = real.parent.stat()
        mode = PRIVATE
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, mode)


def _put_in_place(temporary: Path, real: Path, raw: bytes) -> None:
    try:
        temporary.replace(real)
    except OSError as error:
        if error.errno not in {errno.EXDEV, errno.EBUSY}:
            raise
        _overwrite(real, raw)
        temporary.unlink(missing_ok=True)


def _overwrite(real: Path, raw: bytes) -> None:
    """Write in place where a rename cannot reach (a file mounted by itself); undone on failure."""
    old = real.read_bytes()
    try:
        _write_over(real, raw)
    except OSError:
        _write_over(real, old)
        raise


def _write_over(real: Path, raw: bytes) -> None:
    with real.open("r+b") as handle:
        handle.write(raw)
        handle.truncate()
        handle.flush()
        os.fsync(handle.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
