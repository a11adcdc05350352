"""`memorycore migrate`, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cold_services import ANNA, AUTHORS, running_cold_server

from memorycore.entrypoints.cli import main

pytest_plugins = ["cold_backends"]

FACT = "The staging database of project heron runs on host crane-3, port 5433."

Run = Callable[..., tuple[int, Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORYCORE_EMBEDDER", "none")

    def run_one(*arguments: str) -> tuple[int, Any]:
        code = main((*arguments, "--json"))
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, json.loads(said.out) if code == 0 else said.out + said.err

    code, stored = run_one("store", FACT)
    assert (code, stored["status"]) == (0, "cold_stored")
    return run_one


def test_a_store_moves_to_postgres_and_back_and_is_used_there(
    run: Run, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_postgres = ("migrate", "--to", "postgres", "--url", postgres_url)
    code, planned = run(*to_postgres, "--dry-run")
    assert (code, planned["dry_run"], planned["source"]["live"]) == (0, True, 1)
    code, moved = run(*to_postgres)
    assert (code, moved["moved"], moved["verified"]) == (0, 1, True)
    assert run(*to_postgres)[1]["unchanged"] == 1
    monkeypatch.setenv("MEMORYCORE_COLD_BACKEND", "postgres")
    monkeypatch.setenv("MEMORYCORE_COLD_URL", postgres_url)
    assert [hit["content"] for hit in run("recall", "heron staging")[1]["hits"]] == [FACT]
    back = str(tmp_path / "back.db")
    code, moved = run("migrate", "--to", "sqlite", "--url", back)
    assert (code, moved["moved"], moved["verified"]) == (0, 1, True)


def test_a_plan_leaves_the_target_untouched(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "planned.db"
    assert run("migrate", "--to", "sqlite", "--url", str(target), "--dry-run")[0] == 0
    assert not target.exists()


@pytest.mark.parametrize(
    "options",
    [("--to", "sqlite"), ("--to", "postgres"), ("--to", "mcp"), ("--to", "postgres", "--url", "x")],
)
def test_a_target_that_is_none_is_a_question_of_configuration(
    run: Run, options: tuple[str, ...]
) -> None:
    code, told = run("migrate", *options)
    assert (code, "url" in told) == (3, True)


def test_a_database_that_is_not_there_is_told_without_its_password(run: Run) -> None:
    url = "postgresql://heron:s3cr3t-word@127.0.0.1:1/none"
    code, told = run("migrate", "--to", "postgres", "--url", url)
    assert (code, "s3cr3t" in told) == (5, False)


@pytest.mark.slow
def test_a_service_is_told_every_live_memory_and_nothing_twice(run: Run, tmp_path: Path) -> None:
    with running_cold_server(tmp_path / "served", *AUTHORS) as service:
        to_service = ("migrate", "--to", "mcp", "--url", service.url, "--token", ANNA)
        for _ in range(2):
            code, moved = run(*to_service)
            assert (code, moved["verified"]) == (0, True)
            assert "live memories only" in moved["notes"][0]
        code, usage = run("recall", "heron staging")
        assert len(usage["hits"]) == 1
