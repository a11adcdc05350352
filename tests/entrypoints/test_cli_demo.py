"""The demo: the first thing a newcomer sees."""

import json
from pathlib import Path

import pytest

from memorycore.entrypoints.cli import main


def test_the_demo_shows_the_main_job_and_touches_nothing_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORYCORE_COLD_BACKEND", "mcp")
    monkeypatch.setenv("MEMORYCORE_COLD_URL", "http://127.0.0.1:9/mcp")
    assert main(["demo", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown) == ["before", "overflow", "stored", "recalled", "after"]
    statuses = [result["status"] for result in shown["stored"]]
    assert {"stored", "cold_stored", "cold_superseded", "rejected"} <= set(statuses)
    assert "ghp_" not in json.dumps(shown)
    assert shown["before"]["hot"][0]["pressure"] > 0.8
    assert shown["after"]["hot"][0]["pressure"] < 0.6
    assert shown["recalled"][0]["hits"][0]["content"].startswith("Never deploy the order service")
    assert shown["recalled"][-1]["abstained"] is True
    assert {path.name for path in tmp_path.iterdir()} <= {".cache"}
