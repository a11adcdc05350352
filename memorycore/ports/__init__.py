"""What the service needs of the outside, as protocols; adapters provide it."""

from memorycore.ports.ambient import Clock, IdFactory
from memorycore.ports.cold import (
    STATE_DIMENSION,
    STATE_MODEL,
    Candidate,
    Change,
    ColdRepository,
    Confirm,
    Discard,
    Erase,
    Insert,
    Projection,
    Revise,
    Revive,
    SearchRequest,
    StoreCounts,
    TokenStatistics,
    Vector,
    VectorMatrix,
)
from memorycore.ports.cold_store import ColdStore, Draft, Outcome, RecallQuery, Remembered
from memorycore.ports.embedding import Embedder
from memorycore.ports.hot import HotStore
from memorycore.ports.judging import Judge
from memorycore.ports.local import (
    Activity,
    ActivityLog,
    Intent,
    JobRecord,
    Journal,
    Leases,
    Outbox,
    OutboxItem,
)

__all__ = [
    "STATE_DIMENSION",
    "STATE_MODEL",
    "Activity",
    "ActivityLog",
    "Candidate",
    "Change",
    "Clock",
    "ColdRepository",
    "ColdStore",
    "Confirm",
    "Discard",
    "Draft",
    "Embedder",
    "Erase",
    "HotStore",
    "IdFactory",
    "Insert",
    "Intent",
    "JobRecord",
    "Journal",
    "Judge",
    "Leases",
    "Outbox",
    "OutboxItem",
    "Outcome",
    "Projection",
    "RecallQuery",
    "Remembered",
    "Revise",
    "Revive",
    "SearchRequest",
    "StoreCounts",
    "TokenStatistics",
    "Vector",
    "VectorMatrix",
]
