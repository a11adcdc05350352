"""Long runs: a year of writes, two passes a day on a still file, many processes, many kills."""

import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memorycore.model.hot import Origin
from memorycore.model.memory import Provenance
from memorycore.model.routing import Target
from memorycore.policy.text import entry_key
from memorycore.ports.cold_store import Draft

Rig = Any
Fill = Callable[..., str]
ROOT = Path(__file__).parents[3]
BUDGETS = {Target.MEMORY: 2200, Target.USER: 1375}
WRITES = [0, 0, 1, 1, 4]
"""Writes of one day, busy and quiet ones."""
KINDS = ["hot", "cold", "cold", "stale", "guard"]
TAILS = [
    "answers about {k} stay short",
    "{k} 的报告不超过五行，端口 {p}",
    "сервер {k} слушает порт {p}, копии раз в сутки",
    "máy chủ {k} dùng cổng {p}, nhật ký mỗi ngày",
    "servidor {k} na porta {p}, cópias todo domingo",
    "{k} 👩‍👩‍👧‍👦 の予定は毎週 {p} 番",
]


def write(rig: Rig, text: str, target: Target) -> None:
    """Write as the write path does: cold text to the cold store, hot text where there is room."""
    found = rig.tier.classification(text, target)
    if found.route.value == "hot":
        rig.overflow.make_room(target, len(text) + 3, protected=found.protected)
        meta = rig.tier.new_meta(text, target, origin=Origin.STORE, at=rig.clock.now())
        snapshot = rig.tier.add(target, text, meta=meta, cap=BUDGETS[target])
        if any(entry.key == entry_key(text) for entry in snapshot.entries):
            return
    elif random.Random(text).random() < 0.5:
        _by_the_host(rig, text, target)
        return
    rig.cold.live[f"w-{len(rig.cold.live)}-{len(rig.cold.trash)}-{text}"] = _draft(text)


def _by_the_host(rig: Rig, text: str, target: Target) -> None:
    """The host's own tool writes whatever the agent says, up to the limit, after room was made."""
    rig.overflow.make_room(target, len(text) + 3)
    texts = rig.texts(target)
    if len("\n§\n".join([*texts, text])) <= BUDGETS[target]:
        rig.write(*texts, text, target=target)
    else:
        rig.cold.live[f"h-{text}"] = _draft(text)


def _draft(text: str) -> Draft:
    return Draft(text, Provenance("test", "test", "written cold"))


@pytest.mark.slow
def test_through_a_year_no_file_is_above_its_budget_and_no_fact_is_lost(
    build_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    rig = build_rig(limits=BUDGETS)
    rng = random.Random(7)
    written: list[str] = []
    for day in range(365):
        for number in range(rng.choice(WRITES)):
            key = f"k{day:03d}{number}"
            kind = rng.choice(KINDS) if rng.random() > 0.02 else "guard"
            kind = "hot" if kind == "guard" and rng.random() < 0.97 else kind
            text = f"{kind} {rng.choice(TAILS).format(k=key, p=rng.randint(2000, 9999))}"
            target = rng.choice([*Target])
            write(rig, text, target)
            written.append(text)
            assert rig.hot.read(target).characters <= BUDGETS[target]
        rig.clock.advance(days=1)
        if day % 5 == 0:
            for target in Target:
                rig.overflow.run(target)

    known = {
        *rig.texts(Target.MEMORY),
        *rig.texts(Target.USER),
        *rig.cold.texts(),
        *(draft.content for draft, _ in rig.cold.trash.values()),
    }
    assert set(written) <= known
    assert rig.database.journal.open_intents() == []


def test_two_passes_a_day_for_a_year_take_nothing_from_a_file_without_states(
    rig: Rig, fill: Fill
) -> None:
    texts = [fill(f"hot r{n}x", 90) for n in range(5)] + [fill("guard z0x", 60)]
    rig.write(*texts)

    for _ in range(730):
        rig.overflow.run(Target.MEMORY)
        rig.clock.advance(hours=12)

    assert rig.texts() == texts
    assert rig.cold.texts() == []


def test_many_overflows_and_writers_at_once_lose_nothing_and_move_nothing_twice(
    rig: Rig, cold_file: Callable[..., list[str]]
) -> None:
    texts = cold_file(12, 80)
    rig.write(*texts)
    rigs = [rig, rig.again("b:2:2"), rig.again("c:3:3")]
    added = [f"hot added {number}" for number in range(9)]

    def work(own: Rig, mine: list[str]) -> None:
        for text in mine:
            own.overflow.run(Target.MEMORY)
            meta = own.tier.new_meta(text, Target.MEMORY, origin=Origin.STORE, at=own.clock.now())
            own.tier.add(Target.MEMORY, text, meta=meta)

    threads = [
        threading.Thread(target=work, args=(own, added[index::3])) for index, own in enumerate(rigs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(rig.texts() + rig.cold.texts()) == sorted([*texts, *added])
    assert rig.database.journal.open_intents() == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the stress program forks")
def test_killed_processes_leave_every_fact_somewhere_and_no_entry_in_both_tiers() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv[1:] = ['--runs', '24']; import runpy; runpy.run_path({str(ROOT)!r} + '/stress/killed_overflows.py', run_name='__main__')",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert done.returncode == 0, done.stderr
