"""What `open_core` puts together: one service a capability."""

from collections.abc import Callable
from dataclasses import dataclass

from memorycore.model.routing import Classification, Screening, Target
from memorycore.policy.relation.comparing import Comparer
from memorycore.ports import ColdStore
from memorycore.service.auditing import Auditing
from memorycore.service.bulk import Bulk
from memorycore.service.capacity import CapacityGate
from memorycore.service.doctor import Doctor
from memorycore.service.finding import Finding
from memorycore.service.forgetting import Forgetting
from memorycore.service.history import History
from memorycore.service.jobs import Jobs
from memorycore.service.maintenance import Maintenance
from memorycore.service.overflow import Overflow
from memorycore.service.reembedding import Reembedding
from memorycore.service.reporting import Reporting
from memorycore.service.trash import Trash
from memorycore.service.vectors import Vectors
from memorycore.service.writing import Writing

Progress = Callable[[str, int, int], None]
"""Called with the name of a stage, how much is done and how much there is (0: unknown)."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What `open_core` has put together; one service a capability."""

    writing: Writing
    finding: Finding
    overflow: Overflow
    auditing: Auditing
    cold: ColdStore
    maintenance: Maintenance
    forgetting: Forgetting
    trash: Trash
    history: History
    gate: CapacityGate
    bulk: Bulk
    reembedding: Reembedding
    reporting: Reporting
    doctor: Doctor
    jobs: Jobs
    classify: Callable[[str, Target, float], Classification]
    screen: Callable[[str], Screening]
    comparer: Comparer
    vectors: Vectors
    recover: Callable[[], list[str]]
    close: Callable[[], None]
