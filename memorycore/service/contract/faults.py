"""Demands on refusals: clear, clean, and without consequences."""

import re
from typing import Any

from memorycore.service.contract.bench import Bench, expect
from memorycore.service.contract.verdicts import Check

TRACE = re.compile(r"Traceback|\bFile \"|\bline \d+, in |\.py\b|node_modules|\bat \S+\(\S+:\d+")
"""What only the inside of a program says."""

WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("remember", {}),
    ("remember", {"content": ""}),
    ("remember", {"content": {"a": 1}}),
    ("recall", {}),
    ("update", {"id": "no-such-memory-7f3a", "content": ""}),
    ("update", {"content": "only a text"}),
    ("forget", {}),
)
"""Calls that no service can carry out."""


def _blank(bench: Bench) -> None:
    before = bench.live()
    for blank in ("", "   ", "\n\t\n"):
        bench.refused("remember", {"content": blank})
    expect(bench.live() == before, "a blank text was refused and stored all the same")


def _missing(bench: Bench) -> None:
    bench.refused("remember", {})
    bench.refused("recall", {})
    bench.refused("update", {"content": "only a text"})


def _wrong_type(bench: Bench) -> None:
    before = bench.live()
    for wrong in ({"a": 1}, ["a", "b"], True):
        bench.refused("remember", {"content": wrong})
    expect(bench.live() == before, "a content that is no text was refused and stored all the same")


def _unknown_tool(bench: Bench) -> None:
    bench.refused("no_such_tool_of_the_contract", {})


def _unknown_argument(bench: Bench) -> None:
    text, name = bench.fact()
    bench.call("recall", {"query": text, "no_such_argument": {"x": [1]}})
    bench.remember(text)
    expect(bench.found(text, name), "after an unknown argument nothing is found any more")


def _reason(bench: Bench) -> None:
    for tool, arguments in WRONG:
        said = bench.refused(tool, arguments)
        expect(said.strip(), f"{tool} with {arguments!r} was refused without a reason")


def _no_trace(bench: Bench) -> None:
    for tool, arguments in WRONG:
        answer = bench.call(tool, arguments) if tool != "recall" else None
        text = answer.text if answer else bench.refused(tool, arguments)
        found = TRACE.search(text)
        expect(not found, f"{tool} shows its inside: {' '.join(text.split())[:120]!r}")


def _alive(bench: Bench) -> None:
    for tool, arguments in WRONG:
        bench.refused(tool, arguments)
    text, name = bench.fact()
    bench.remember(text)
    expect(bench.found(text, name), "after refused calls nothing is stored or found any more")


CHECKS = (
    Check("faults.blank", "a blank text is refused and not stored", _blank),
    Check("faults.missing", "a missing argument is refused", _missing),
    Check("faults.wrong_type", "a content that is no text is refused", _wrong_type),
    Check("faults.unknown_tool", "an unknown tool is refused", _unknown_tool),
    Check("faults.unknown_argument", "an unknown argument breaks nothing", _unknown_argument),
    Check("faults.reason", "every refusal says why", _reason),
    Check("faults.no_trace", "no refusal shows the inside of the program", _no_trace),
    Check("faults.alive", "the service goes on after refusals", _alive),
)
