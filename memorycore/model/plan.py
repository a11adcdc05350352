"""Plans: what a pass would do, each step with its signals and its reason in words."""

from dataclasses import dataclass
from enum import StrEnum

from memorycore.model.record import Record
from memorycore.model.routing import EntryType, Target


class Signal(StrEnum):
    """What allowed an entry to leave or kept it."""

    TTL = "ttl"
    IDLE = "S1"
    COMPLETED = "S2"
    SAME_TOPIC = "S3"
    DORMANT = "S4"
    REDUNDANT = "S5"
    PROTECTED = "S6"
    COLD_CLASS = "class"
    STALE_CLASS = "stale"
    PRESSURE = "pressure"


@dataclass(frozen=True, slots=True)
class Keep(Record):
    """The entry stays."""

    key: str
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Demote(Record):
    """The entry moves to the cold store whole."""

    key: str
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Discard(Record):
    """The entry has no lasting content; it goes to the trash, recoverable."""

    key: str
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Merge(Record):
    """Several entries become one text at the place of the first."""

    keys: tuple[str, ...]
    text: str
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Compress(Record):
    """The entry is said in fewer words by the judge; the full text goes to the cold store."""

    key: str
    text: str
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Stub(Record):
    """The full text moves to the cold store and a short pointer stays."""

    key: str
    text: str
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class DropRedundant(Record):
    """An equivalent live cold copy exists; the hot copy goes."""

    key: str
    memory_id: str
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class CollectStub(Record):
    """A pointer goes; the cold memory it names is untouched."""

    key: str
    memory_id: str | None
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Split(Record):
    """Core sentences stay as `kept`, the others sink to the cold store as `sunk`."""

    key: str
    kept: str
    sunk: tuple[str, ...]
    signals: tuple[Signal, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Retype(Record):
    """The entry's type changes; its text does not."""

    key: str
    type: EntryType
    signals: tuple[Signal, ...]
    reason: str


Action = (
    Keep | Demote | Discard | Merge | Compress | Stub | DropRedundant | CollectStub | Split | Retype
)


@dataclass(frozen=True, slots=True)
class Plan(Record):
    """What overflow would do to one hot file read at `revision`; sizes in characters."""

    target: Target
    revision: str
    actions: tuple[Action, ...]
    characters_before: int
    characters_after: int
    limit: int
    note: str = ""
