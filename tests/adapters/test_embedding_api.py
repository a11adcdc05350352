import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from typing_extensions import override

from memorycore.adapters.embedding_api import ApiEmbedder, EndpointLimits, prefixes_of
from memorycore.errors import EmbedderError

Request = dict[str, Any]
Reply = Callable[[Request], tuple[int, bytes]]
KEY = "key-of-the-test-run"


def vector_of(text: str, dimension: int = 3) -> list[float]:
    return [float(len(text)), 2.0, *[1.0] * (dimension - 2)]


def answer(vectors: list[Any]) -> tuple[int, bytes]:
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    return 200, json.dumps({"object": "list", "data": data, "model": "m"}).encode()


def right(request: Request) -> tuple[int, bytes]:
    return answer([vector_of(text) for text in request["input"]])


def status(code: int) -> Reply:
    return lambda _: (code, b'{"error": {"message": "input was: secret text"}}')


def body(content: bytes) -> Reply:
    return lambda _: (200, content)


def vectors(*rows: Any) -> Reply:
    return lambda _: answer(list(rows))


@dataclass
class Endpoint:
    """A server on this machine that plays its script, then answers rightly for ever."""

    script: list[Reply] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)
    url: str = ""

    def texts(self) -> list[list[str]]:
        return [request["input"] for request in self.requests]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    played = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            played.requests.append(request | {"path": self.path})
            played.authorizations.append(self.headers["Authorization"])
            reply = played.script.pop(0) if played.script else right
            code, content = reply(request)
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        @override
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    played.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield played
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def silent_url() -> Iterator[str]:
    """Accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.fixture
def closed_url() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def embedder(url: str, model: str = "m", **limits: Any) -> ApiEmbedder:
    sizes = EndpointLimits(**{"timeout": 5.0, **limits})
    return ApiEmbedder(url, model, api_key=KEY, limits=sizes, pause=lambda _: None)


def test_passages_come_back_in_order_as_unit_float32_rows(endpoint: Endpoint) -> None:
    texts = ["one", "four", "seventeen chars.."]
    rows = embedder(endpoint.url).embed_passages(texts)
    expected = np.array([vector_of(text) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, expected, rtol=1e-6)


def test_a_query_is_one_row(endpoint: Endpoint) -> None:
    assert embedder(endpoint.url).embed_query("where").shape == (3,)


def test_the_request_names_path_model_and_key(endpoint: Endpoint) -> None:
    embedder(endpoint.url, "some-model").embed_query("where")
    assert endpoint.requests[0]["path"] == "/v1/embeddings"
    assert endpoint.requests[0]["model"] == "some-model"
    assert endpoint.authorizations == [f"Bearer {KEY}"]


def test_an_endpoint_without_authentication_needs_no_key(endpoint: Endpoint) -> None:
    assert ApiEmbedder(endpoint.url, "m").embed_query("where").shape == (3,)


def test_answers_are_put_in_order_by_their_index(endpoint: Endpoint) -> None:
    def backwards(request: Request) -> tuple[int, bytes]:
        data = [
            {"index": i, "embedding": vector_of(text)} for i, text in enumerate(request["input"])
        ]
        return 200, json.dumps({"data": data[::-1]}).encode()

    straight = embedder(endpoint.url).embed_passages(["a", "bb", "ccc"])
    endpoint.script = [backwards]
    np.testing.assert_array_equal(
        embedder(endpoint.url).embed_passages(["a", "bb", "ccc"]), straight
    )


def test_many_texts_are_sent_in_batches_of_the_limit(endpoint: Endpoint) -> None:
    rows = embedder(endpoint.url, batch_size=2).embed_passages(["a", "bb", "ccc", "dddd", "eeeee"])
    assert endpoint.texts() == [["a", "bb"], ["ccc", "dddd"], ["eeeee"]]
    assert rows.shape == (5, 3)


def test_no_texts_give_no_rows(endpoint: Endpoint) -> None:
    assert embedder(endpoint.url).embed_passages([]).shape == (0, 3)


@pytest.mark.parametrize("text", ["", "\ud800 lone \udfff", "nul \0", "§", "x" * 1_000_000])
def test_any_text_can_be_sent_and_is_bounded(endpoint: Endpoint, text: str) -> None:
    assert embedder(endpoint.url, max_chars=500).embed_query(text).shape == (3,)
    sent = endpoint.texts()[0][0]
    assert 1 <= len(sent) <= 500


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("text-embedding-3-small", "", ""),
        ("bge-m3:latest", "", ""),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-base", "query: ", "passage: "),
    ],
)
def test_a_model_gets_the_prefixes_of_its_authors(
    endpoint: Endpoint, model: str, query: str, passage: str
) -> None:
    asked = embedder(endpoint.url, model)
    asked.embed_query("q")
    asked.embed_passages(["p"])
    assert endpoint.texts() == [[query + "q"], [passage + "p"]]
    assert prefixes_of(model.upper()) == (query, passage)


def test_construction_opens_no_connection(closed_url: str) -> None:
    made = embedder(closed_url)
    assert made.probe() is None
    assert made.model == "m"


def test_the_dimension_is_learnt_from_the_first_answer(endpoint: Endpoint) -> None:
    asked = embedder(endpoint.url)
    asked.embed_query("first")
    assert asked.dimension == 3
    assert len(endpoint.requests) == 1


def test_the_dimension_is_asked_for_when_nothing_was_embedded(endpoint: Endpoint) -> None:
    assert embedder(endpoint.url).dimension == 3


@pytest.mark.parametrize("code", [429, 500, 502, 503])
def test_a_passing_fault_is_repeated_and_forgotten(endpoint: Endpoint, code: int) -> None:
    endpoint.script = [status(code), status(code)]
    assert embedder(endpoint.url, retries=2).embed_query("where").shape == (3,)
    assert len(endpoint.requests) == 3


def test_repeats_end_at_the_limit_with_growing_pauses(endpoint: Endpoint) -> None:
    endpoint.script = [status(503)] * 20
    pauses: list[float] = []
    asked = ApiEmbedder(endpoint.url, "m", limits=EndpointLimits(retries=3), pause=pauses.append)
    with pytest.raises(EmbedderError, match="503"):
        asked.embed_query("where")
    assert len(endpoint.requests) == 4
    assert pauses == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("code", [401, 403, 404, 418])
def test_a_lasting_refusal_is_not_repeated(endpoint: Endpoint, code: int) -> None:
    endpoint.script = [status(code)]
    with pytest.raises(EmbedderError, match=str(code)) as caught:
        embedder(endpoint.url).embed_passages(["a", "b"])
    assert len(endpoint.requests) == 1
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("code", [400, 401, 404, 422, 500])
def test_neither_key_nor_text_nor_the_answer_reaches_the_message(
    endpoint: Endpoint, code: int
) -> None:
    endpoint.script = [status(code)] * 20
    with pytest.raises(EmbedderError) as caught:
        embedder(endpoint.url).embed_query("secret text")
    assert "secret" not in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("code", [400, 413, 422])
def test_a_batch_the_endpoint_finds_too_large_is_split(endpoint: Endpoint, code: int) -> None:
    def at_most_two(request: Request) -> tuple[int, bytes]:
        endpoint.script.append(at_most_two)
        return right(request) if len(request["input"]) <= 2 else (code, b"{}")

    endpoint.script = [at_most_two]
    texts = ["a", "bb", "ccc", "dddd", "eeeee"]
    rows = embedder(endpoint.url).embed_passages(texts)
    np.testing.assert_array_equal(rows, embedder(endpoint.url, batch_size=1).embed_passages(texts))


def test_one_text_too_long_for_the_model_does_not_stop_the_others(endpoint: Endpoint) -> None:
    def at_most_a_thousand_characters(request: Request) -> tuple[int, bytes]:
        endpoint.script.append(at_most_a_thousand_characters)
        fits = all(len(text) <= 1000 for text in request["input"])
        return right(request) if fits else (400, b"{}")

    endpoint.script = [at_most_a_thousand_characters]
    rows = embedder(endpoint.url).embed_passages(["a", "b" * 3000, "c"])
    expected = embedder(endpoint.url).embed_passages(["a", "b" * 750, "c"])
    np.testing.assert_array_equal(rows, expected)


def test_an_endpoint_that_refuses_everything_is_given_up(endpoint: Endpoint) -> None:
    endpoint.script = [status(400)] * 50
    with pytest.raises(EmbedderError, match="400"):
        embedder(endpoint.url).embed_passages(["x" * 8000] * 32)
    assert len(endpoint.requests) < 20


GOOD_ROW = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "reply",
    [
        body(b""),
        body(b"<html>gateway</html>"),
        body(b'{"data": [{"embedding": [1.0, 2'),
        body(b"[]"),
        body(b"null"),
        body(b'{"data": {}}'),
        body(b'{"data": [null, null]}'),
        body(b'{"data": [{"index": "x", "embedding": [1]}, {"index": 1}]}'),
        body(b'{"error": "model is loading"}'),
        vectors(),
        vectors(GOOD_ROW),
        vectors(GOOD_ROW, GOOD_ROW, GOOD_ROW),
        vectors(GOOD_ROW, [1.0, 2.0]),
        vectors(GOOD_ROW, ["a", "b", "c"]),
        vectors(GOOD_ROW, [[1.0], [2.0], [3.0]]),
        vectors(GOOD_ROW, "AACAPwAAAEAAAEBA"),
        vectors(GOOD_ROW, [1.0, None, 3.0]),
        vectors(GOOD_ROW, [1.0, float("nan"), 3.0]),
        vectors(GOOD_ROW, [1.0, float("inf"), 3.0]),
        vectors(GOOD_ROW, [0.0, 0.0, 0.0]),
        vectors([], []),
    ],
)
def test_an_answer_that_is_no_list_of_vectors_is_a_fault(endpoint: Endpoint, reply: Reply) -> None:
    endpoint.script = [reply]
    with pytest.raises(EmbedderError):
        embedder(endpoint.url).embed_passages(["one", "two"])


def test_a_change_of_dimension_is_a_fault(endpoint: Endpoint) -> None:
    asked = embedder(endpoint.url)
    asked.embed_query("first")
    endpoint.script = [vectors([1.0, 2.0, 3.0, 4.0])]
    with pytest.raises(EmbedderError, match="4 values a vector where it gave 3"):
        asked.embed_query("second")


def test_an_answer_cut_off_in_the_middle_is_repeated(endpoint: Endpoint) -> None:
    def cut(request: Request) -> tuple[int, bytes]:
        raise ConnectionAbortedError

    endpoint.script = [cut]
    assert embedder(endpoint.url).embed_query("where").shape == (3,)


def test_silence_ends_at_the_timeout_without_a_repeat(silent_url: str) -> None:
    with pytest.raises(EmbedderError, match=r"within 0\.05 s"):
        embedder(silent_url, timeout=0.05, retries=5).embed_query("where")


def test_a_query_waits_less_long_than_passages(silent_url: str) -> None:
    asked = embedder(silent_url, timeout=0.2, query_timeout=0.05)
    with pytest.raises(EmbedderError, match=r"within 0\.05 s"):
        asked.embed_query("where")
    with pytest.raises(EmbedderError, match=r"within 0\.2 s"):
        asked.embed_passages(["here"])


def test_nobody_listening_is_a_fault_with_its_cause(closed_url: str) -> None:
    with pytest.raises(EmbedderError, match="cannot be reached") as caught:
        embedder(closed_url).embed_query("where")
    assert caught.value.__cause__ is not None
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("url", "model"),
    [
        ("", "m"),
        ("localhost:11434/v1", "m"),
        ("ftp://localhost/v1", "m"),
        ("http://", "m"),
        ("http://[::1", "m"),
        ("http://localhost:99999/v1", "m"),
        ("http://local host/v1", "m"),
        ("http://..../v1", "m"),
        ("http://\u200b/v1", "m"),
        ("http://localhost/v1\n", "m"),
        ("http://localhost/v1", ""),
    ],
)
def test_an_unusable_address_or_name_is_told_before_any_request(url: str, model: str) -> None:
    asked = embedder(url, model)
    assert asked.probe()
    with pytest.raises(EmbedderError):
        asked.embed_query("where")


def test_a_proxy_in_the_environment_does_not_stand_before_this_machine(
    endpoint: Endpoint, closed_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, closed_url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert embedder(endpoint.url).embed_query("where").shape == (3,)


def test_threads_share_one_embedder(endpoint: Endpoint) -> None:
    asked = embedder(endpoint.url)
    rows: dict[int, Any] = {}

    def work(number: int) -> None:
        rows[number] = asked.embed_query("x" * number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, row in rows.items():
        np.testing.assert_array_equal(row, embedder(endpoint.url).embed_query("x" * number))
    assert len(rows) == 8
