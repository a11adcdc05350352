"""Copies of texts in files beside the stores: backups of hot files, and what else lies in the data folder."""

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memorycore.policy.text import entry_key

BACKUPS = "*.bak*"
"""Name pattern of the copies that are made of a hot file."""

SIDECARS = "*.meta.json"
"""Name pattern of the files that know hot entries by the hash of their text."""

DATABASE_MARK = b"SQLite format 3\x00"
"""First bytes of a database: one that was set aside cannot be mended in place."""


class FileResidue:
    """Finds texts, as UTF-8 and as JSON writes them, and cuts them out of files.

    Args:
        memory_dir: Folder of the hot files; only their backups are touched.
        data_dir: Folder of the database and whatever else was written there.
        database: The live database, which is left to its own adapter.
    """

    def __init__(self, memory_dir: Path, data_dir: Path, *, database: str) -> None:
        self._memory_dir = memory_dir
        self._data_dir = data_dir
        self._database = database

    def scrub(self, texts: Sequence[str]) -> Sequence[str]:
        """Take every copy of the texts out of these files; return in words what could not be mended."""
        needles = _needles(texts)
        left = []
        keys = {entry_key(text) for text in texts}
        for path in _below(self._memory_dir, SIDECARS):
            try:
                _forget_keys(path, keys)
            except OSError as fault:
                left.append(f"{path.name} could not be mended: {fault.strerror}")
        for path in self._files():
            try:
                raw = path.read_bytes()
                if not any(needle in raw for needle in needles):
                    continue
                if raw.startswith(DATABASE_MARK):
                    left.append(f"{path.name} is a database set aside that may hold it: delete it")
                    continue
                _rewrite(path, _cut(raw, needles))
            except OSError as fault:
                left.append(f"{path.name} could not be searched: {fault.strerror}")
        return left

    def _files(self) -> Iterator[Path]:
        seen: set[Path] = set()
        for path in (*_below(self._memory_dir, BACKUPS), *_below(self._data_dir, "*")):
            own = path.name.startswith(self._database) and path.parent == self._data_dir
            live = own and path.name.removeprefix(self._database) in ("", "-wal", "-shm")
            if path.is_file() and not path.is_symlink() and not live and path not in seen:
                seen.add(path)
                yield path


def _below(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.rglob(pattern)) if folder.is_dir() else []


def _forget_keys(path: Path, keys: set[str]) -> None:
    """Drop the hashes of purged entries; a sidecar that does not parse is rebuilt by its owner anyway."""
    raw = path.read_bytes()
    if not any(key.encode() in raw for key in keys):
        return
    try:
        document = json.loads(raw)
    except ValueError:
        document = {}
    _rewrite(path, json.dumps(_pruned(document, keys), ensure_ascii=False, indent=1).encode())


def _pruned(value: Any, keys: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _pruned(item, keys) for key, item in value.items() if key not in keys}
    if isinstance(value, list):
        return [_pruned(item, keys) for item in value if item not in keys]
    return value


def _needles(texts: Sequence[str]) -> list[bytes]:
    forms: list[str] = []
    for text in texts:
        for shape in (text, text.replace("\n", "\r\n")):
            forms += [shape, json.dumps(shape)[1:-1], json.dumps(shape, ensure_ascii=False)[1:-1]]
    found = {form.encode("utf-8", "surrogatepass") for form in forms if form.strip()}
    return sorted(found, key=len, reverse=True)


def _cut(raw: bytes, needles: Sequence[bytes]) -> bytes:
    for needle in needles:
        raw = raw.replace(needle, b"")
    return raw


def _rewrite(path: Path, raw: bytes) -> None:
    """Put the new file in place, then overwrite the old bytes, which would else stay in freed blocks."""
    stat = path.stat()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".scrub-")
    fresh = Path(name)
    with os.fdopen(handle, "wb") as writer:
        writer.write(raw)
        writer.flush()
        os.fsync(writer.fileno())
    fresh.chmod(stat.st_mode & 0o777)
    if os.name != "posix":
        fresh.replace(path)
        return
    with path.open("r+b") as old:
        fresh.replace(path)
        old.write(b"\0" * stat.st_size)
        old.flush()
        os.fsync(old.fileno())
