"""Demands on what a service offers beyond the five tools, and on what outlives it."""

from collections.abc import Mapping
from typing import Any

from memorycore.model.contract import Capability
from memorycore.service.contract.bench import (
    Bench,
    NotOfferedError,
    content_of,
    expect,
    id_of,
)
from memorycore.service.contract.verdicts import Check

MOST_PAGES = 1000
SMALL_PAGE = 3
"""Rows of a page, so that there are several."""


def _scopes(bench: Bench) -> None:
    bench.needs(Capability.FILTERS)
    text, name = bench.fact()
    bench.remember(text, scope=f"project:{name}")
    expect(not bench.found(text, name), "a scoped memory is found without its scope")
    expect(not bench.found(text, name, scope="project:other"), "it is found in another scope")
    expect(bench.found(text, name, scope=f"project:{name}"), "it is not found in its own scope")


def _global_scope(bench: Bench) -> None:
    bench.needs(Capability.FILTERS)
    text, name = bench.fact()
    bench.remember(text)
    found = bench.found(text, name, scope="project:anything")
    expect(found, "a global memory is not seen from within a scope")


def _about(bench: Bench) -> None:
    bench.needs(Capability.FILTERS)
    first, second = bench.name(), bench.name()
    for name in (first, second):
        bench.remember(f"The drawbridge of {name} is raised at dusk.")
    rows = bench.recall("drawbridge raised at dusk", about=first, top_k=10)
    expect(any(first in content_of(row) for row in rows), "recall about a name does not find it")
    expect(
        not any(second in content_of(row) for row in rows), "recall about one name found another"
    )


def _as_of(bench: Bench) -> None:
    bench.needs(Capability.FILTERS)
    text, name = bench.fact()
    bench.remember(text)
    found = bench.found(text, name, as_of="2001-01-01T00:00:00+00:00")
    expect(not found, "recall as of 2001 finds what was stored today")


def _key_once(bench: Bench) -> None:
    bench.needs(Capability.IDEMPOTENCY)
    text, name = bench.fact()
    key = f"key-{name}"
    first = bench.remember(text, idempotency_key=key)
    again = bench.remember(text, idempotency_key=key)
    expect(str(first.id) == str(again.id), f"one key gave two ids: {first.id!r}, {again.id!r}")
    expect(first.status == again.status, f"one key gave {first.status!r}, then {again.status!r}")


def _key_late(bench: Bench) -> None:
    bench.needs(Capability.IDEMPOTENCY)
    text, name = bench.fact()
    key = f"key-{name}"
    kept = bench.remember(text, idempotency_key=key)
    bench.answer("forget", {"id": kept.id})
    bench.remember(text, idempotency_key=key)
    expect(not bench.found(text, name), "a request that was repeated late undid a later forget")


def _key_update(bench: Bench) -> None:
    bench.needs(Capability.IDEMPOTENCY)
    name = bench.name()
    kept = bench.remember(f"The {name} mill grinds oats.")
    change = {"id": kept.id, "content": f"The {name} mill grinds rye.", "idempotency_key": name}
    bench.answer("update", change)
    last = f"The {name} mill grinds wheat and nothing else."
    bench.answer("update", {"id": kept.id, "content": last})
    bench.answer("update", change)
    held = [content_of(row) for row in bench.found(last, name)]
    expect(held and held[0] == last, f"an update that was repeated late undid a later one: {held}")


def _get(bench: Bench) -> None:
    bench.needs(Capability.GET)
    text, name = bench.fact()
    kept = bench.remember(text)
    value = bench.answer("get", {"ids": [kept.id, "no-such-memory-7f3a"]})
    rows = _memories(value, "get")
    expect(len(rows) == 1, f"get of one known and one unknown id gave {len(rows)} rows")
    expect(content_of(rows[0]) == text, f"get gave another text: {content_of(rows[0])!r}")
    bench.answer("forget", {"id": kept.id})
    left = _memories(bench.answer("get", {"ids": [kept.id]}), "get")
    expect(not left, f"get still gives {name} after it was forgotten")


def _scan(bench: Bench) -> None:
    bench.needs(Capability.SCAN)
    texts = [bench.fact()[0] for _ in range(2 * SMALL_PAGE + 1)]
    wanted = {str(bench.remember(text).id) for text in texts}
    seen: list[str] = []
    after: Any = None
    for _ in range(MOST_PAGES):
        arguments = {"limit": SMALL_PAGE, **({"after": after} if after is not None else {})}
        value = bench.answer("scan", arguments)
        seen.extend(str(id_of(row)) for row in _memories(value, "scan"))
        after = value.get("next")
        if after is None:
            break
    expect(len(seen) == len(set(seen)), "scan gives a memory twice")
    expect(wanted <= set(seen), f"scan left out {len(wanted - set(seen))} of {len(wanted)}")


def _history(bench: Bench) -> None:
    bench.needs(Capability.HISTORY)
    name = bench.name()
    kept = bench.remember(f"The {name} ford is deep.")
    bench.answer("update", {"id": kept.id, "content": f"The {name} ford is shallow in August."})
    value = bench.answer("history", {"id": kept.id})
    events = value.get("events") if isinstance(value, Mapping) else None
    listed = isinstance(events, list)
    expect(listed and len(events or ()) >= 2, f"history of a changed memory says {events!r}")


def _durable(bench: Bench) -> None:
    if bench.around.restart is None:
        raise NotOfferedError("the service cannot be restarted from here")
    facts = [bench.fact() for _ in range(5)]
    for text, _ in facts:
        bench.remember(text)
    bench.around.restart()
    lost = sum(not bench.found(text, name) for text, name in facts)
    expect(not lost, f"of {len(facts)} texts called stored {lost} did not outlive a restart")


def _memories(value: object, tool: str) -> list[Any]:
    rows = value.get("memories") if isinstance(value, Mapping) else None
    expect(isinstance(rows, list), f"{tool} answered without a list of memories")
    return rows if isinstance(rows, list) else []


CHECKS = (
    Check("filters.scope", "a scope is seen from within it only", _scopes),
    Check("filters.global", "what is global is seen from every scope", _global_scope),
    Check("filters.about", "recall about a name keeps to it", _about),
    Check("filters.as_of", "recall as of a moment knows nothing later", _as_of),
    Check("idempotency.once", "a key makes a repeated write one write", _key_once),
    Check("idempotency.late", "a repeated write undoes nothing that came after it", _key_late),
    Check("idempotency.update", "a repeated update undoes no later one", _key_update),
    Check("get.rows", "get gives the live memories under ids", _get),
    Check("scan.all", "scan gives every memory once", _scan),
    Check("history.events", "history tells what happened to a memory", _history),
    Check("durable.restart", "what is called stored outlives the service", _durable),
)
