"""What the host's `memory` tool is about to do to a file, told from its arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memorycore.adapters.hot_markdown.layout import SEPARATOR
from memorycore.model.routing import Target


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, stripped as the host strips it."""

    action: str
    content: str
    old_text: str


@dataclass(frozen=True, slots=True)
class HostWrite:
    """One call of the tool."""

    target: Target
    operations: tuple[Operation, ...]

    @property
    def lone_addition(self) -> str | None:
        """The text of a call that only adds one entry, else None."""
        match self.operations:
            case (Operation("add", content, _),) if content:
                return content
            case _:
                return None

    @property
    def sought(self) -> list[str]:
        """The texts by which the call names existing entries."""
        return [
            operation.old_text
            for operation in self.operations
            if operation.old_text and operation.action in {"replace", "remove"}
        ]

    def outcome(self, entries: Sequence[str]) -> int:
        """Return the characters the file would hold afterwards, as the host counts them.

        An operation that names nothing, or several entries, changes nothing here: the host will refuse it.
        """
        working = list(entries)
        for operation in self.operations:
            _apply(operation, working)
        return len(SEPARATOR.join(working))


def host_write(args: Mapping[str, Any]) -> HostWrite | None:
    """Read the tool's arguments; None when they are no write the host would try."""
    try:
        target = Target(str(args.get("target") or Target.MEMORY.value))
    except ValueError:
        return None
    raw = args.get("operations")
    items = raw if isinstance(raw, list) and raw else [args]
    operations = tuple(_operation(item) for item in items if isinstance(item, Mapping))
    return HostWrite(target, operations) if operations else None


def matches(old_text: str, entries: Sequence[str]) -> set[str]:
    """Return the distinct entries that `old_text` names, by the host's rule: it is a part of them."""
    return {entry for entry in entries if old_text in entry}


def _operation(item: Mapping[str, Any]) -> Operation:
    return Operation(
        str(item.get("action") or ""),
        str(item.get("content") or "").strip(),
        str(item.get("old_text") or "").strip(),
    )


def _apply(operation: Operation, working: list[str]) -> None:
    match operation.action:
        case "add":
            if operation.content and operation.content not in working:
                working.append(operation.content)
        case "replace" | "remove":
            found = matches(operation.old_text, working) if operation.old_text else set()
            if len(found) != 1:
                return
            place = working.index(found.pop())
            if operation.action == "remove":
                del working[place]
            elif operation.content:
                working[place] = operation.content
        case _:
            return
