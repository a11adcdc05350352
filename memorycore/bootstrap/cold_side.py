"""The cold tier that the settings name, and the local rows that go with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memorycore.adapters.learned_recall import load_recall_prior
from memorycore.bootstrap.databases import Databases
from memorycore.bootstrap.judgement import Judgement
from memorycore.bootstrap.remote_side import remote_side
from memorycore.bootstrap.surroundings import Around
from memorycore.model.memory import Event
from memorycore.ports import ColdRepository, ColdStore
from memorycore.service.cold_steps import ColdSteps
from memorycore.service.finding import Waiting, nothing_waits
from memorycore.service.governed_cold import ColdRules, GovernedCold
from memorycore.service.recalling import Recaller
from memorycore.service.store_model import StoreModel
from memorycore.settings import ColdBackend


@dataclass(frozen=True, slots=True)
class ColdSide:
    """The cold tier and what is behind it.

    `tier` is where facts go. `governed` and `repository` are the rows this process governs itself: the tier's own,
    or, when the tier is another service (`remote`), the local rows that hold the trash of the hot files.
    """

    tier: ColdStore
    governed: GovernedCold
    repository: ColdRepository
    recaller: Recaller
    model: StoreModel
    remote: bool
    replay_outbox: Callable[[], object]
    waiting: Waiting
    history: Callable[[str], Sequence[Event]] | None
    close: Callable[[], None]


def cold_side(
    around: Around, rules: Judgement, database: Databases, cold: ColdStore | None
) -> ColdSide:
    """Return the cold tier; `cold` replaces the one that the settings name."""
    repository: ColdRepository = database.repository
    model = StoreModel(repository, rules.vectors)
    recaller = Recaller(
        repository,
        rules.vectors,
        model=model,
        clock=around.clock,
        prior=load_recall_prior(rules.model),
        retention=around.retention,
    )
    governed = GovernedCold(
        repository,
        backend=around.settings.cold_backend.value,
        rules=ColdRules(rules.comparer, rules.judge, around.limits),
        steps=ColdSteps(rules.vectors, model, around.retention, around.ids),
        recaller=recaller,
        clock=around.clock,
    )
    named = around.settings.cold_backend is ColdBackend.MCP and cold is None
    remote = remote_side(around, database) if named else None
    return ColdSide(
        tier=cold or (remote.tier if remote else governed),
        governed=governed,
        repository=repository,
        recaller=recaller,
        model=model,
        remote=cold is not None or remote is not None,
        replay_outbox=remote.replay_outbox if remote else _nothing,
        waiting=remote.tier.waiting if remote else nothing_waits,
        history=remote.history if remote else None,
        close=remote.close if remote else _nothing,
    )


def _nothing() -> None:
    return
