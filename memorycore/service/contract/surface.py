"""Demands on what a service shows of itself: its tools and its statistics."""

from collections.abc import Mapping, Sequence

from memorycore.model.contract import CONTRACT_MAJOR, EXTRA_TOOLS, VERBS, Capability
from memorycore.service.contract.bench import Bench, NotOfferedError, expect
from memorycore.service.contract.verdicts import Check

REQUIRED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "remember": (("content", "text"),),
    "recall": (("query",),),
    "update": (("id", "memory_id"), ("content", "text")),
    "forget": (("id", "memory_id"),),
}
"""Parameters that must be named in the schemas; several names mean that one of them must be."""


def _tools(bench: Bench) -> None:
    listed = bench.wire.offer().parameters
    missing = [verb for verb in VERBS if verb not in listed]
    expect(not missing, f"missing: {', '.join(missing)}; listed: {', '.join(sorted(listed))}")


def _parameters(bench: Bench) -> None:
    offer = bench.wire.offer()
    for tool, groups in REQUIRED.items():
        for names in groups:
            named = any(offer.takes(tool, name) for name in names)
            expect(named, f"the schema of {tool} names no {names[0]}")


def _no_author(bench: Bench) -> None:
    offer = bench.wire.offer()
    taking = [tool for tool in VERBS if offer.takes(tool, "author")]
    expect(not taking, f"{', '.join(taking)} takes an author, whom a caller could make up")


def _stats(bench: Bench) -> None:
    bench.stats()


def _version(bench: Bench) -> None:
    version = bench.stats().get("contract_version")
    if version is None:
        raise NotOfferedError(
            "stats names no contract_version: the plain five-tool form is assumed"
        )
    major = str(version).partition(".")[0]
    expect(major == str(CONTRACT_MAJOR), f"contract_version is {version!r}")


def _counts(bench: Bench) -> None:
    bench.live()


def _capabilities(bench: Bench) -> None:
    declared = bench.stats().get("capabilities", [])
    listed = isinstance(declared, Sequence) and not isinstance(declared, str)
    expect(listed, f"capabilities is {declared!r}, not a list")
    offered = bench.wire.offer().parameters
    tools = [tool.value for tool in EXTRA_TOOLS]
    missing = [name for name in declared if name in tools and name not in offered]
    expect(not missing, f"declares {', '.join(missing)} and has no such tool")
    if Capability.FILTERS.value in declared:
        for name in ("scope", "about", "as_of"):
            named = bench.wire.offer().takes("recall", name)
            expect(named, f"declares filters and recall takes no {name}")


def _grows(bench: Bench) -> None:
    before = bench.live()
    text, _ = bench.fact()
    bench.remember(text)
    after = bench.live()
    expect(after == before + 1, f"live went from {before} to {after} with one new memory")


def _shrinks(bench: Bench) -> None:
    text, _ = bench.fact()
    kept = bench.remember(text)
    before = bench.live()
    bench.answer("forget", {"id": kept.id})
    after = bench.live()
    expect(after == before - 1, f"live went from {before} to {after} when one was forgotten")


CHECKS = (
    Check("tools.present", "the tools remember, recall, update, forget and stats exist", _tools),
    Check("tools.parameters", "their schemas name the parameters they need", _parameters),
    Check("tools.no_author", "no tool takes an author; the token says who it is", _no_author),
    Check("stats.answers", "stats answers with an object", _stats),
    Check("stats.version", "stats names a version of this contract", _version),
    Check("stats.live", "stats counts the live memories", _counts),
    Check("stats.capabilities", "what stats declares is there", _capabilities),
    Check("stats.grows", "a new memory raises the count by one", _grows),
    Check("stats.shrinks", "a forgotten memory lowers the count by one", _shrinks),
)
