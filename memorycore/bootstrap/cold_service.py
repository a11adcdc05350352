"""A cold store without a hot tier, for a server that several machines share."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from memorycore.bootstrap.cold_side import ColdSide, cold_side
from memorycore.bootstrap.databases import open_databases
from memorycore.bootstrap.judgement import Judgement, judgement
from memorycore.bootstrap.schedule import BY_SCHEDULE
from memorycore.bootstrap.surroundings import Around, surroundings
from memorycore.errors import ConfigurationError
from memorycore.model.routing import Verdict
from memorycore.policy.merging import merge
from memorycore.policy.validation import objection
from memorycore.ports import Clock, Embedder, IdFactory, Leases
from memorycore.service.background import Background
from memorycore.service.capacity import CapacityGate
from memorycore.service.jobs import Job, Jobs
from memorycore.service.maintenance import Maintenance
from memorycore.service.pass_tools import PassTools
from memorycore.service.served_cold import ServedCold
from memorycore.service.trash import Trash
from memorycore.settings import ColdBackend, Settings


@dataclass(frozen=True, slots=True)
class ColdService:
    """The store that is served, the jobs that keep it in order, and what closes it."""

    served: ServedCold
    jobs: Jobs
    close: Callable[[], None]


def open_cold_service(
    settings: Settings,
    *,
    shared: bool = False,
    clock: Clock | None = None,
    ids: IdFactory | None = None,
    embedder: Embedder | None = None,
) -> ColdService:
    """Open the cold store that the settings name; hot files are not touched.

    Args:
        settings: Where the store is and what limits it.
        shared: Let every author see every memory.
        clock: Replaces the wall clock.
        ids: Replaces random identifiers.
        embedder: Replaces the embedder that the settings name.

    Raises:
        ConfigurationError: The settings name a remote as the cold tier: a server serves its own store.
        ColdTierError: The store cannot be opened.
    """
    if settings.cold_backend is ColdBackend.MCP:
        message = (
            "cold-server serves sqlite or postgres: set cold_backend (MEMORYCORE_COLD_BACKEND)"
        )
        raise ConfigurationError(message)
    around = surroundings(settings, clock=clock, ids=ids)
    rules = judgement(settings, embedder=embedder, judge=None, clock=around.clock)
    database = open_databases(settings)
    try:
        side = cold_side(around, rules, database, None)
    except BaseException:
        database.close()
        raise
    trash = Trash(side.repository, clock=around.clock, retention=around.retention)
    maintenance = _maintenance(around, rules, side, trash, database.leases)
    room = Background(lambda stop: maintenance.make_room(cancelled=stop), name="cold-capacity")
    gate = CapacityGate(
        side.repository, limits=around.limits, request=lambda _urgent: room.request()
    )

    def close() -> None:
        room.close()
        side.close()
        database.close()

    served = ServedCold(
        side.governed,
        side.repository,
        refuse=partial(_refusal, rules),
        after_write=gate.after_write,
        prepare=rules.vectors.passage,
        shared=shared,
    )
    return ColdService(served, _jobs(around, maintenance, trash, database.leases), close)


def _maintenance(
    around: Around, rules: Judgement, side: ColdSide, trash: Trash, leases: Leases
) -> Maintenance:
    tools = PassTools(
        repository=side.repository,
        vectors=rules.vectors,
        model=side.model,
        comparer=rules.comparer,
        merge=merge,
        clock=around.clock,
        limits=around.limits,
        retention=around.retention,
    )
    return Maintenance(tools, trash=trash, leases=leases, owner=around.owner.token)


def _jobs(around: Around, maintenance: Maintenance, trash: Trash, leases: Leases) -> Jobs:
    schedule = around.settings.schedule
    jobs = (
        Job(
            "maintenance",
            timedelta(hours=schedule.maintenance_hours),
            lambda stop: maintenance.run(cancelled=stop),
        ),
        Job(
            "trash",
            timedelta(hours=schedule.trash_hours),
            lambda stop: trash.purge_expired(provenance=BY_SCHEDULE, cancelled=stop),
        ),
    )
    return Jobs(jobs, leases=leases, clock=around.clock, owner=around.owner.token)


def _refusal(rules: Judgement, content: str) -> str | None:
    refused = objection(content)
    if refused:
        return refused
    screening = rules.screen(content)
    if screening.verdict is not Verdict.SECRET:
        return None
    kinds = ", ".join(screening.kinds)
    return f"looks like a secret ({kinds}); keep it in a vault and store where it is"
