"""The command line: one document, exit codes, no traceback, whatever is typed."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycore.entrypoints.cli import main
from memorycore.entrypoints.cli.catalogue import COMMANDS
from memorycore.entrypoints.cli.running import as_typed
from memorycore.entrypoints.opening import load_settings

RULE = "Never deploy on Fridays after 14:00."
FACT = "The staging database of project heron runs on host crane-3, port 5433."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORYCORE_EMBEDDER", "none")
    return tmp_path


class Run:
    """Runs a command and keeps what it said."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture
        self.code = 0
        self.out = self.err = ""

    def __call__(self, *arguments: str) -> "Run":
        self.code = main(arguments)
        self.out, self.err = self._capture.readouterr()
        assert "Traceback" not in self.out + self.err
        return self

    def json(self, *arguments: str) -> Any:
        self(*arguments, "--json")
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)


def test_a_fact_that_was_stored_is_recalled(run: Run) -> None:
    stored = run.json("store", FACT)
    assert (run.code, stored["status"]) == (0, "cold_stored")
    found = run.json("recall", "heron staging database")
    assert found["hits"][0]["content"] == FACT
    assert found["hits"][0]["id"] == stored["memory_id"]


def test_a_rule_goes_to_the_hot_file_and_the_audit_shows_it(run: Run, home: Path) -> None:
    assert run.json("store", RULE)["status"] == "stored"
    entries = run.json("audit")["entries"]
    assert [entry["text"] for entry in entries] == [RULE]
    assert (home / ".memorycore" / "memory" / "MEMORY.md").read_text(encoding="utf-8") == RULE


def test_the_folders_may_be_named_before_or_after_the_command(run: Run, tmp_path: Path) -> None:
    here = str(tmp_path / "a")
    run("--memory-dir", here, "--data-dir", here, "store", RULE)
    assert len(run.json("audit", "--memory-dir", here, "--data-dir", here)["entries"]) == 1
    assert run.json("audit")["entries"] == []


@pytest.mark.parametrize("name", ["usage", "audit", "overflow", "maintain", "trash", "doctor"])
def test_an_empty_memory_is_shown_kindly_and_as_json(run: Run, name: str) -> None:
    assert run(name).code == 0
    assert run.out.strip()
    assert isinstance(run.json(name), dict)


def test_recall_from_an_empty_memory_says_so(run: Run) -> None:
    assert "Nothing relevant" in run("recall", "anything").out
    assert run.json("recall", "anything")["abstained"] is True


@pytest.mark.parametrize("text", ["", "   \n\t", "a\x00b", "a\x07b", "a\udcafb", "x" * 1_000_000])
def test_text_that_cannot_be_kept_is_refused_with_a_reason(run: Run, text: str) -> None:
    answer = run.json("store", text)
    assert answer["status"] == "rejected"
    assert answer["reason"]
    assert run.code == 2


@pytest.mark.parametrize("text", ["§", "a\n§\nb", "§\nb", "a\n§", "a\r\n§\r\nb"])
def test_text_with_the_separator_stays_one_entry(run: Run, text: str) -> None:
    run.json("store", "Always " + text)
    assert len(run.json("audit")["entries"]) <= 1


@pytest.mark.parametrize("query", ["", " ", "\x00", "a\udcaf", '"', "NOT", "*", "x" * 100_000])
def test_no_query_breaks_recall(run: Run, query: str) -> None:
    run("store", FACT)
    answer = run.json("recall", query)
    assert "hits" in answer or answer["error"]["code"] == "invalid_input"


@pytest.mark.parametrize(
    "arguments",
    [
        ("store",),
        ("store", RULE, "--importance", "high"),
        ("store", RULE, "--importance", "7"),
        ("store", RULE, "--target", "nowhere"),
        ("recall", "x", "--top-k", "0"),
        ("recall", "x", "--as-of", "yesterday"),
        ("audit", "--target", "all"),
        ("history", "no-such-id"),
        ("import", "no-such-file"),
        ("init", "--client", "emacs"),
        ("nonsense",),
        ("usage", "--nonsense"),
    ],
)
def test_wrong_input_gets_one_error_document_and_exit_code_2(
    run: Run, arguments: tuple[str, ...]
) -> None:
    answer = run.json(*arguments)
    if arguments[0] == "history" and "error" not in answer:
        assert answer["events"] == []
        return
    assert run.code == 2
    assert answer["error"]["message"]
    assert run.err == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("http_port", "99999999"),
        ("watermarks", "high"),
        ("embedder", "magic"),
        ("retention", "[1]"),
    ],
)
def test_a_wrong_setting_is_named_and_exits_with_3(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"MEMORYCORE_{name.upper()}", value)
    assert run("usage").code == 3
    assert name in run.err
    assert run.out == ""


def test_a_list_is_set_by_names_and_commas(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYCORE_HTTP_ALLOWED_HOSTS", "mem.internal, proxy.example")
    assert run("usage").code == 0
    assert load_settings().http_allowed_hosts == ("mem.internal", "proxy.example")


def test_a_hot_file_that_is_no_utf8_is_told_and_left_alone(run: Run, home: Path) -> None:
    folder = home / ".memorycore" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_bytes(b"User prefers caf\xe9")
    run("store", RULE)
    run("audit")
    assert (folder / "MEMORY.md").read_bytes() == b"User prefers caf\xe9"


def test_a_folder_in_place_of_the_database_is_one_clear_sentence(run: Run, home: Path) -> None:
    (home / ".memorycore" / "data" / "memorycore.db").mkdir(parents=True)
    assert run("usage").code == 5
    assert len(run.err.strip().splitlines()) <= 2


def test_doctor_reports_a_store_that_cannot_be_opened(run: Run, home: Path) -> None:
    (home / ".memorycore" / "data" / "memorycore.db").mkdir(parents=True)
    report = run.json("doctor")
    assert run.code == 1
    assert report["healthy"] is False


def test_text_is_read_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FACT.encode())))
    assert run.json("store", "-")["status"] == "cold_stored"


def test_standard_input_that_is_no_utf8_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))
    assert run("store", "-").code == 2
    assert "UTF-8" in run.err


def test_control_characters_of_a_memory_are_not_sent_to_the_terminal(run: Run, home: Path) -> None:
    folder = home / ".memorycore" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(
        "Always \x1b[2J\x1b]0;owned\x07 \u202egreet.", encoding="utf-8"
    )
    out = run("audit").out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_forgetting_only_shows_unless_it_is_told_to_act(run: Run) -> None:
    memory = run.json("store", FACT)["memory_id"]
    assert run.json("forget", memory)["dry_run"] is True
    assert run.json("recall", "heron staging")["hits"]
    assert run.json("forget", memory, "--yes")["dry_run"] is False
    assert run.json("recall", "heron staging")["hits"] == []
    assert run.json("trash")["total"] == 1
    run("revive", memory)
    assert run.json("recall", "heron staging")["hits"]


def test_what_is_exported_can_be_imported_elsewhere(run: Run, tmp_path: Path) -> None:
    run("store", FACT)
    path = str(tmp_path / "all.jsonl")
    assert run.json("export", path)["exported"] == 1
    there = ("--data-dir", str(tmp_path / "b"), "--memory-dir", str(tmp_path / "c"))
    assert run.json("import", path, *there)["stored"] == 1
    assert run.json("recall", "heron staging", *there)["hits"][0]["content"] == FACT


def test_a_correction_replaces_what_was_true(run: Run) -> None:
    run("store", FACT)
    result = run.json("supersede", "staging database of heron", FACT.replace("5433", "6000"))
    assert len(result["superseded"]) == 1
    assert "6000" in run.json("recall", "heron staging database")["hits"][0]["content"]
    kinds = [event["kind"] for event in run.json("history", result["memory_id"])["events"]]
    assert kinds


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_takes_json(run: Run, name: str) -> None:
    assert run(name, "--help").code == 0
    assert "--json" in run.out
    assert "Example:" in run.out


def test_the_bare_command_shows_the_help(run: Run) -> None:
    assert run().code == 0
    assert "memorycore demo" in run.out
    assert all(name in run.out for name in COMMANDS)


def test_an_argument_is_repaired_where_the_locale_is_not_utf8() -> None:
    raw = "café 北京".encode().decode("ascii", "surrogateescape")
    assert as_typed(raw) == "café 北京"
    assert as_typed("lone \udcaf") == "lone \udcaf"
