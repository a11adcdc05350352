"""Maintenance, trash, history and forgetting over the rows this process governs."""

from dataclasses import dataclass

from memorycore.adapters.aboutness_file import load_aboutness_words
from memorycore.adapters.residue_files import FileResidue
from memorycore.bootstrap.cold_side import ColdSide
from memorycore.bootstrap.databases import Databases
from memorycore.bootstrap.judgement import Judgement
from memorycore.bootstrap.surroundings import DATABASE, Around
from memorycore.policy.merging import merge
from memorycore.service.background import Background
from memorycore.service.capacity import CapacityGate
from memorycore.service.forgetting import Forgetting, ForgettingRules
from memorycore.service.history import History
from memorycore.service.holdings import Holdings
from memorycore.service.hot_tier import HotTier
from memorycore.service.maintenance import Maintenance
from memorycore.service.paraphrases import Paraphrases
from memorycore.service.pass_tools import PassTools
from memorycore.service.purging import Purging
from memorycore.service.removal import Removal
from memorycore.service.targets import Targets
from memorycore.service.trash import Trash
from memorycore.service.writing import Writing


@dataclass(frozen=True, slots=True)
class Keeping:
    """What keeps the cold store in order."""

    maintenance: Maintenance
    trash: Trash
    history: History
    forgetting: Forgetting
    gate: CapacityGate
    housekeeping: Background


@dataclass(frozen=True, slots=True)
class Stores:
    """What is kept in order: both tiers, the local database and the write path."""

    side: ColdSide
    hot: HotTier
    database: Databases
    writing: Writing


def keeping_of(around: Around, rules: Judgement, stores: Stores) -> Keeping:
    """Put the services together."""
    side, database = stores.side, stores.database
    trash = Trash(side.repository, clock=around.clock, retention=around.retention)
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
    maintenance = Maintenance(tools, trash=trash, leases=database.leases, owner=around.owner.token)
    housekeeping = Background(
        lambda stop: maintenance.make_room(cancelled=stop), name="memorycore-capacity"
    )
    gate = CapacityGate(
        side.repository, limits=around.limits, request=lambda _urgent: housekeeping.request()
    )
    return Keeping(
        maintenance=maintenance,
        trash=trash,
        history=History(side.repository, far=side.history),
        forgetting=_forgetting(around, rules, stores),
        gate=gate,
        housekeeping=housekeeping,
    )


def _forgetting(around: Around, rules: Judgement, stores: Stores) -> Forgetting:
    repository, hot, database = stores.side.repository, stores.hot, stores.database
    remote = stores.side.tier if stores.side.remote else None
    holdings = Holdings(repository, hot, clock=around.clock, remote=remote)
    removal = Removal(
        repository=repository,
        hot=hot,
        holdings=holdings,
        vectors=rules.vectors,
        model=stores.side.model,
        retention=around.retention,
        clock=around.clock,
        ids=around.ids,
        remote=remote,
    )
    residue = FileResidue(around.settings.memory_dir, around.settings.data_dir, database=DATABASE)
    return Forgetting(
        holdings=holdings,
        targets=Targets(
            repository,
            vectors=rules.vectors,
            words=load_aboutness_words(),
            comparer=rules.comparer,
        ),
        removal=removal,
        purging=Purging(removal, database.journal, database.outbox, database.activity, residue),
        paraphrases=Paraphrases(repository, vectors=rules.vectors, comparer=rules.comparer),
        rules=ForgettingRules(rules.classify, rules.screen, stores.writing.correct),
    )
