"""`MEMORY.md` and `USER.md` as a hot store that shares them with the host."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memorycore.adapters.hot_markdown.backups import back_up, has_backup
from memorycore.adapters.hot_markdown.files import (
    faults_of,
    read_whole,
    revision_of,
    write_whole,
)
from memorycore.adapters.hot_markdown.layout import (
    Layout,
    fault_of,
    parse,
    render,
    with_unix_newlines,
)
from memorycore.adapters.hot_markdown.locking import locked
from memorycore.adapters.hot_markdown.sidecar import Sidecar, meta_of
from memorycore.errors import CorruptHotFileError, HotConflictError, InvalidInputError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, NewEntry
from memorycore.model.routing import Target
from memorycore.policy.text import entry_key
from memorycore.ports.ambient import Clock

_log = logging.getLogger(__name__)

_NAMES = {Target.MEMORY: "MEMORY", Target.USER: "USER"}
_MASS = 3
"""From this many entries on, emptying a file is worth a backup."""


class MarkdownHotStore:
    """The two Markdown files of one folder: a `HotStore`.

    Reading takes no lock and changes nothing on disk, but for one backup when the bytes do not decode.
    Writing holds the host's lock for a few milliseconds. Before the first write over a file that is not in
    the host's form (byte order mark, other line breaks, doubles, blanks), over a Markdown document, and before one
    that empties a file of three entries or more, its bytes are kept as `<name>.bak.<time>-<hash>`.
    """

    def __init__(
        self,
        memory_dir: Path,
        *,
        limits: Mapping[Target, int],
        clock: Clock,
        lock_timeout: float = 10.0,
    ) -> None:
        """Keep the arguments; nothing is opened. `limits` are code points, `lock_timeout` is seconds."""
        self._folder = memory_dir
        self._limits = dict(limits)
        self._clock = clock
        self._lock_timeout = lock_timeout

    def path(self, target: Target) -> Path:
        """Return the path of the data file, symbolic links unresolved."""
        return self._folder / f"{_NAMES[target]}.md"

    def sidecar_path(self, target: Target) -> Path:
        """Return the path of the sidecar."""
        return self._folder / f"{_NAMES[target]}.meta.json"

    def read(self, target: Target) -> HotSnapshot:
        """Read file and sidecar; a missing file has no entries.

        Raises:
            CorruptHotFileError: The bytes do not decode; a backup was made and the file is left alone.
            HotFileUnavailableError: The file cannot be read.
        """
        raw = read_whole(self.path(target))
        return self._snapshot(target, raw, self._sidecar(target).read())

    def taken(self, target: Target) -> frozenset[str]:
        """Return keys of entries that this program, in any process, took out of the file itself.

        An entry that is gone and not among them was removed by the host or by hand.
        """
        return frozenset(self._sidecar(target).taken())

    def commit(self, target: Target, entries: Sequence[NewEntry], *, expected: str) -> HotSnapshot:
        """Write the whole file under the host's lock if its revision is still `expected`.

        Line breaks become LF, ends are trimmed, equal entries become one. The sidecar is written first, so
        that a crash in between leaves records without entries and never a stub without its memory.

        Raises:
            HotConflictError: The file changed since it was read.
            HotLockTimeoutError: The lock was held for longer than the timeout.
            HotFileUnavailableError: The file cannot be written; the old content stands.
            InvalidInputError: An entry would read back as something else (a line that is only `§`, blank text).
        """
        path = self.path(target)
        wanted = _Wanted.of(entries)
        with faults_of(path, doing="write"):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(path, timeout=self._lock_timeout):
                raw = read_whole(path)
                if revision_of(raw) != expected:
                    raise HotConflictError(f"{path} changed since it was read; read it again")
                return self._write(target, wanted, raw)

    def annotate(self, target: Target, metas: Mapping[str, EntryMeta]) -> None:
        """Merge sidecar records by entry key and drop those of entries that are gone; the file is not touched."""
        sidecar = self._sidecar(target)
        with faults_of(sidecar.path, doing="write"):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with sidecar.held():
                raw = read_whole(self.path(target))
                text = self._decode(self.path(target), raw or b"")
                present = {*map(entry_key, parse(text, whole=sidecar.read()).texts)}
                sidecar.merge(
                    {key: meta for key, meta in metas.items() if key in present}, present=present
                )

    def _write(self, target: Target, wanted: "_Wanted", raw: bytes | None) -> HotSnapshot:
        path = self.path(target)
        sidecar = self._sidecar(target)
        text = self._decode(path, raw or b"")
        with sidecar.held():
            before = parse(text, whole=sidecar.read())
            after = render(before, tuple(wanted.metas_by_text))
            metas = {entry_key(entry): meta for entry, meta in wanted.metas_by_text.items()}
            known = {*map(entry_key, before.texts)}
            taken = sorted(known - metas.keys())
            sidecar.merge(metas, present=known | metas.keys(), taken=taken)
            written = after.encode()
            if written != (raw or b""):
                if raw and self._deserves_backup(path, raw, before, after):
                    back_up(path, raw, clock=self._clock)
                write_whole(path, written)
                raw = written
            return self._snapshot(target, raw, sidecar.read())

    def _deserves_backup(self, path: Path, raw: bytes, before: Layout, after: str) -> bool:
        foreign = raw.strip() != before.joined.encode()
        adopted = before.free_form and not has_backup(path)
        emptied = not after and len(before.texts) >= _MASS
        return foreign or adopted or emptied

    def _snapshot(
        self, target: Target, raw: bytes | None, records: Mapping[str, Mapping[str, object]]
    ) -> HotSnapshot:
        layout = parse(self._decode(self.path(target), raw or b""), whole=records)
        keyed = ((entry_key(text), text) for text in layout.texts)
        return HotSnapshot(
            target=target,
            entries=tuple(HotEntry(key, text, meta_of(records.get(key))) for key, text in keyed),
            revision=revision_of(raw),
            characters=len(layout.joined),
            limit=self._limits[target],
            free_form=layout.free_form,
        )

    def _decode(self, path: Path, raw: bytes) -> str:
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            reason = f"byte {error.start} is not UTF-8"
        else:
            if "\0" not in text:
                return with_unix_newlines(text)
            reason = "it holds NUL characters, as UTF-16 text or a file cut off by a crash does"
        raise CorruptHotFileError(
            f"{path} cannot be read as text: {reason}. {self._rescue(path, raw)}"
        )

    def _rescue(self, path: Path, raw: bytes) -> str:
        try:
            copy = back_up(path, raw, clock=self._clock)
        except OSError as error:
            _log.warning("backup failed path=%s error=%s", path, error)
            return "No backup could be made. Convert the file to UTF-8; it is left as it is."
        return f"Its bytes are kept in {copy.name}. Convert the file to UTF-8; it is left as it is."

    def _sidecar(self, target: Target) -> Sidecar:
        return Sidecar(self.sidecar_path(target), self._lock_timeout)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a commit shall leave: stripped texts in order, with what is known of each."""

    metas_by_text: Mapping[str, EntryMeta | None]

    @classmethod
    def of(cls, entries: Sequence[NewEntry]) -> "_Wanted":
        metas: dict[str, EntryMeta | None] = {}
        for entry in entries:
            text = with_unix_newlines(entry.text).strip()
            fault = fault_of(text)
            if fault is not None:
                raise InvalidInputError(f"the entry cannot stand in a hot file: {fault}")
            metas[text] = entry.meta or metas.get(text)
        return cls(metas)
