"""The hot store on a real folder: what the host sees, what a fault leaves behind."""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.adapters.hot_markdown.locking import locked
from memorycore.errors import (
    CorruptHotFileError,
    HotConflictError,
    HotFileUnavailableError,
    HotLockTimeoutError,
    InvalidInputError,
)
from memorycore.model.hot import EntryMeta, HotSnapshot, NewEntry, Origin
from memorycore.model.routing import EntryType, Target
from memorycore.ports.hot import HotStore

NOON = datetime(2026, 4, 2, 12, tzinfo=UTC)
MEMORY = Target.MEMORY


class StillClock:
    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        return 0.0


def store_in(folder: Path, *, lock_timeout: float = 5.0) -> HotStore:
    limits = {Target.MEMORY: 2200, Target.USER: 1375}
    return MarkdownHotStore(folder, limits=limits, clock=StillClock(), lock_timeout=lock_timeout)


def meta(*, memory_id: str | None = None, at: datetime = NOON) -> EntryMeta:
    return EntryMeta(EntryType.RULE, at, at, Origin.STORE, memory_id=memory_id)


def put(store: HotStore, *texts: str) -> HotSnapshot:
    entries = [NewEntry(text, meta()) for text in texts]
    return store.commit(MEMORY, entries, expected=store.read(MEMORY).revision)


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def backups(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.glob("MEMORY.md.bak.*")]


def strays(folder: Path) -> list[Path]:
    return list(folder.glob(".mem_*"))


def test_written_bytes_are_the_hosts_form(tmp_path: Path) -> None:
    snapshot = put(store_in(tmp_path), " Prefers tea. \n", "Line one\r\nline two")
    raw = (tmp_path / "MEMORY.md").read_bytes()
    assert raw == "Prefers tea.\n§\nLine one\nline two".encode()
    assert snapshot.characters == len(raw.decode())
    assert (tmp_path / "MEMORY.md").stat().st_mode & 0o777 == 0o600


def test_reading_a_folder_that_is_not_there_creates_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "memories"
    snapshot = store_in(folder).read(MEMORY)
    assert snapshot.entries == ()
    assert not folder.exists()


def test_a_missing_file_is_another_revision_than_an_empty_one(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    missing = store.read(MEMORY).revision
    (tmp_path / "MEMORY.md").write_bytes(b"")
    with pytest.raises(HotConflictError):
        store.commit(MEMORY, [NewEntry("a", None)], expected=missing)


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbfone\r\n\xc2\xa7\r\ntwo",
        "one\n§\n\n two \n§\none\n§\n".encode(),
        "§\none\n§\n§\ntwo\n§".encode(),
    ],
    ids=["bom and crlf", "doubles and blanks", "stray marks"],
)
def test_a_file_in_a_foreign_form_is_backed_up_before_its_first_rewrite_only(
    tmp_path: Path, raw: bytes
) -> None:
    (tmp_path / "MEMORY.md").write_bytes(raw)
    store = store_in(tmp_path)
    assert [entry.text for entry in store.read(MEMORY).entries] == ["one", "two"]
    assert listing(tmp_path) == {"MEMORY.md": raw}
    put(store, "one", "two", "three")
    put(store, "one", "two", "three", "four")
    assert backups(tmp_path) == [raw]


def test_a_document_is_backed_up_once_and_shrinks_in_its_own_bytes(tmp_path: Path) -> None:
    text = "# Notes\n\n- alpha rule\n- beta rule\n\n## Later\n- gamma rule\n"
    (tmp_path / "MEMORY.md").write_text(text, encoding="utf-8")
    store = store_in(tmp_path)
    assert store.read(MEMORY).free_form
    put(store, "alpha rule", "gamma rule")
    put(store, "alpha rule", "gamma rule", "delta rule")
    assert (tmp_path / "MEMORY.md").read_text(encoding="utf-8") == (
        "# Notes\n\n- alpha rule\n## Later\n- gamma rule\n§\ndelta rule"
    )
    assert backups(tmp_path) == [text.encode()]


def test_emptying_a_file_of_several_entries_leaves_a_backup(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    put(store, "a", "b", "c")
    put(store)
    assert (tmp_path / "MEMORY.md").read_bytes() == b""
    assert backups(tmp_path) == ["a\n§\nb\n§\nc".encode()]


@pytest.mark.parametrize(
    "raw",
    [
        b"User likes caf\xe9",
        "用户喜欢茶".encode("gbk"),
        "likes tea".encode("utf-16"),
        "likes tea".encode("utf-16-le"),
        b"cut off\0\0\0\0",
    ],
    ids=["latin-1", "gbk", "utf-16", "utf-16 without mark", "nul"],
)
def test_bytes_that_do_not_decode_are_kept_and_never_written_over(
    tmp_path: Path, raw: bytes
) -> None:
    (tmp_path / "MEMORY.md").write_bytes(raw)
    store = store_in(tmp_path)
    for _ in range(2):
        with pytest.raises(CorruptHotFileError, match=r"MEMORY\.md\.bak"):
            store.read(MEMORY)
    with pytest.raises((CorruptHotFileError, HotConflictError)):
        store.commit(MEMORY, [NewEntry("a", None)], expected="absent")
    assert (tmp_path / "MEMORY.md").read_bytes() == raw
    assert backups(tmp_path) == [raw]


def test_a_change_by_somebody_else_since_the_read_is_a_conflict_and_stands(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    before = put(store, "a")
    (tmp_path / "MEMORY.md").write_text("a\n§\nby hand", encoding="utf-8")
    with pytest.raises(HotConflictError):
        store.commit(MEMORY, [NewEntry("b", None)], expected=before.revision)
    assert (tmp_path / "MEMORY.md").read_text(encoding="utf-8") == "a\n§\nby hand"


def test_an_entry_that_would_split_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    put(store, "a")
    before = listing(tmp_path)
    with pytest.raises(InvalidInputError, match="§"):
        put(store, "a", "Deploy checklist:\r\n§\r\nrun migration")
    assert listing(tmp_path) == before


def test_a_held_lock_ends_in_a_timeout_and_the_lock_file_stays(tmp_path: Path) -> None:
    store = store_in(tmp_path, lock_timeout=0.01)
    revision = put(store, "a").revision
    with locked(tmp_path / "MEMORY.md", timeout=1), pytest.raises(HotLockTimeoutError):
        store.commit(MEMORY, [NewEntry("b", None)], expected=revision)
    assert (tmp_path / "MEMORY.md.lock").exists()


def test_threads_that_retry_on_conflict_all_get_their_entry_in(tmp_path: Path) -> None:
    def add(name: str) -> None:
        store = store_in(tmp_path)
        while True:
            snapshot = store.read(MEMORY)
            kept = [NewEntry(entry.text, entry.meta) for entry in snapshot.entries]
            try:
                store.commit(MEMORY, [*kept, NewEntry(name, meta())], expected=snapshot.revision)
            except HotConflictError:
                continue
            return

    threads = [threading.Thread(target=add, args=(f"fact {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = store_in(tmp_path).read(MEMORY).entries
    assert {entry.text for entry in entries} == {f"fact {n}" for n in range(6)}
    assert all(entry.meta for entry in entries)


def test_a_symbolic_link_and_the_mode_bits_survive_a_write(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "memory.md"
    real.parent.mkdir()
    real.write_text("a", encoding="utf-8")
    real.chmod(0o644)
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "MEMORY.md").symlink_to(real)
    put(store_in(folder), "a", "b")
    assert (folder / "MEMORY.md").is_symlink()
    assert real.read_text(encoding="utf-8") == "a\n§\nb"
    assert real.stat().st_mode & 0o777 == 0o644


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, call: str, code: int) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        owner = Path if call == "replace" else os
        patch.setattr(owner, call, refuse)
        yield


@pytest.mark.parametrize(
    ("call", "code", "advice"),
    [
        ("fsync", errno.ENOSPC, "disk is full"),
        ("fsync", errno.EDQUOT, "quota"),
        ("replace", errno.EROFS, "read-only"),
        ("replace", errno.EACCES, "permission"),
    ],
)
def test_a_failed_write_says_what_to_do_and_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, advice: str
) -> None:
    store = store_in(tmp_path)
    revision = put(store, "a").revision
    with (
        failing(monkeypatch, call, code),
        pytest.raises(HotFileUnavailableError, match=advice),
    ):
        store.commit(MEMORY, [NewEntry("b", None)], expected=revision)
    assert (tmp_path / "MEMORY.md").read_text(encoding="utf-8") == "a"
    assert not strays(tmp_path)


@pytest.mark.parametrize("code", [errno.EBUSY, errno.EXDEV])
def test_a_file_mounted_by_itself_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    store = store_in(tmp_path)
    revision = put(store, "a longer first entry").revision
    with failing(monkeypatch, "replace", code):
        store.commit(MEMORY, [NewEntry("b", None)], expected=revision)
    assert (tmp_path / "MEMORY.md").read_text(encoding="utf-8") == "b"
    assert not strays(tmp_path)


def test_a_folder_in_the_place_of_the_file_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").mkdir()
    with pytest.raises(HotFileUnavailableError, match="folder in its place"):
        store_in(tmp_path).read(MEMORY)
