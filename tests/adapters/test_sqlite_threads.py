"""Many writers and readers on one SQLite file: nothing is lost, nobody sees half of a change."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cold_rows import BY, NOW, found, put, row, unit

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.model.memory import TrashReason
from memorycore.ports import Change, Discard, Insert

WRITERS, EACH = 6, 20


def write(database: SqliteDatabase, writer: int) -> None:
    for number in range(EACH):
        put(database, f"{writer}-{number}", f"fact {number} of writer {writer}", unit(1, number))
        assert f"{writer}-{number}" in found(database, f"fact {number} writer {writer}", limit=200)


def test_writes_of_threads_and_of_two_openings_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "memorycore.db"
    openings = [open_database(path), open_database(path)]
    with ThreadPoolExecutor(WRITERS) as pool:
        jobs = [pool.submit(write, openings[number % 2], number) for number in range(WRITERS)]
        for job in jobs:
            job.result()
    for database in openings:
        assert database.repository.counts().live == WRITERS * EACH
        assert len(found(database, "", unit(1, 1), limit=1000)) == WRITERS * EACH
        assert database.repository.integrity() is None
        database.close()


def test_a_reader_sees_a_replacement_whole_or_not_at_all(tmp_path: Path) -> None:
    database = open_database(tmp_path / "memorycore.db")
    put(database, "v0", "the tariff is 0 euros")

    def replace() -> None:
        for number in range(1, 40):
            changes: list[Change] = [
                Insert(row(f"v{number}", f"the tariff is {number} euros"), None),
                Discard(f"v{number - 1}", TrashReason.SUPERSEDED, NOW),
            ]
            database.repository.apply(changes, provenance=BY, at=NOW)

    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(replace)
        while not job.done():
            live = database.repository.scan()
            assert len(live) == 1
        job.result()
    assert found(database, "tariff") == {"v39"}
    database.close()
