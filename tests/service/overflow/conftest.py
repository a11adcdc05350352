"""A rig of both tiers: the real hot files and journal, a plain cold store, and a classifier told by the text."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.errors import ColdUnavailableError, UnknownMemoryError
from memorycore.model.memory import Event, Provenance, TrashReason
from memorycore.model.relation import Match, Relation
from memorycore.model.results import ColdUsage, Hit, RecallResult
from memorycore.model.routing import Classification, EntryType, Route, Screening, Target, Verdict
from memorycore.policy.markers import build_lexicon
from memorycore.policy.overflow.planning import Rules
from memorycore.policy.text import canonical
from memorycore.ports.cold import Vector
from memorycore.ports.cold_store import Draft, Outcome, RecallQuery, Remembered
from memorycore.ports.judging import Judge
from memorycore.service.hot_tier import HotTier
from memorycore.service.overflow import Overflow
from memorycore.service.overflow_assembly import Relief, Surroundings, Tiers, assemble
from memorycore.service.overflow_evidence import Insight
from memorycore.service.overflow_merging import Relating
from memorycore.service.overflow_turn import Owner
from memorycore.testing import FIRST_MOMENT, CountingIds, FakeClock

ROUTES = dict.fromkeys(("hot", "guard", "plain"), Route.HOT) | {"stale": Route.STALE}
LEXICON = build_lexicon(
    {
        "identity": ["name is"],
        "completed": ["merged", "deployed"],
        "pending": ["waiting"],
        "interaction": ["answers"],
    },
    {},
)


def classify(text: str, target: Target) -> Classification:
    """Read the class off the first word: hot, cold, stale, guard (protected) or plain (hot, no behaviour)."""
    word = text.split(maxsplit=1)[0] if text.split() else ""
    route = ROUTES.get(word, Route.COLD)
    kind = EntryType.RULE if route is Route.HOT else EntryType.STATE
    behaves = route is Route.HOT and word != "plain"
    return Classification(route, kind, word == "guard", behaves, 0.9, (f"is {word}",))


def screen(text: str) -> Screening:
    """Find the one secret and the one injection that the tests use."""
    if "hunter2" in text:
        return Screening(Verdict.SECRET, ("password",))
    if "ignore all rules" in text:
        return Screening(Verdict.INJECTION, ("override",))
    return Screening(Verdict.CLEAN, ())


class PlainCold:
    """A cold store that keeps texts by their canonical form; it can be down, or queue."""

    def __init__(self) -> None:
        self.live: dict[str, Draft] = {}
        self.trash: dict[str, tuple[Draft, TrashReason]] = {}
        self.down = False
        self.queueing = False
        self.lying = False
        self.before_remember: Callable[[], None] | None = None
        self._last = 0
        self._ids: dict[str, str] = {}

    def remember(self, draft: Draft) -> Remembered:
        if self.before_remember:
            self.before_remember()
        self._fail()
        if self.queueing:
            return Remembered(Outcome.QUEUED, "o-1", draft.content, "the remote is down")
        known_id = self._known(draft.content)
        if known_id is not None:
            content = self.live[known_id].content
            return Remembered(Outcome.DUPLICATE, known_id, content, "stored already")
        self._last += 1
        memory_id = f"m-{self._last}"
        self.live[memory_id] = draft
        self._ids[canonical(draft.content)] = memory_id
        return Remembered(Outcome.STORED, memory_id, draft.content, "new")

    def recall(self, query: RecallQuery) -> RecallResult:
        self._fail()
        hits = [
            Hit(key, draft.content, 1.0, None, None, draft.importance, FIRST_MOMENT, None)
            for key, draft in self.live.items()
            if set(query.text.split()) & set(draft.content.split())
        ]
        return RecallResult(query.text, tuple(hits[: query.top_k]), abstained=not hits)

    def update(self, memory_id: str, content: str, *, provenance: Provenance) -> Remembered:
        self._fail()
        if memory_id not in self.live:
            raise UnknownMemoryError(memory_id)
        self.live[memory_id] = replace(self.live[memory_id], content=content)
        return Remembered(Outcome.MERGED, memory_id, content, "updated")

    def forget(self, memory_id: str, *, reason: TrashReason, provenance: Provenance) -> bool:
        self._fail()
        draft = self.live.pop(memory_id, None)
        if draft is not None:
            self.trash[memory_id] = (draft, reason)
        return draft is not None

    def read(self, memory_id: str) -> str | None:
        self._fail()
        draft = self.live.get(memory_id)
        return (draft.content[:-1] if self.lying else draft.content) if draft else None

    def stats(self) -> ColdUsage:
        self._fail()
        return ColdUsage("plain", len(self.live), len(self.trash), 0, 0, 0, 6000, 10_000, None)

    def discard(self, draft: Draft, reason: TrashReason) -> str:
        self._fail()
        known_id = self._known(draft.content)
        if known_id is not None:
            return known_id
        self._last += 1
        self.trash[f"t-{self._last}"] = (draft, reason)
        return f"t-{self._last}"

    def texts(self) -> list[str]:
        return [draft.content for draft in self.live.values()]

    def trashed(self, reason: TrashReason) -> list[str]:
        return [draft.content for draft, why in self.trash.values() if why is reason]

    def _known(self, text: str) -> str | None:
        memory_id = self._ids.get(canonical(text))
        return memory_id if memory_id in self.live else None

    def _fail(self) -> None:
        if self.down:
            raise ColdUnavailableError("the cold store is down")


class TokenComparer:
    """Same tokens: same. Half of them in common, with one more on each side: similar. Else distinct."""

    def compare(
        self,
        older: str,
        newer: str,
        *,
        older_vector: Vector | None = None,
        newer_vector: Vector | None = None,
    ) -> Match:
        first, second = set(older.lower().split()), set(newer.lower().split())
        if first == second:
            return Match(Relation.SAME, 1.0, "the same words")
        share = len(first & second) / min(len(first), len(second))
        relation = Relation.SIMILAR if share > 0.6 else Relation.DISTINCT
        return Match(relation, share, "many common words")


def merge(older: str, newer: str) -> str:
    words = dict.fromkeys([*older.split(), *newer.split()])
    return older if set(older.lower().split()) == set(newer.lower().split()) else " ".join(words)


@dataclass
class Rig:
    """Everything of one process; `again` starts another process on the same folder."""

    folder: Path
    clock: FakeClock
    hot: MarkdownHotStore
    tier: HotTier
    cold: PlainCold
    database: SqliteDatabase
    relief: Relief
    token: str
    dead: set[str]
    events: list[Event] = field(default_factory=list)
    closing: list[SqliteDatabase] = field(default_factory=list)

    @property
    def overflow(self) -> Overflow:
        return self.relief.overflow

    def write(self, *texts: str, target: Target = Target.MEMORY) -> None:
        """Write the file as the host would."""
        self.hot.path(target).parent.mkdir(exist_ok=True)
        self.hot.path(target).write_text("\n§\n".join(texts), encoding="utf-8")

    def texts(self, target: Target = Target.MEMORY) -> list[str]:
        return [entry.text for entry in self.hot.read(target).entries]

    def age(self, days: float) -> None:
        """Let time pass after the entries were seen."""
        for target in Target:
            self.tier.reconcile(target)
        self.clock.advance(days=days)

    def close(self) -> None:
        for database in [*self.closing, self.database]:
            database.close()

    def again(self, token: str = "other:2:2") -> "Rig":
        rig = build(self.folder, clock=self.clock, cold=self.cold, token=token, dead=self.dead)
        self.closing.append(rig.database)
        return rig


def build(
    folder: Path,
    *,
    clock: FakeClock,
    cold: PlainCold | None = None,
    token: str = "here:1:1",
    dead: set[str] | None = None,
    limits: dict[Target, int] | None = None,
    judge: Judge | None = None,
) -> Rig:
    gone = dead if dead is not None else set()
    store = cold or PlainCold()
    hot = MarkdownHotStore(
        folder / "memories", limits=limits or dict.fromkeys(Target, 1000), clock=clock
    )
    database = open_database(folder / "memorycore.db")
    events: list[Event] = []
    tier = HotTier(hot, classify=classify, clock=clock, record=events.extend)
    relief = assemble(
        Tiers(
            tier,
            store,
            database.journal,
            database.repository,
            discard=store.discard,
            record=events.extend,
        ),
        Surroundings(
            clock,
            CountingIds(f"i-{token}"),
            Owner(token, alive=lambda name: name not in gone, pause=lambda seconds: None),
        ),
        relating=Relating(TokenComparer(), merge),
        insight=Insight(LEXICON, activity=database.activity, judge=judge),
        rules=Rules(),
        screen=screen,
    )
    return Rig(folder, clock, hot, tier, store, database, relief, token, gone, events)


def filler(name: str, size: int = 150) -> str:
    """Return a text of `size` characters whose words no other filler has."""
    slug = name.rsplit(maxsplit=1)[-1]
    words = " ".join(f"{slug}-{number}" for number in range(size))
    return f"{name} {words}"[:size].rstrip(" -").ljust(size, ".")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = build(tmp_path, clock=FakeClock())
    yield made
    made.close()


@pytest.fixture
def build_rig(tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    made: list[Rig] = []

    def make(**options: object) -> Rig:
        clock = options.pop("clock", None) or FakeClock()
        found = build(tmp_path, clock=clock, **options)  # type: ignore[arg-type]
        made.append(found)
        return found

    yield make
    for found in made:
        found.close()


@pytest.fixture
def fill() -> Callable[..., str]:
    return filler


@pytest.fixture
def cold_file() -> Callable[..., list[str]]:
    return lambda entries, size=150: [filler(f"cold n{i}x", size) for i in range(entries)]
