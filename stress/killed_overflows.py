"""Kills overflow runs with SIGKILL at every kind of step and checks what recovery makes of it.

Each run forks a process that relieves a hot file and is killed at a step of its own: before or after a journal
record, a cold write, the replacing of the file or of its sidecar. Then another process recovers. Every fact must
be somewhere, no entry in both tiers, no intent open.

    python stress/killed_overflows.py --runs 200
"""

import argparse
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from memorycore.adapters.clock import RandomIds
from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.adapters.hot_markdown import MarkdownHotStore, sidecar, store
from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.adapters.processes import is_alive, own_token
from memorycore.adapters.relation_words import load_relation_words
from memorycore.model.limits import ColdLimits, Retention
from memorycore.model.routing import Classification, Target
from memorycore.policy.merging import merge
from memorycore.policy.overflow.planning import Rules
from memorycore.policy.relation.comparing import Comparer
from memorycore.policy.routing import Router
from memorycore.service.cold_steps import ColdSteps
from memorycore.service.governed_cold import ColdRules, GovernedCold
from memorycore.service.hot_tier import HotTier
from memorycore.service.overflow_assembly import Relief, Surroundings, Tiers, assemble
from memorycore.service.overflow_evidence import Insight
from memorycore.service.overflow_merging import Relating
from memorycore.service.overflow_turn import Owner
from memorycore.service.recalling import Recaller
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors
from memorycore.testing import FakeClock

LIMIT = 700
STEPS_TRIED = 60
LEXICON = load_lexicon()
ROUTER = Router(LEXICON)
COMPARER = Comparer(load_relation_words())

TEMPLATES = [
    "Host {w}-{k} listens on port {p}; its logs are in /var/log/{w}/{k}.",
    "{w} 服务器 {k} 的端口是 {p}，配置在 /etc/{w}/{k}.conf。",
    "Сервер {w}-{k}: порт {p}, копии лежат в /srv/{w}/{k}.",
    "2026-01-0{d}: PR #{p} for {w}-{k} merged and deployed, CI green.",
    "User prefers short answers about {w}, tag {k}.",
    "NEVER push {w}-{k} to production without explicit approval.",
    "Servidor {w}-{k} na porta {p}, dados em /srv/{w}/{k}.",
]
WORDS = [
    "heron",
    "kestrel",
    "larkspur",
    "alder",
    "cobalt",
    "juniper",
    "marlin",
    "osprey",
    "quartz",
    "saffron",
]


@dataclass(frozen=True, slots=True)
class Rig:
    """One process's view of both tiers."""

    hot: MarkdownHotStore
    cold: GovernedCold
    database: SqliteDatabase
    relief: Relief


def open_rig(folder: Path) -> Rig:
    clock, ids = FakeClock(), RandomIds()
    database = open_database(folder / "memorycore.db")
    hot = MarkdownHotStore(folder / "memories", limits=dict.fromkeys(Target, LIMIT), clock=clock)
    vectors = Vectors(None, clock=clock)
    model = StoreModel(database.repository, vectors)
    cold = GovernedCold(
        database.repository,
        backend="sqlite",
        rules=ColdRules(COMPARER, None, ColdLimits()),
        steps=ColdSteps(vectors, model, Retention(), ids),
        recaller=Recaller(database.repository, vectors, model=model, clock=clock),
        clock=clock,
    )
    tier = HotTier(hot, classify=classify, clock=clock, record=database.repository.record)
    relief = assemble(
        Tiers(
            tier,
            cold,
            database.journal,
            database.repository,
            discard=lambda draft, reason: cold.discard(draft, reason=reason),
            record=database.repository.record,
        ),
        Surroundings(clock, ids, Owner(own_token(), is_alive)),
        relating=Relating(COMPARER, merge),
        insight=Insight(LEXICON, activity=database.activity),
        rules=Rules(),
    )
    return Rig(hot, cold, database, relief)


def classify(text: str, target: Target) -> Classification:
    return ROUTER.classify(text, target=target)


def facts(rng: random.Random, run: int) -> dict[str, str]:
    """Return texts by a key that no other text holds."""
    made = {}
    for number in range(rng.randint(10, 16)):
        key = f"k{run:04d}{number:02d}"
        template = rng.choice(TEMPLATES)
        word, port = rng.choice(WORDS), rng.randint(2000, 9999)
        made[key] = template.format(w=word, k=key, p=port, d=rng.randint(1, 9))
    return made


def arm(rig: Rig, at: int) -> None:
    """Make the process kill itself at its n-th step."""
    left = [at]

    def step() -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    journal, cold = rig.database.journal, rig.cold
    points: list[tuple[object, str]] = [
        *((journal, name) for name in ("begin", "advance", "done")),
        *((cold, name) for name in ("remember", "discard", "forget", "read")),
        (rig.hot, "commit"),
        (store, "write_whole"),
        (sidecar, "write_whole"),
    ]
    for owner, name in points:
        _wrap(owner, name, step)


def _wrap(owner: object | ModuleType, name: str, step: Callable[[], None]) -> None:
    found = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        step()
        result = found(*args, **kwargs)
        step()
        return result

    setattr(owner, name, call)


def run_and_die(folder: Path, at: int) -> bool:
    """Run an overflow in a child that dies at step `at`; tell whether it was killed."""
    child = os.fork()
    if child == 0:
        try:
            rig = open_rig(folder)
            arm(rig, at)
            rig.relief.overflow.run(Target.MEMORY)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def check(rig: Rig, wanted: dict[str, str]) -> list[str]:
    """Return what is wrong with both tiers after recovery."""
    hot = [entry.text for entry in rig.hot.read(Target.MEMORY).entries]
    live = [memory.content for memory in rig.database.repository.scan(limit=5000)]
    trash = [item.memory.content for item in rig.database.repository.trash()]
    blob = "\n".join([*hot, *live, *trash])
    faults = [f"lost: {text}" for key, text in wanted.items() if key not in blob]
    faults += [f"in both tiers: {text}" for text in set(hot) & set(live)]
    faults += [f"open intent: {intent.step}" for intent in rig.database.journal.open_intents()]
    return faults


def one_run(folder: Path, rng: random.Random, run: int) -> tuple[bool, list[str]]:
    wanted = facts(rng, run)
    path = folder / "memories" / "MEMORY.md"
    path.parent.mkdir(parents=True)
    path.write_text("\n§\n".join(wanted.values()), encoding="utf-8")
    killed = run_and_die(folder, 1 + run % STEPS_TRIED)
    rig = open_rig(folder)
    rig.relief.recovery.recover()
    faults = check(rig, wanted)
    rig.relief.overflow.run(Target.MEMORY)
    faults += check(rig, wanted)
    rig.database.close()
    return killed, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    told: Counter[str] = Counter()
    for run in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            killed, faults = one_run(Path(folder), rng, run)
        told["killed" if killed else "finished"] += 1
        for fault in faults:
            told["faults"] += 1
            print(f"run {run}: {fault}", file=sys.stderr)
    print(f"{options.runs} runs: {dict(told)}")
    return 1 if told["faults"] or not told["killed"] else 0


if __name__ == "__main__":
    sys.exit(main())
