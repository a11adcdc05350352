"""The remote cold tier: services of every style, and remotes that are slow, restarted, full or dead."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from scripted_service import Script, scripted

from memorycore.adapters.cold_remote import Endpoint, McpWire, RemoteCold
from memorycore.adapters.cold_remote.breaker import Breaker
from memorycore.errors import (
    ColdTierError,
    ColdUnavailableError,
    ContractError,
    InvalidInputError,
    UnknownMemoryError,
)
from memorycore.model.memory import Provenance, TrashReason
from memorycore.ports import Draft, Outcome, RecallQuery
from memorycore.testing import FakeClock

BECAUSE = Provenance("tester", "test", "told so")
TEXT = "The night ferry leaves from the eastern pier."


@dataclass
class Remote:
    cold: RemoteCold
    wire: McpWire
    script: Script

    def remember(self, text: str = TEXT, **more: Any) -> Any:
        return self.cold.remember(Draft(text, BECAUSE, **more))

    def forget(self, memory_id: str) -> bool:
        return self.cold.forget(memory_id, reason=TrashReason.USER, provenance=BECAUSE)

    def contents(self, **more: Any) -> list[str]:
        return [hit.content for hit in self.cold.recall(RecallQuery("ferry", **more)).hits]


@contextmanager
def connected(
    url: str, script: Script, *, timeout: float = 5, pause: float = 60
) -> Iterator[Remote]:
    endpoint = Endpoint(url, "a-token", timeout=timeout, first_pause=pause)
    wire = McpWire(endpoint, monotonic=time.monotonic, jitter=lambda: 0.0)
    try:
        yield Remote(RemoteCold(wire, monotonic=time.monotonic), wire, script)
    finally:
        wire.close()


@pytest.fixture
def script() -> Script:
    script = Script()
    script.tools["remember"] = lambda given: {"status": "stored", "id": "m1", **given}
    script.tools["recall"] = lambda _: {"hits": [hit()], "abstained": False, "degraded": None}
    script.tools["forget"] = lambda given: {"forgotten": True, "id": given["id"]}
    script.tools["update"] = lambda given: {"status": "updated", **given}
    return script


@pytest.fixture
def remote(script: Script) -> Iterator[Remote]:
    with scripted(script) as url, connected(url, script) as remote:
        yield remote


def hit(**fields: Any) -> dict[str, Any]:
    return {"id": "m1", "content": TEXT, "score": 0.8} | fields


def within(seconds: float, call: Callable[[], object]) -> None:
    begun = time.monotonic()
    with pytest.raises(ColdUnavailableError):
        call()
    assert time.monotonic() - begun < seconds


ANSWERS_OF_REMEMBER = [
    ({"status": "stored", "id": "m1"}, Outcome.STORED, "m1"),
    ({"status": "ok", "memory_id": 17}, Outcome.STORED, "17"),
    ({"id": 3}, Outcome.STORED, "3"),
    ({"id": "x", "duplicate": True}, Outcome.DUPLICATE, "x"),
    ({"status": "exists", "id": "x"}, Outcome.DUPLICATE, "x"),
    ({"status": "superseded", "id": "n", "related_id": 4}, Outcome.SUPERSEDED, "n"),
    ({"status": "queued"}, Outcome.QUEUED, ""),
    ({"status": "accepted", "id": "job-1"}, Outcome.QUEUED, "job-1"),
]


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize(("answer", "outcome", "memory_id"), ANSWERS_OF_REMEMBER)
def test_what_became_of_a_text_is_read_in_every_style(
    remote: Remote, answer: dict[str, Any], outcome: Outcome, memory_id: str, as_text: bool
) -> None:
    remote.script.as_text = as_text
    remote.script.tools["remember"] = lambda _: answer
    kept = remote.remember()
    assert (kept.outcome, kept.memory_id) == (outcome, memory_id)


@pytest.mark.parametrize("answer", [{"status": "hmm", "id": "1"}, {"status": "stored"}, [], "fine"])
def test_an_answer_that_does_not_say_where_the_text_is_counts_as_not_stored(
    remote: Remote, answer: Any
) -> None:
    remote.script.tools["remember"] = lambda _: answer
    with pytest.raises(ContractError):
        remote.remember()


@pytest.mark.parametrize(
    "answer",
    [
        {"hits": [hit()]},
        {"results": [{"memory_id": "m1", "text": TEXT, "dense_score": 0.8}]},
        {"result": '{"memories": [{"id": "m1", "memory": "' + TEXT + '", "score": 0.8}]}'},
        [hit()],
        hit(),
    ],
)
def test_hits_are_read_in_every_style(remote: Remote, answer: Any) -> None:
    remote.script.tools["recall"] = lambda _: answer
    found = remote.cold.recall(RecallQuery("ferry"))
    assert [(one.id, one.content, one.score) for one in found.hits] == [("m1", TEXT, 0.8)]
    assert not found.abstained


def test_a_malformed_row_is_left_out_with_a_warning_and_costs_no_other(
    remote: Remote, caplog: pytest.LogCaptureFixture
) -> None:
    bad: list[Any] = [
        None,
        "text",
        {"content": "no id", "score": 1},
        {"id": "a", "score": 1},
        hit(id=True),
        hit(score="high"),
        hit(score=float("nan")),
        hit(content=["x"]),
    ]
    odd = hit(id="m2", score=7.5, created_at="yesterday", importance="much", why="because")
    remote.script.tools["recall"] = lambda _: {"hits": [*bad, hit(), odd]}
    with caplog.at_level(logging.WARNING):
        found = remote.cold.recall(RecallQuery("ferry"))
    assert [(one.id, one.score) for one in found.hits] == [("m2", 1.0), ("m1", 0.8)]
    assert "malformed=8 of=10" in caplog.text


@pytest.mark.parametrize(
    ("answer", "forgotten"),
    [
        ({"forgotten": True}, True),
        ({"forgotten": False}, False),
        ({"deleted": 1}, True),
        ({"deleted": 0}, False),
        ({"status": "deleted"}, True),
        ({"status": "not_found"}, False),
        ({"error": {"code": "unknown_memory", "message": "no such"}}, False),
    ],
)
def test_what_was_forgotten_is_read_in_every_style(
    remote: Remote, answer: dict[str, Any], forgotten: bool
) -> None:
    remote.script.tools["forget"] = lambda _: answer
    assert remote.forget("m1") is forgotten


@pytest.mark.parametrize("declared", ["integer", "string", ""])
def test_an_id_goes_back_in_the_type_in_which_it_came(remote: Remote, declared: str) -> None:
    remote.script.types["id"] = declared
    remote.script.tools["recall"] = lambda _: {"hits": [hit(id=42)]}
    found = remote.cold.recall(RecallQuery("ferry"))
    remote.forget(found.hits[0].id)
    sent = remote.script.made("forget")[0]["id"]
    assert sent == (42 if declared != "string" else "42")
    assert isinstance(sent, str) is (declared == "string")


def test_a_service_gets_only_the_parameters_it_names(remote: Remote) -> None:
    remote.remember(importance=0.9, source="mail")
    assert remote.script.made("remember") == [{"content": TEXT}]
    remote.contents(scope="project:x", about="pier")
    assert remote.script.made("recall") == [{"query": "ferry", "top_k": 5}]


def test_a_service_that_names_them_gets_provenance_and_key(script: Script) -> None:
    named = ("content", "importance", "tool", "reason", "idempotency_key")
    script.parameters["remember"] = named
    with scripted(script) as url, connected(url, script) as remote:
        remote.cold.remember(Draft(TEXT, BECAUSE), key="k1")
    assert script.made("remember") == [
        {
            "content": TEXT,
            "importance": 0.5,
            "tool": "test",
            "reason": "told so",
            "idempotency_key": "k1",
        }
    ]
    assert {one["authorization"] for one in script.headers} == {"Bearer a-token"}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "invalid_input", "message": "too long"}, InvalidInputError),
        ({"code": "unknown_memory", "message": "no such"}, UnknownMemoryError),
        ({"code": "unavailable", "message": "busy"}, ColdUnavailableError),
        ({"code": "odd", "message": "x", "retryable": True}, ColdUnavailableError),
        ({"code": "odd", "message": "x"}, ColdTierError),
        ("plain words", ColdTierError),
    ],
)
def test_a_refusal_is_a_fault_that_repeats_the_reason(
    remote: Remote, error: Any, kind: type[Exception]
) -> None:
    remote.script.tools["remember"] = lambda _: {"error": error}
    with pytest.raises(kind) as caught:
        remote.remember()
    assert type(caught.value) is kind
    assert (error["message"] if isinstance(error, dict) else error) in str(caught.value)


def test_another_major_of_the_contract_is_refused_by_name(remote: Remote) -> None:
    remote.script.tools["stats"] = lambda _: {"contract_version": "2.0", "live": 0}
    with pytest.raises(ContractError, match=r"2\.0"):
        remote.remember()
    assert not remote.script.made("remember")


def test_a_service_without_the_five_tools_is_refused_by_name(script: Script) -> None:
    del script.parameters["update"]
    with (
        scripted(script) as url,
        connected(url, script) as remote,
        pytest.raises(ColdUnavailableError, match="update"),
    ):
        remote.remember()


def test_another_author_is_not_mixed_with_the_tokens_own(remote: Remote) -> None:
    with pytest.raises(InvalidInputError, match="token"):
        remote.remember(author="ben")
    with pytest.raises(InvalidInputError, match="token"):
        remote.contents(author="ben")
    assert not remote.script.made("remember")


def test_a_text_is_read_back_by_its_own_words_where_there_is_no_get(remote: Remote) -> None:
    kept = remote.remember()
    assert remote.cold.read(kept.memory_id) == TEXT
    remote.script.tools["recall"] = lambda _: {"hits": [hit(id="other")]}
    assert remote.cold.read(kept.memory_id) is None
    assert remote.cold.read("never seen") is None


def test_a_text_is_read_back_by_id_where_there_is_get(script: Script) -> None:
    script.parameters["get"] = ("ids",)
    script.tools["get"] = lambda given: {"memories": [hit(id=given["ids"][0])]}
    with scripted(script) as url, connected(url, script) as remote:
        assert remote.cold.read("m9") == TEXT


def test_the_history_is_told_by_services_that_have_one_and_bad_lines_are_left_out(
    script: Script,
) -> None:
    who = {"actor": "anna", "tool": "cli", "reason": "asked"}
    line = {"at": "2026-01-02T03:04:05+00:00", "kind": "stored", "provenance": who}
    script.tools["history"] = lambda given: {
        "events": [{**line, "memory_id": given["id"]}, {**line, "kind": "odd"}, {}, None]
    }
    with scripted(script) as url, connected(url, script) as remote:
        assert remote.cold.history("m1") == []
    script.parameters["history"] = ("id",)
    with scripted(script) as url, connected(url, script) as remote:
        events = remote.cold.history("m1")
    assert [(one.memory_id, one.kind.value, one.provenance.actor) for one in events] == [
        ("m1", "stored", "anna")
    ]


def test_a_lost_session_is_opened_again_once(script: Script) -> None:
    script.sessions = True
    with scripted(script) as url, connected(url, script) as remote:
        remote.remember()
        script.forget_sessions()
        remote.remember()
        assert script.opened == 2
        assert len(script.made("remember")) == 2


def test_a_service_that_never_knows_its_sessions_is_not_asked_for_ever(script: Script) -> None:
    with scripted(script) as url, connected(url, script) as remote:
        remote.remember()
        script.statuses = [404, 404, 404]
        with pytest.raises(ColdUnavailableError):
            remote.remember()
        assert script.opened == 2


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_passing_failure_is_tried_again(remote: Remote, status: int) -> None:
    remote.remember()
    remote.script.statuses = [status]
    assert remote.remember().outcome is Outcome.STORED
    assert len(remote.script.made("remember")) == 2


def test_a_failure_that_lasts_is_tried_a_bounded_number_of_times(remote: Remote) -> None:
    remote.remember()
    remote.script.statuses = [500] * 10
    with pytest.raises(ColdUnavailableError, match="500"):
        remote.remember()
    assert len(remote.script.statuses) == 7


def test_a_service_that_asks_for_patience_gets_it_without_a_new_session(remote: Remote) -> None:
    remote.remember()
    remote.script.statuses = [(429, {"retry-after": "0"})] * 6
    assert remote.remember().outcome is Outcome.STORED
    assert remote.remember().outcome is Outcome.STORED
    assert len(remote.script.made("remember")) == 3


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_is_told_with_the_setting_and_not_tried_again(
    remote: Remote, status: int
) -> None:
    remote.remember()
    remote.script.statuses = [status, status]
    with pytest.raises(ColdUnavailableError, match="cold_token"):
        remote.remember()
    assert len(remote.script.statuses) == 1


def test_a_service_that_refuses_the_end_of_a_handshake_is_asked_again(remote: Remote) -> None:
    remote.script.refused_notices = 1
    assert remote.remember().outcome is Outcome.STORED
    assert len(remote.script.made("remember")) == 1


def test_a_text_that_is_too_large_says_nothing_about_the_next(remote: Remote) -> None:
    remote.remember()
    remote.script.statuses = [413]
    with pytest.raises(ContractError, match="too large"):
        remote.remember()
    assert remote.remember().outcome is Outcome.STORED


@pytest.mark.parametrize("raw", [b"<html>", b"[]", b'{"jsonrpc": "2.0", "id": 0}'])
def test_something_else_than_the_protocol_is_a_fault_and_no_hang(
    script: Script, raw: bytes
) -> None:
    with scripted(script) as url, connected(url, script, timeout=1) as remote:
        remote.remember()
        script.raw = raw
        with pytest.raises(ColdTierError):
            remote.remember()


def test_a_remote_that_never_answers_costs_its_timeout_once(script: Script) -> None:
    with scripted(script) as url, connected(url, script, timeout=2) as remote:
        remote.remember()
        script.hang()
        within(15, remote.remember)
        within(1.5, remote.remember)
        within(1.5, remote.contents)
        assert remote.wire.down is not None


def test_a_slow_drip_ends_at_the_deadline(script: Script) -> None:
    with scripted(script) as url, connected(url, script, timeout=0.5) as remote:
        remote.remember()
        script.drip = True
        within(3, remote.remember)


def test_thirty_turns_never_wait_for_a_dead_remote_twice(script: Script) -> None:
    with scripted(script) as url, connected(url, script, timeout=5) as remote:
        remote.remember()
        script.hang()
        within(4, lambda: remote.contents(budget=0.2))
        begun = time.monotonic()
        for _ in range(30):
            within(4, lambda: remote.contents(budget=0.2))
        assert time.monotonic() - begun < 30 * 0.2 / 2


def test_a_write_is_still_tried_when_only_a_hurried_search_failed(script: Script) -> None:
    with scripted(script) as url, connected(url, script) as remote:
        remote.remember()
        script.drip = True
        within(10, lambda: remote.contents(budget=0.1))
        script.drip = False
        assert remote.remember().outcome is Outcome.STORED
        assert remote.contents(budget=5) == [TEXT]


def test_a_remote_that_is_back_is_noticed_without_anyone_waiting(script: Script) -> None:
    with scripted(script) as url, connected(url, script, timeout=2, pause=0.2) as remote:
        remote.remember()
        script.statuses = [500] * 3
        with pytest.raises(ColdUnavailableError):
            remote.remember()
        longest = 0.0
        for _ in range(200):
            if remote.wire.down is None:
                break
            begun = time.monotonic()
            with contextlib.suppress(ColdUnavailableError):
                remote.contents(budget=5)
            longest = max(longest, time.monotonic() - begun)
            threading.Event().wait(0.02)
        assert longest < 2.5
        assert remote.contents(budget=5) == [TEXT]


def test_a_dead_port_is_told_at_once_and_a_living_one_is_found_again(script: Script) -> None:
    with scripted(script) as url:
        port = int(url.rsplit(":", 1)[1].partition("/")[0])
    with connected(url, script, pause=0) as remote:
        with pytest.raises(ColdUnavailableError):
            remote.remember()
        with scripted(script, port):
            assert remote.remember().outcome is Outcome.STORED


def test_many_threads_share_one_session(remote: Remote) -> None:
    with ThreadPoolExecutor(16) as pool:
        kept = list(pool.map(lambda number: remote.remember(f"{TEXT} {number}"), range(64)))
    assert {one.outcome for one in kept} == {Outcome.STORED}
    assert {one["content"] for one in remote.script.made("remember")} == {
        f"{TEXT} {number}" for number in range(64)
    }
    assert remote.script.opened == 1


def test_closing_ends_the_thread_also_while_a_call_hangs(script: Script) -> None:
    with scripted(script) as url, connected(url, script) as remote:
        remote.remember()
        script.hang()
        with pytest.raises(ColdUnavailableError):
            remote.contents(budget=0.1)
        begun = time.monotonic()
        remote.wire.close()
        assert time.monotonic() - begun < 8
        assert not [one for one in threading.enumerate() if one.name == "memorycore-remote"]
        with pytest.raises(ColdUnavailableError):
            remote.remember()


def test_a_breaker_lets_one_caller_probe_after_each_pause_and_waits_longer_each_time() -> None:
    clock = FakeClock()
    breaker = Breaker(clock.monotonic, lambda: 0.5, first_pause=5)
    assert breaker.admits()
    breaker.failed("down")
    assert not breaker.admits()
    clock.advance(seconds=5.1)
    assert [breaker.admits(), breaker.admits()] == [True, False]
    breaker.failed("still down")
    clock.advance(seconds=5.1)
    assert not breaker.admits()
    clock.advance(seconds=5)
    assert breaker.admits()
    breaker.succeeded()
    assert breaker.cause is None
    assert all(breaker.admits() for _ in range(3))


def test_a_probe_that_learned_nothing_leaves_its_place_to_the_next() -> None:
    clock = FakeClock()
    breaker = Breaker(clock.monotonic, lambda: 0.0, first_pause=1)
    breaker.failed("down")
    clock.advance(seconds=2)
    assert [breaker.admits(), breaker.admits()] == [True, False]
    breaker.withdrawn()
    assert breaker.admits()
