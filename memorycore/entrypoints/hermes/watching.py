"""What the host, a person or another program did to the hot files since the last look.

The file is the truth: background reviews, approvals, `hermes journey` and hand edits call no hook.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.model.hot import HotEntry, HotSnapshot
from memorycore.model.routing import EntryType, Target
from memorycore.policy.edits import edited_from

ARCHIVE = "ARCHIVE.jsonl"
"""Where later hosts put entries they push out of a full file, beside it; 0.19.0 has none."""


@dataclass(frozen=True, slots=True)
class Change:
    """What differs in one file: entries that came, and entries somebody else took away or rewrote.

    Entries this program moved itself are in none of them; `rewritten` pairs the old entry with its new text;
    `evicted` are those the host pushed out for lack of room, which nobody wanted gone.
    """

    target: Target
    appeared: tuple[HotEntry, ...] = ()
    removed: tuple[HotEntry, ...] = ()
    rewritten: tuple[tuple[HotEntry, str], ...] = ()
    evicted: tuple[HotEntry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.appeared or self.removed or self.rewritten or self.evicted)


class HotWatch:
    """Compares each hot file with the copy last seen. Safe for threads."""

    def __init__(self, store: MarkdownHotStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._stamps: dict[Target, tuple[int, ...] | None] = {}
        self._last: dict[Target, HotSnapshot] = {}

    def touched(self) -> bool:
        """Tell, by a stat alone, whether a file may have changed since it was last looked at."""
        return any(
            target not in self._stamps or _stamp(self._store.path(target)) != self._stamps[target]
            for target in Target
        )

    def entries(self) -> list[str]:
        """Return the entries of both files as last seen."""
        with self._lock:
            return [entry.text for snapshot in self._last.values() for entry in snapshot.entries]

    def look(self, target: Target) -> Change:
        """Read a file and return what differs; the first look only remembers.

        Raises:
            HotTierError: The file cannot be read; what was seen before stays remembered.
        """
        with self._lock:
            stamp = _stamp(self._store.path(target))
            snapshot = self._store.read(target)
            before = self._last.get(target)
            change = Change(target)
            if before is not None and before.revision != snapshot.revision:
                change = self._difference(before, snapshot)
            self._last[target] = snapshot
            self._stamps[target] = stamp
            return change

    def _difference(self, before: HotSnapshot, now: HotSnapshot) -> Change:
        present = {entry.key for entry in now.entries}
        known = {entry.key for entry in before.entries}
        appeared = tuple(entry for entry in now.entries if entry.key not in known)
        taken = self._store.taken(now.target)
        gone = {
            entry.key: entry
            for entry in before.entries
            if entry.key not in present
            and entry.key not in taken
            and not any(entry.text in other.text for other in now.entries)
            and not _is_stub(entry)
        }
        archive = _text_of(self._store.path(now.target).with_name(ARCHIVE)) if gone else ""
        evicted = tuple(entry for entry in gone.values() if _archived(entry.text, archive))
        for entry in evicted:
            del gone[entry.key]
        rewritten = _rewritten(gone, appeared)
        replaced = {old.key for old, _ in rewritten}
        removed = tuple(entry for key, entry in gone.items() if key not in replaced)
        return Change(now.target, appeared, removed, rewritten, evicted)


def _rewritten(
    gone: Mapping[str, HotEntry], appeared: tuple[HotEntry, ...]
) -> tuple[tuple[HotEntry, str], ...]:
    left = {key: entry.text for key, entry in gone.items()}
    pairs = []
    for entry in appeared:
        source = edited_from(entry.text, left)
        if source is not None:
            del left[source]
            pairs.append((gone[source], entry.text))
    return tuple(pairs)


def _archived(text: str, archive: str) -> bool:
    plain, escaped = (json.dumps(text, ensure_ascii=ascii_only) for ascii_only in (False, True))
    return bool(archive) and (plain in archive or escaped in archive)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _is_stub(entry: HotEntry) -> bool:
    return entry.meta is not None and entry.meta.type is EntryType.STUB


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
