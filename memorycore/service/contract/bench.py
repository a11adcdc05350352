"""The place where checks are made: facts nobody else stored, calls, and readings of whatever style is answered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from memorycore.errors import ColdTierError, ContractError
from memorycore.model.contract import Answer
from memorycore.ports.wire import Wire
from memorycore.service.contract.invented import Inventor

HttpProbe = Callable[[Mapping[str, str], int], int | None]
"""Opens a session with the headers given and a body longer by so many bytes; returns the HTTP status or None."""

SPELLINGS = {"id": "memory_id", "content": "text", "top_k": "limit"}
"""Names of the contract, and those that services of the plain form may have instead."""


class BrokenError(Exception):
    """A demand was not met; the message says what was seen."""


class NotOfferedError(Exception):
    """The service does not offer what would be checked; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What `remember` answered: the id as it came, the word for what was done, everything else."""

    id: Any
    status: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else can be tried: another author's connection, plain HTTP, a restart of the service."""

    other: Wire | None = None
    http: HttpProbe | None = None
    token: str | None = None
    restart: Callable[[], None] | None = None


class Bench:
    """Makes facts, calls tools and reads answers. `tag` is a text that no earlier run used."""

    def __init__(self, wire: Wire, *, tag: str, around: Surroundings | None = None) -> None:
        self.wire = wire
        self.around = around or Surroundings()
        self._invented = Inventor(tag)
        self._lock = Lock()
        self._mine: list[tuple[Wire, Any]] = []
        self._declared: Sequence[Any] | None = None

    def name(self) -> str:
        """Return a name that stands in no other text of this service."""
        return self._invented.name()

    def fact(self) -> tuple[str, str]:
        """Return a sentence about something new, and the name in it."""
        return self._invented.fact()

    def call(self, tool: str, arguments: Mapping[str, Any], wire: Wire | None = None) -> Answer:
        """Call a tool.

        Raises:
            BrokenError: It gave no answer at all.
        """
        try:
            return (wire or self.wire).call(tool, self._spelled(tool, arguments))
        except ColdTierError as fault:
            raise BrokenError(f"{tool} gave no answer: {fault}") from fault

    def answer(self, tool: str, arguments: Mapping[str, Any], wire: Wire | None = None) -> Any:
        """Call a tool that must succeed and return the JSON value.

        Raises:
            BrokenError: It refused, or answered with no JSON.
        """
        answer = self.call(tool, arguments, wire)
        if is_refusal(answer):
            raise BrokenError(f"{tool} refused {_shown(arguments)}: {_cut(answer.text)}")
        if answer.value is None:
            raise BrokenError(f"{tool} answered with no JSON: {_cut(answer.text)}")
        return answer.value

    def refused(self, tool: str, arguments: Mapping[str, Any], wire: Wire | None = None) -> str:
        """Call a tool that must refuse; return what it said.

        Raises:
            BrokenError: It did as it was told, or did not answer.
        """
        try:
            answer = (wire or self.wire).call(tool, self._spelled(tool, arguments))
        except ContractError as fault:
            return str(fault)
        except ColdTierError as fault:
            raise BrokenError(f"{tool} gave no answer to {_shown(arguments)}: {fault}") from fault
        if not is_refusal(answer):
            raise BrokenError(f"{tool} took {_shown(arguments)} and answered {_cut(answer.text)}")
        return answer.text

    def remember(self, content: str, wire: Wire | None = None, **more: Any) -> Kept:
        """Have a text remembered; it is forgotten at the end of the run.

        Raises:
            BrokenError: It was refused or the answer has no id.
        """
        fields = self.answer("remember", {"content": content, **more}, wire)
        if not isinstance(fields, Mapping):
            raise BrokenError(f"remember answered with {type(fields).__name__}, not an object")
        found = fields.get("id", fields.get("memory_id"))
        if found is None:
            raise BrokenError(f"remember answered without an id: {_shown(fields)}")
        with self._lock:
            self._mine.append((wire or self.wire, found))
        return Kept(found, str(fields.get("status", fields.get("outcome", ""))), fields)

    def recall(self, query: str, wire: Wire | None = None, **more: Any) -> list[Any]:
        """Recall and return the rows as they came.

        Raises:
            BrokenError: There is no list of rows.
        """
        value = self.answer("recall", {"query": query, **more}, wire)
        rows = rows_of(value)
        if rows is None:
            raise BrokenError(f"recall answered without a list of hits: {_shown(value)}")
        return rows

    def found(self, text: str, name: str, wire: Wire | None = None, **more: Any) -> list[Any]:
        """Recall a text by its own words and return the rows that hold `name`."""
        return [row for row in self.recall(text, wire, **more) if name in content_of(row)]

    def stats(self, wire: Wire | None = None) -> Mapping[str, Any]:
        """Return what `stats` says.

        Raises:
            BrokenError: It is no object.
        """
        fields = self.answer("stats", {}, wire)
        if not isinstance(fields, Mapping):
            raise BrokenError(f"stats answered with {type(fields).__name__}, not an object")
        return fields

    def live(self) -> int:
        """Return how many memories are live.

        Raises:
            BrokenError: `stats` gives no such number.
        """
        fields = self.stats()
        count = next((fields[key] for key in ("live", "count", "total") if key in fields), None)
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise BrokenError(f"stats says live: {count!r}, which is no count")
        return count

    def needs(self, capability: str) -> None:
        """Go on only where the service declares a capability.

        Raises:
            NotOfferedError: It does not.
        """
        if self._declared is None:
            listed = self.stats().get("capabilities")
            self._declared = listed if isinstance(listed, Sequence) else ()
        if capability not in self._declared:
            raise NotOfferedError(f"stats does not declare {capability}")

    def other(self) -> Wire:
        """Return the connection of another author.

        Raises:
            NotOfferedError: None was given.
        """
        if self.around.other is None:
            raise NotOfferedError("needs the token of a second author")
        return self.around.other

    def clean(self) -> None:
        """Forget what this run stored, as far as the service lets it."""
        for wire, memory_id in self._mine:
            try:
                wire.call("forget", self._spelled("forget", {"id": memory_id}))
            except ColdTierError:
                return

    def _spelled(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments under the names that the service uses for them."""
        offer = self.wire.offer()
        spelled = dict(arguments)
        for usual, other in SPELLINGS.items():
            if usual in spelled and offer.takes(tool, other) and not offer.takes(tool, usual):
                spelled[other] = spelled.pop(usual)
        return spelled


def is_refusal(answer: Answer) -> bool:
    """Tell whether an answer says no."""
    status = str(answer.fields.get("status", "")).casefold()
    return bool(answer.is_error or answer.fields.get("error") or status in {"error", "not_found"})


def rows_of(value: object) -> list[Any] | None:
    """Return the rows of a recall, None when there is no list of them."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("hits", "results", "memories") if key in value), None)
    return value if isinstance(value, list) else None


def content_of(row: object) -> str:
    """Return the text of a row, "" when it has none."""
    if not isinstance(row, Mapping):
        return ""
    text = next((row[key] for key in ("content", "text", "memory") if key in row), "")
    return text if isinstance(text, str) else ""


def id_of(row: object) -> Any:
    """Return the id of a row as it came."""
    return row.get("id", row.get("memory_id")) if isinstance(row, Mapping) else None


def was_forgotten(value: object) -> bool:
    """Tell what an answer of `forget` says."""
    if not isinstance(value, Mapping):
        return False
    said = value.get("forgotten", value.get("deleted", value.get("status") == "forgotten"))
    return bool(said)


def expect(holds: object, saw: str) -> None:
    """Demand that something holds.

    Raises:
        BrokenError: It does not.
    """
    if not holds:
        raise BrokenError(saw)


def _shown(arguments: object) -> str:
    return _cut(repr(arguments))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:159]}…"
