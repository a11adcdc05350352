"""Demands on a service that several clients use at once, and on the door in front of it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from memorycore.service.contract.bench import (
    Bench,
    HttpProbe,
    NotOfferedError,
    content_of,
    expect,
    is_refusal,
    rows_of,
    was_forgotten,
)
from memorycore.service.contract.verdicts import Check

CLIENTS = 8
EACH = 4
"""So many texts each client writes."""

TOO_LARGE = 40_000_000
"""Bytes that no request of this contract needs."""


def _writers(bench: Bench) -> None:
    facts = [bench.fact() for _ in range(CLIENTS * EACH)]
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda fact: bench.remember(fact[0]), facts))
        found = list(pool.map(lambda fact: bench.found(*fact), facts))
    lost = sum(not rows for rows in found)
    expect(not lost, f"of {len(facts)} texts written at once {lost} are not found")


def _same_text(bench: Bench) -> None:
    text, name = bench.fact()
    with ThreadPoolExecutor(CLIENTS) as pool:
        kept = list(pool.map(lambda _: bench.remember(text), range(CLIENTS)))
    rows = bench.found(text, name)
    expect(len(rows) == 1, f"{CLIENTS} writers of one text made {len(rows)} memories of it")
    ids = {str(one.id) for one in kept}
    expect(len(ids) == 1, f"{CLIENTS} writers of one text were told {len(ids)} ids")


def _mixed(bench: Bench) -> None:
    pairs = [bench.fact() for _ in range(CLIENTS)]
    kept = [bench.remember(text) for text, _ in pairs]
    gone, stay = kept[::2], pairs[1::2]
    with ThreadPoolExecutor(CLIENTS) as pool:
        forgetting = [pool.submit(bench.answer, "forget", {"id": one.id}) for one in gone]
        reading = [pool.submit(bench.found, text, name) for text, name in stay]
        lost = sum(not one.result() for one in reading)
        for one in forgetting:
            one.result()
    expect(not lost, f"{lost} memories were not found while others were being forgotten")
    left = [name for text, name in pairs[::2] if bench.found(text, name)]
    expect(not left, f"{len(left)} forgotten memories are still found")


def _others_unseen(bench: Bench) -> None:
    other = bench.other()
    text, name = bench.fact()
    bench.remember(text)
    expect(not bench.found(text, name, other), "another author's recall finds it")


def _others_safe(bench: Bench) -> None:
    other = bench.other()
    text, name = bench.fact()
    kept = bench.remember(text)
    answer = bench.call("forget", {"id": kept.id}, other)
    refused = is_refusal(answer) or not was_forgotten(answer.value)
    expect(refused, "another author's forget says it was forgotten")
    expect(bench.found(text, name), "another author's forget took it")


def _others_unchanged(bench: Bench) -> None:
    other = bench.other()
    text, name = bench.fact()
    kept = bench.remember(text)
    bench.refused("update", {"id": kept.id, "content": f"{name} was sold."}, other)
    rows = bench.found(text, name)
    expect(rows and content_of(rows[0]) == text, "another author's update changed it")


def _same_words(bench: Bench) -> None:
    other = bench.other()
    text, name = bench.fact()
    mine, theirs = bench.remember(text), bench.remember(text, other)
    expect(str(mine.id) != str(theirs.id), "two authors were told the same id for one text")
    bench.answer("forget", {"id": mine.id})
    expect(bench.found(text, name, other), "when one author forgot a text, the other lost theirs")


def _claimed_author(bench: Bench) -> None:
    other = bench.other()
    text, name = bench.fact()
    bench.remember(text)
    for claimed in ("author", "user_id", "user"):
        answer = bench.call("recall", {"query": text, claimed: "anna"}, other)
        rows = [] if is_refusal(answer) else rows_of(answer.value) or []
        seen = any(name in content_of(row) for row in rows)
        expect(not seen, f"an argument {claimed} opened another author's memories")


def _door(bench: Bench) -> HttpProbe:
    if bench.around.http is None:
        raise NotOfferedError("the service is not reached over HTTP")
    return bench.around.http


def _bearer(bench: Bench) -> dict[str, str]:
    token = bench.around.token
    return {"authorization": f"Bearer {token}"} if token else {}


def _locked(headers: Callable[[str], dict[str, str]]) -> Callable[[Bench], None]:
    def run(bench: Bench) -> None:
        probe = _door(bench)
        if not bench.around.token:
            raise NotOfferedError("no token was given: the service may be open to this machine")
        status = probe(headers(bench.around.token), 0)
        expect(status in (401, 403), f"HTTP {status} instead of 401")

    return run


def _origin(bench: Bench) -> None:
    status = _door(bench)({**_bearer(bench), "origin": "https://evil.example"}, 0)
    expect(status is not None and 400 <= status < 500, f"HTTP {status} instead of 403")


def _host(bench: Bench) -> None:
    status = _door(bench)({**_bearer(bench), "host": "evil.example"}, 0)
    expect(status is not None and 400 <= status < 500, f"HTTP {status} instead of 421")


def _large(bench: Bench) -> None:
    status = _door(bench)(_bearer(bench), TOO_LARGE)
    expect(status is None or 400 <= status < 500, f"HTTP {status} instead of 413")
    bench.stats()


CHECKS = (
    Check("clients.writers", "clients that write at once lose nothing", _writers),
    Check("clients.same_text", "a text that many write at once is one memory", _same_text),
    Check(
        "clients.mixed", "forgetting and recalling at once disturb each other in nothing", _mixed
    ),
    Check("authors.unseen", "an author's memory is not found by another", _others_unseen),
    Check("authors.safe", "an author's memory is not forgotten by another", _others_safe),
    Check("authors.unchanged", "an author's memory is not updated by another", _others_unchanged),
    Check("authors.same_words", "two authors may say the same", _same_words),
    Check("authors.claimed", "no argument makes a caller somebody else", _claimed_author),
    Check("http.no_token", "without a token nobody is let in", _locked(lambda _: {})),
    Check(
        "http.wrong_token",
        "with a wrong token nobody is let in",
        _locked(lambda token: {"authorization": f"Bearer {token[:-1]}~"}),
    ),
    Check(
        "http.other_scheme",
        "a token counts as a bearer token only",
        _locked(lambda token: {"authorization": f"Basic {token}"}),
    ),
    Check("http.origin", "requests of web pages are refused", _origin),
    Check("http.host", "requests to another host name are refused", _host),
    Check("http.large", "a request that is far too large does no harm", _large),
)
