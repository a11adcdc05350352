"""`memorycore contract check` as it is typed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cold_services import ROOT, serving

from memorycore.entrypoints.cli import main

EXAMPLES = ROOT / "examples"
FEW = ("--only", "tools.present", "--only", "recall.top_k", "--only", "http.no_token")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("good")
    command = [str(EXAMPLES / "minimal_cold_server.py"), str(folder / "notes.db")]
    with serving(command, folder) as service:
        yield service.url


def test_a_service_that_keeps_the_contract_ends_with_0(
    good: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["contract", "check", good, *FEW]) == 0
    out = capsys.readouterr().out
    assert "keeps the contract: 2 passed, 0 failed, 1 skipped" in out
    assert "recall.top_k" in out


def test_the_report_is_one_json_document(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contract", "check", good, "--json", *FEW]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["conforming"] is True
    assert [one["result"] for one in document["verdicts"]] == ["passed", "passed", "skipped"]


def test_a_service_that_breaks_it_ends_with_5_and_what_was_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving([str(EXAMPLES / "faulty_cold_server.py")], tmp_path) as service:
        assert main(["contract", "check", service.url, *FEW]) == 5
    out = capsys.readouterr().out
    assert "does not keep the contract" in out
    assert "top_k 2 gave" in out


def test_a_service_that_is_not_there_is_a_fault_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["contract", "check", "http://127.0.0.1:9/mcp"]) == 5
    assert capsys.readouterr().err.startswith("memorycore: http://127.0.0.1:9/mcp")


def test_a_check_that_does_not_exist_is_told(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contract", "check", good, "--only", "no.such"]) == 2
    assert "no.such" in capsys.readouterr().err
