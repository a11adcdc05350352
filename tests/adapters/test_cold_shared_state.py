"""What all who share a store agree on: leases, job records, and which model made the vectors."""

from cold_rows import BY, DAY, NOW, found, put, trash, unit

from memorycore.bootstrap.databases import Databases
from memorycore.ports import STATE_DIMENSION, STATE_MODEL, Revise

pytest_plugins = ["cold_backends"]


def test_a_lease_is_held_by_one_owner_until_it_ends(database: Databases) -> None:
    acquire = database.leases.acquire
    assert acquire("job", owner="one", now=NOW, until=NOW + DAY)
    assert not acquire("job", owner="two", now=NOW, until=NOW + DAY)
    assert acquire("job", owner="one", now=NOW, until=NOW + 2 * DAY)
    assert acquire("job", owner="two", now=NOW + 3 * DAY, until=NOW + 4 * DAY)
    database.leases.release("job", owner="one")
    assert not acquire("job", owner="one", now=NOW + 3 * DAY, until=NOW + 4 * DAY)
    database.leases.release("job", owner="two")
    assert acquire("job", owner="one", now=NOW + 3 * DAY, until=NOW + 4 * DAY)


def test_runs_of_jobs_are_remembered(database: Databases) -> None:
    database.leases.record_run("tidy", at=NOW, error="disk full", due=NOW + DAY)
    database.leases.record_run("tidy", at=NOW + DAY, error=None, due=None)
    [job] = database.leases.jobs()
    assert (job.name, job.last_run, job.last_error, job.due) == ("tidy", NOW + DAY, None, None)


def test_staged_vectors_replace_the_old_ones_at_once_and_never_before(
    database: Databases,
) -> None:
    put(database, "a", "the harbour opens at six", unit(1, 0))
    put(database, "b", "the boat is green", unit(0, 1))
    put(database, "c", "gone but kept", unit(1, 1))
    trash(database, "c")
    repository = database.repository
    assert [one.id for one in repository.unstaged("new")] == ["a", "b", "c"]
    staged = {"a": (1, unit(1, 0, 0)), "b": (1, unit(0, 1, 0)), "c": (1, unit(0, 0, 1))}
    assert repository.stage_vectors("new", staged) == 3
    assert repository.unstaged("new") == []
    assert len(repository.unstaged("third")) == 3
    assert found(database, "", unit(1, 0)) == {"a", "b"}
    change = Revise("b", "the boat is blue", unit(0, 1), 0.5, 1)
    repository.apply([change], provenance=BY, at=NOW)
    assert [one.id for one in repository.unstaged("new")] == ["b"]
    assert repository.adopt_staged("new", dimension=3) == 2
    assert (repository.state(STATE_MODEL), repository.state(STATE_DIMENSION)) == ("new", "3")
    assert found(database, "", unit(1, 0)) == set()
    assert found(database, "", unit(1, 0, 0)) == {"a"}
    assert found(database, "", unit(0, 0, 1), trashed=True) == {"a", "c"}
    assert [one.id for one in repository.missing_vectors()] == ["b"]
    assert repository.integrity() is None
