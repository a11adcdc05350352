"""The judge is asked for JSON and trusted only as far as its answer can be checked."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from typing_extensions import override

from memorycore.adapters.judge_openai import PAUSE, JudgeEndpoint, OpenAIJudge
from memorycore.errors import JudgeError
from memorycore.model.relation import Relation

Reply = Callable[[], tuple[int, bytes]]
OLDER = "The staging database listens on port 5432."
NEWER = "Backups of staging go to /srv/backup on Sundays."
MERGED = "The staging database listens on port 5432; its backups go to /srv/backup on Sundays."


def completion(content: Any) -> tuple[int, bytes]:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
    return 200, json.dumps(whole | {"choices": [choice]}).encode()


@dataclass
class Model:
    """A chat model on this machine that plays its script and repeats the last line for ever."""

    script: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def says(self, *contents: Any) -> None:
        self.script = [partial(completion, content) for content in contents]

    def plays(self, *replies: Reply) -> None:
        self.script = list(replies)

    def hang(self) -> tuple[int, bytes]:
        self.release.wait(10)
        return completion({"relation": "same"})


@pytest.fixture
def model() -> Iterator[Model]:
    played = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            played.requests.append(request)
            played.keys.append(self.headers["Authorization"])
            reply = played.script.pop(0) if len(played.script) > 1 else played.script[0]
            code, content = reply()
            try:
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        @override
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    played.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield played
    played.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Bench:
    judge: OpenAIJudge
    waits: list[float]
    time: list[float]


def bench(url: str, *, timeout: float = 5.0) -> Bench:
    waits: list[float] = []
    time = [0.0]
    judge = OpenAIJudge(
        JudgeEndpoint(url, "small-chat", "key-1", timeout),
        monotonic=lambda: time[0],
        wait=waits.append,
        jitter=lambda: 0.5,
    )
    return Bench(judge, waits, time)


def test_a_relation_is_asked_at_temperature_zero_with_a_schema_and_answered(model: Model) -> None:
    model.says({"relation": "update"})
    assert bench(model.url).judge.relation(OLDER, NEWER) is Relation.UPDATE
    request = model.requests[0]
    assert request["temperature"] == 0
    assert request["response_format"]["type"] == "json_schema"
    assert OLDER in request["messages"][1]["content"]
    assert model.keys == ["Bearer key-1"]


def test_an_answer_wrapped_in_talk_is_read(model: Model) -> None:
    model.says('Sure!\n```json\n{"relation": "same"}\n```')
    assert bench(model.url).judge.relation(OLDER, NEWER) is Relation.SAME


def test_the_same_question_is_asked_once(model: Model) -> None:
    model.says({"relation": "similar"})
    judge = bench(model.url).judge
    assert {judge.relation(OLDER, NEWER) for _ in range(5)} == {Relation.SIMILAR}
    assert len(model.requests) == 1
    judge.relation(NEWER, OLDER)
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    "reply",
    [
        lambda: (500, b"{}"),
        lambda: (429, b'{"error": {"message": "busy"}}'),
        lambda: (200, b"not json"),
        lambda: (200, b"[]"),
        lambda: (200, b'{"choices": []}'),
        lambda: completion(""),
        lambda: completion("no json here"),
        lambda: completion({"relation": "identical"}),
        lambda: completion({"verdict": "same"}),
        lambda: completion(["same"]),
    ],
)
def test_a_wrong_answer_is_tried_once_more_and_then_a_judge_error(
    model: Model, reply: Reply
) -> None:
    model.plays(reply)
    asked = bench(model.url)
    with pytest.raises(JudgeError):
        asked.judge.relation(OLDER, NEWER)
    assert len(model.requests) == 2
    assert len(asked.waits) == 1


def test_a_second_try_that_succeeds_counts(model: Model) -> None:
    model.plays(lambda: (503, b"{}"), lambda: completion({"relation": "distinct"}))
    assert bench(model.url).judge.relation(OLDER, NEWER) is Relation.DISTINCT


def test_a_model_that_never_answers_costs_the_timeout_and_no_more(model: Model) -> None:
    model.plays(model.hang)
    with pytest.raises(JudgeError):
        bench(model.url, timeout=0.05).judge.relation(OLDER, NEWER)


def test_a_port_where_nobody_listens_is_a_judge_error() -> None:
    with pytest.raises(JudgeError):
        bench("http://127.0.0.1:9/v1").judge.relation(OLDER, NEWER)


def test_after_repeated_failures_the_model_is_left_alone_for_a_while(model: Model) -> None:
    model.plays(lambda: (500, b"{}"))
    asked = bench(model.url)
    for number in range(3):
        with pytest.raises(JudgeError):
            asked.judge.relation(OLDER, f"{NEWER} {number}")
    sent = len(model.requests)
    with pytest.raises(JudgeError, match="left alone"):
        asked.judge.relation(OLDER, "another")
    assert len(model.requests) == sent
    asked.time[0] += PAUSE + 1
    model.says({"relation": "same"})
    assert asked.judge.relation(OLDER, "another") is Relation.SAME


def test_a_merge_that_keeps_everything_is_taken(model: Model) -> None:
    model.says({"text": MERGED})
    assert bench(model.url).judge.merge(OLDER, NEWER) == MERGED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "The staging database has backups in /srv/backup on Sundays.",
        "The staging database listens on port 5432; backups go elsewhere on Sundays.",
        "The staging database listens on port 5433; backups go to /srv/backup on Sundays.",
        "The staging database listens on port 5432 ... /srv/backup on Sundays.",
        "The staging database listens on port 5432, /srv/backup [rest unchanged] Sundays",
        MERGED + " " + MERGED,
    ],
)
def test_a_merge_that_drops_adds_up_or_elides_is_refused(model: Model, text: str) -> None:
    model.says({"text": text})
    with pytest.raises(JudgeError):
        bench(model.url).judge.merge(OLDER, NEWER)


def test_a_compression_must_fit_and_keep_the_hard_parts(model: Model) -> None:
    model.says({"text": "staging db: port 5432"}, {"text": "staging db"}, {"text": "x" * 60})
    judge = bench(model.url).judge
    assert judge.compress(OLDER, limit=40) == "staging db: port 5432"
    for limit in (39, 41):
        with pytest.raises(JudgeError):
            judge.compress(OLDER, limit=limit)


def test_dormancy_is_the_models_word(model: Model) -> None:
    model.says({"dormant": True})
    assert bench(model.url).judge.dormant("heron", ["where is the cat"]) is True
