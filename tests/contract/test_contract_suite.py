"""Every backend we ship keeps the contract, and the suite names whatever does not."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cold_services import ANNA, AUTHORS, BEN, ROOT, running_cold_server, serving

from memorycore.adapters.cold_sqlite import open_database
from memorycore.adapters.relation_words import load_relation_words
from memorycore.bootstrap.cold_service import ColdService, open_cold_service
from memorycore.bootstrap.contract import check_contract
from memorycore.entrypoints.cold_server.tools import ContractTools
from memorycore.model.limits import ColdLimits, Retention
from memorycore.policy.relation.comparing import Comparer
from memorycore.service.cold_steps import ColdSteps
from memorycore.service.contract.suite import CHECKS
from memorycore.service.governed_cold import ColdRules, GovernedCold
from memorycore.service.recalling import Recaller
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors
from memorycore.settings import EmbedderKind, Settings
from memorycore.testing import (
    ColdStoreContract,
    ContractReport,
    CountingIds,
    FakeClock,
    HashEmbedder,
    Result,
    StoreWire,
    Surroundings,
    wire_of,
)

FAULTS = {
    "blank text passes": {"faults.blank"},
    "long text is cut": {"remember.long"},
    "a repetition is a second memory": {
        "remember.repeat",
        "remember.repeat_loop",
        "clients.same_text",
    },
    "ids change their type": {"recall.same_ids"},
    "the newest instead of nothing": {"recall.nonsense"},
    "the limit is not looked at": {"recall.top_k"},
    "scores without an end": {"recall.scores"},
    "a stack trace": {"faults.no_trace"},
    "an unknown id makes a memory": {"update.unknown", "update.forgotten"},
    "an id is a pattern": {"forget.pattern"},
}


def told(report: ContractReport) -> str:
    return "\n".join(f"{one.name}: {one.saw}" for one in report.failed)


def names(report: ContractReport, result: Result) -> set[str]:
    return {one.name for one in report.verdicts if one.result is result}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ColdService]:
    settings = Settings(memory_dir=tmp_path, data_dir=tmp_path, embedder=EmbedderKind.NONE)
    opened = open_cold_service(settings)
    yield opened
    opened.close()


@pytest.mark.slow
def test_a_store_governed_in_this_process_keeps_the_contract(service: ColdService) -> None:
    tools = ContractTools(service.served)
    around = Surroundings(other=StoreWire(tools, author="ben"))
    contract = ColdStoreContract(StoreWire(tools, author="anna"), tag="abcd", around=around)
    report = contract.run()
    assert report.conforming, told(report)
    skipped = {name for name in names(report, Result.SKIPPED) if not name.startswith("http.")}
    assert skipped == {"durable.restart"}


@pytest.mark.slow
def test_the_cold_server_keeps_the_contract_also_when_it_is_killed(tmp_path: Path) -> None:
    with running_cold_server(tmp_path, *AUTHORS) as service:
        report = check_contract(service.url, token=ANNA, other_token=BEN, restart=service.restart)
    assert report.conforming, told(report)
    assert not names(report, Result.SKIPPED)


@pytest.mark.slow
def test_the_minimal_example_keeps_the_contract(tmp_path: Path) -> None:
    command = [str(ROOT / "examples" / "minimal_cold_server.py"), str(tmp_path / "notes.db")]
    with serving(command, tmp_path) as service:
        report = check_contract(service.url, restart=service.restart)
    assert report.conforming, told(report)
    assert names(report, Result.PASSED) >= {"get.rows", "durable.restart", "http.host"}


@pytest.mark.slow
def test_each_of_the_ten_faults_of_the_faulty_example_is_named(tmp_path: Path) -> None:
    wrong = set().union(*FAULTS.values())
    right = {"remember.honest", "remember.whole", "recall.shape", "update.same_id", "forget.gone"}
    with serving([str(ROOT / "examples" / "faulty_cold_server.py")], tmp_path) as service:
        report = check_contract(service.url, only=wrong | right)
    assert len(FAULTS) == 10
    assert {one.name for one in report.failed} == wrong, told(report)
    assert names(report, Result.PASSED) == right
    assert all(one.saw for one in report.failed)


def test_the_checks_are_many_and_each_says_what_it_demands() -> None:
    assert len(CHECKS) >= 40
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert len({check.demands for check in CHECKS}) == len(CHECKS)


def test_the_suite_takes_a_store_and_its_rows_as_a_backends_author_has_them(tmp_path: Path) -> None:
    database = open_database(tmp_path / "memorycore.db")
    rows, vectors, clock = (
        database.repository,
        Vectors(HashEmbedder(), clock=FakeClock()),
        FakeClock(),
    )
    model = StoreModel(rows, vectors)
    store = GovernedCold(
        rows,
        backend="sqlite",
        rules=ColdRules(Comparer(load_relation_words(), None), None, ColdLimits()),
        steps=ColdSteps(vectors, model, Retention(), CountingIds()),
        recaller=Recaller(rows, vectors, model=model, clock=clock),
        clock=clock,
    )
    only = {"remember.whole", "update.old_text", "forget.gone", "scan.all", "idempotency.late"}
    report = ColdStoreContract(wire_of(store, rows), tag="mnop").run(only=only)
    database.close()
    assert report.conforming, told(report)
    assert names(report, Result.PASSED) == only


def test_a_check_leaves_nothing_behind_and_spares_what_was_there(tmp_path: Path) -> None:
    settings = Settings(memory_dir=tmp_path, data_dir=tmp_path, embedder=EmbedderKind.NONE)
    opened = open_cold_service(settings, embedder=HashEmbedder())
    tools = ContractTools(opened.served)
    wire = StoreWire(tools)
    kept = "The night bus to the coast leaves from platform nine."
    wire.call("remember", {"content": kept})
    only = {"remember.honest", "forget.one", "clients.writers", "update.same_id"}
    report = ColdStoreContract(wire, tag="wxyz").run(only=only)
    assert report.conforming, told(report)
    assert len(report.verdicts) == len(only)
    assert wire.call("stats", {}).fields["live"] == 1
    assert wire.call("recall", {"query": kept}).fields["hits"][0]["content"] == kept
    opened.close()
