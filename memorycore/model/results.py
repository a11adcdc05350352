"""What the public calls return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memorycore.model.memory import Memory, TrashReason
from memorycore.model.plan import Action, Plan
from memorycore.model.record import Record
from memorycore.model.routing import EntryType, Target


class StoreStatus(StrEnum):
    """What a write did."""

    STORED = "stored"
    COLD_STORED = "cold_stored"
    COLD_DUPLICATE = "cold_duplicate"
    COLD_UPDATED = "cold_updated"
    COLD_SUPERSEDED = "cold_superseded"
    COLD_QUEUED = "cold_queued"
    STALE = "stale"
    COLD_STORED_FALLBACK = "cold_stored_fallback"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class TierUsage(Record):
    """Usage of one hot file; `pressure` is `characters / limit`."""

    target: Target
    entries: int
    characters: int
    limit: int
    pressure: float
    protected_characters: int = 0


@dataclass(frozen=True, slots=True)
class StoreResult(Record):
    """What happened to a written fact and where it is now.

    `memory_id` is set for the cold tier and the trash, `entry_key` for the hot tier. `related_id` names the
    memory that was merged into or superseded. `usage` is the target file's usage after the write.
    """

    status: StoreStatus
    reason: str
    target: Target
    memory_id: str | None = None
    entry_key: str | None = None
    related_id: str | None = None
    usage: TierUsage | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """One recalled memory. `score` (0 to 1) is comparable between queries; `why` says what matched."""

    id: str
    content: str
    score: float
    dense_score: float | None
    keyword_score: float | None
    importance: float
    created_at: datetime
    last_recalled: datetime | None
    revived: bool = False
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallResult(Record):
    """Hits, best first. `abstained`: nothing stood above the noise floor. `degraded`: what was missing, or None."""

    query: str
    hits: tuple[Hit, ...]
    abstained: bool
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class OverflowReport(Record):
    """What one overflow did to one hot file; sizes in characters, `failed` in words."""

    target: Target
    actions: tuple[Action, ...]
    characters_before: int
    characters_after: int
    limit: int
    rounds: int
    moved: int
    failed: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class MaintenanceReport(Record):
    """Counts of one maintenance pass; `finished` is False when it was cancelled or another process runs one."""

    finished: bool
    examined: int
    purged: int = 0
    duplicates: int = 0
    merged: int = 0
    superseded: int = 0
    stale: int = 0
    decayed: int = 0
    evicted: int = 0
    embedded: int = 0
    live: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobStatus(Record):
    """A scheduled job: when it last ran, when it runs next, and its last error."""

    name: str
    last_run: datetime | None
    next_run: datetime | None
    last_error: str | None


@dataclass(frozen=True, slots=True)
class ColdUsage(Record):
    """Counts of the cold tier; `bytes` is the size on disk, 0 where unknown."""

    backend: str
    live: int
    trashed: int
    pending_vectors: int
    queued: int
    bytes: int
    soft_limit: int
    hard_limit: int
    embedder: str | None
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class UsageReport(Record):
    """Both tiers, the open intents and the jobs."""

    hot: tuple[TierUsage, ...]
    cold: ColdUsage
    open_intents: int
    jobs: tuple[JobStatus, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditEntry(Record):
    """One hot entry explained: what it is, whether it may leave, when, and why."""

    target: Target
    key: str
    text: str
    characters: int
    type: EntryType
    route: str
    protected: bool
    protected_because: str
    age_days: float
    idle_days: float
    plan: str
    signals: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditReport(Record):
    """Every hot entry explained; `notes` says, among others, why nothing can leave."""

    entries: tuple[AuditEntry, ...]
    usage: tuple[TierUsage, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SupersedeResult(Record):
    """The new memory and those it replaced."""

    memory_id: str
    content: str
    superseded: tuple[Memory, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ReleaseResult(Record):
    """What a soft forget moved, or with `dry_run` would move, to the trash."""

    released: tuple[Memory, ...]
    dry_run: bool
    reason: str
    capped: bool = False


@dataclass(frozen=True, slots=True)
class PurgeResult(Record):
    """What a hard forget erased, or with `dry_run` would erase; texts are given only in the preview."""

    purged: int
    preview: tuple[Memory, ...]
    dry_run: bool
    reason: str
    capped: bool = False


@dataclass(frozen=True, slots=True)
class ReviveResult(Record):
    """A memory back from the trash; `memory` is None when there was nothing to bring back."""

    memory: Memory | None
    reason: str
    was: TrashReason | None = None


@dataclass(frozen=True, slots=True)
class ImportReport(Record):
    """Counts of a bulk import; `rejected` pairs the 0-based position with the reason."""

    read: int
    stored: int
    duplicates: int
    merged: int
    superseded: int
    rejected: tuple[tuple[int, str], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class ReembedReport(Record):
    """How many memories carry vectors of the configured model now."""

    model: str
    embedded: int
    resumed: bool
    seconds: float


class Health(StrEnum):
    """Outcome of one check."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check(Record):
    """One check of the doctor; `advice` says what to do when it is not ok."""

    name: str
    health: Health
    detail: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport(Record):
    """All checks of the doctor."""

    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """True when no check failed."""
        return all(check.health is not Health.FAILED for check in self.checks)


PlansByTarget = Mapping[str, Plan]
"""Keys are `memory` and `user`."""
