"""`open_core`: from settings to a working core."""

import logging
from functools import partial

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.bootstrap import limits
from memorycore.bootstrap.cold_side import ColdSide, cold_side
from memorycore.bootstrap.databases import Databases, open_databases
from memorycore.bootstrap.judgement import Judgement, judgement
from memorycore.bootstrap.keeping import Keeping, Stores, keeping_of
from memorycore.bootstrap.schedule import Chores, jobs_of
from memorycore.bootstrap.surroundings import Around, surroundings
from memorycore.policy.merging import merge
from memorycore.policy.overflow.planning import Rules
from memorycore.policy.screening import redact
from memorycore.ports import Clock, ColdStore, Embedder, IdFactory, Judge
from memorycore.service.activity import ActivityNotes
from memorycore.service.bulk import Bulk, BulkParts
from memorycore.service.core import MemoryCore
from memorycore.service.doctor import Doctor, Patient
from memorycore.service.finding import Finding
from memorycore.service.hot_tier import HotTier
from memorycore.service.jobs import Jobs
from memorycore.service.lost_entries import LostEntries
from memorycore.service.overflow_assembly import Relief, Surroundings, Tiers, assemble
from memorycore.service.overflow_evidence import Insight
from memorycore.service.overflow_merging import Relating
from memorycore.service.parts import Parts
from memorycore.service.reembedding import Reembedding
from memorycore.service.reporting import Reporting
from memorycore.service.writing import WriteRules, Writing
from memorycore.settings import Settings

log = logging.getLogger(__name__)


def open_core(
    settings: Settings | None = None,
    *,
    clock: Clock | None = None,
    ids: IdFactory | None = None,
    embedder: Embedder | None = None,
    cold: ColdStore | None = None,
    judge: Judge | None = None,
    tool: str = "python",
) -> MemoryCore:
    """Open a core, and finish or undo what a crashed process left open.

    Args:
        settings: None reads the environment and the settings file.
        clock: Replaces the wall clock.
        ids: Replaces random identifiers.
        embedder: Replaces the embedder that the settings name.
        cold: Replaces the cold tier that the settings name.
        judge: Replaces the judge that the settings name.
        tool: Named in the provenance of every change, such as `cli` or `mcp`.

    Raises:
        ConfigurationError: A setting or a lexicon file is wrong.
        ColdTierError: The database cannot be opened; the message says what to do.
    """
    settings = settings or Settings()
    around = surroundings(settings, clock=clock, ids=ids)
    rules = judgement(settings, embedder=embedder, judge=judge, clock=around.clock)
    database = open_databases(settings)
    try:
        core = MemoryCore(_parts(around, rules, database, cold), tool=tool)
        for told in core.recover():
            log.warning("recovered %s", told)
    except BaseException:
        database.close()
        raise
    return core


def _parts(around: Around, rules: Judgement, database: Databases, cold: ColdStore | None) -> Parts:
    settings = around.settings
    side = cold_side(around, rules, database, cold)
    hot = _hot_tier(around, rules, side)
    relief = _relief(around, rules, side, hot, database)
    notes = ActivityNotes(
        database.activity,
        redact=partial(redact, lexicon=rules.lexicon),
        clock=around.clock,
        ages=limits.hot_ages(settings),
        enabled=settings.activity_log_enabled,
    )
    writing = Writing(
        hot=hot,
        overflow=relief.overflow,
        cold=side.tier,
        trash=side.governed,
        rules=WriteRules(rules.classify, rules.screen, rules.comparer, rules.vectors, notes),
        clock=around.clock,
    )
    keeping = keeping_of(around, rules, Stores(side, hot, database, writing))
    chores = Chores(
        reconcile=hot.reconcile,
        overflow=relief.overflow,
        maintenance=keeping.maintenance,
        trash=keeping.trash,
        trim_activity=notes.trim,
        replay_outbox=side.replay_outbox,
    )
    jobs = Jobs(
        jobs_of(settings.schedule, chores),
        leases=database.leases,
        clock=around.clock,
        owner=around.owner.token,
    )
    rows = None if side.remote else side.repository
    return Parts(
        writing=writing,
        finding=Finding(
            local=side.recaller,
            remote=side.tier if side.remote else None,
            hot=hot,
            vectors=rules.vectors,
            notes=notes,
            promote=relief.promotion.promote,
            clock=around.clock,
            waiting=side.waiting,
        ),
        overflow=relief.overflow,
        auditing=relief.auditing,
        cold=side.tier,
        maintenance=keeping.maintenance,
        forgetting=keeping.forgetting,
        trash=keeping.trash,
        history=keeping.history,
        gate=keeping.gate,
        bulk=Bulk(
            side.tier,
            rows,
            hot,
            parts=BulkParts(rules.screen, writing.store, rules.vectors, side.model),
            clock=around.clock,
            ids=around.ids,
        ),
        reembedding=Reembedding(rows, rules.vectors, model=side.model, clock=around.clock),
        reporting=Reporting(
            hot=hot,
            cold=side.tier,
            journal=database.journal,
            outbox=database.outbox,
            jobs=jobs,
            limits=around.limits,
        ),
        doctor=_doctor(rules, side, hot, database),
        jobs=jobs,
        classify=rules.classify,
        screen=rules.screen,
        comparer=rules.comparer,
        vectors=rules.vectors,
        recover=relief.recovery.recover,
        close=partial(_close, keeping, side, database),
    )


def _hot_tier(around: Around, rules: Judgement, side: ColdSide) -> HotTier:
    settings = around.settings
    files = MarkdownHotStore(
        settings.memory_dir, limits=limits.hot_limits(settings), clock=around.clock
    )
    lost = LostEntries(
        side.repository,
        screen=rules.screen,
        retention=around.retention,
        clock=around.clock,
        ids=around.ids,
    )
    return HotTier(
        files,
        classify=rules.classify,
        clock=around.clock,
        record=side.repository.record,
        keep=lost.keep,
    )


def _relief(
    around: Around, rules: Judgement, side: ColdSide, hot: HotTier, database: Databases
) -> Relief:
    settings = around.settings
    return assemble(
        Tiers(
            hot=hot,
            cold=side.tier,
            journal=database.journal,
            state=side.repository,
            discard=lambda draft, reason: side.governed.discard(draft, reason=reason),
            record=side.repository.record,
        ),
        Surroundings(around.clock, around.ids, around.owner),
        relating=Relating(rules.comparer, merge),
        insight=Insight(
            lexicon=rules.lexicon,
            activity=database.activity if settings.activity_log_enabled else None,
            vectors=rules.vectors,
            judge=rules.judge,
        ),
        rules=Rules(limits.watermarks(settings), limits.hot_ages(settings)),
        screen=rules.screen,
    )


def _doctor(rules: Judgement, side: ColdSide, hot: HotTier, database: Databases) -> Doctor:
    return Doctor(
        Patient(
            hot=hot,
            cold=side.tier,
            repository=side.repository,
            journal=database.journal,
            outbox=database.outbox,
            vectors=rules.vectors,
            model=side.model,
            judge=rules.judge,
        )
    )


def _close(keeping: Keeping, side: ColdSide, database: Databases) -> None:
    keeping.housekeeping.close()
    side.close()
    database.close()
