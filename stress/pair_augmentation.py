"""Further training pairs, made from the labelled ones, from notes and from templates, with a fixed seed."""

import heapq
import math
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memorycore.policy.tokens import held_tokens
from memorycore.service.governed_cold import NEIGHBOURS

Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]

SEED = 20_261_130
MOST_HOLDERS = 400
"""Texts of one common word that are looked at."""

_WORD = re.compile(r"[^\W\d_]{4,}|[\u4e00-\u9fff]{2}")


@dataclass(frozen=True, slots=True)
class Row:
    """One pair with its relation and how much it counts in training."""

    older: str
    newer: str
    relation: str
    weight: float = 1.0


def augment(rows: Sequence[Row], notes: Sequence[str], embed: Embed) -> list[Row]:
    """Return further rows: swapped order, a subject exchanged, strangers, neighbours, records of one template.

    `notes` are texts each about something else.
    """
    chance = random.Random(SEED)
    return [
        *_swapped(rows),
        *_exchanged(rows, chance),
        *_strangers(rows, embed, chance),
        *_neighbours(notes, embed),
        *_records(chance, count=500),
    ]


def _strangers(rows: Sequence[Row], embed: Embed, chance: random.Random) -> Iterator[Row]:
    """Pair texts of different rows, near and far: a store's neighbours are mostly about other things."""
    texts = sorted({text for row in rows for text in (row.older, row.newer)})
    at = {text: i for i, text in enumerate(texts)}
    owners: list[set[int]] = [set() for _ in texts]
    for number, row in enumerate(rows):
        for text in (row.older, row.newer):
            owners[at[text]].add(number)
    vectors = embed(texts)
    vectors = vectors - vectors.mean(0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for i, near in enumerate(vectors @ vectors.T):
        order = np.argsort(-near)[1:40]
        strangers = [
            int(j) for j in order if not owners[i] & owners[j] and _apart(texts[i], texts[j])
        ]
        for j in (*strangers[: 1 + i % 2], *([chance.randrange(len(texts))] if i % 3 == 0 else [])):
            if not owners[i] & owners[j] and _apart(texts[i], texts[j]):
                yield Row(texts[i], texts[j], "distinct", 0.12)


def _neighbours(notes: Sequence[str], embed: Embed) -> Iterator[Row]:
    """Pair each note with those a store would compare it with: the nearest, and those with its rarest words."""
    texts = list(dict.fromkeys(notes))
    vectors = embed(texts)
    tokens = [held_tokens(text) for text in texts]
    holders: dict[str, list[int]] = defaultdict(list)
    for at, held in enumerate(tokens):
        for token in sorted(held):
            holders[token].append(at)
    for at, near in enumerate(vectors @ vectors.T):
        shared: dict[int, float] = defaultdict(float)
        for token in sorted(tokens[at]):
            for other in holders[token][:MOST_HOLDERS]:
                shared[other] += math.log(len(texts) / len(holders[token]))
        closest = [int(other) for other in np.argsort(-near)[: NEIGHBOURS + 1]]
        wordy = heapq.nlargest(NEIGHBOURS + 1, shared, key=shared.__getitem__)
        for other in dict.fromkeys((*closest, *wordy)):
            if other != at:
                yield Row(texts[other], texts[at], "distinct", 0.05)


def _apart(first: str, second: str) -> bool:
    """Tell whether two texts share too little for them to be about one thing by chance."""
    a, b = (
        {t[i : i + 3] for i in range(len(t) - 2)} for t in (first.casefold(), second.casefold())
    )
    return len(a & b) < 0.3 * min(len(a), len(b))


def _swapped(rows: Sequence[Row]) -> Iterator[Row]:
    """Order carries nothing for these relations."""
    for row in rows:
        if row.relation in ("same", "similar", "distinct"):
            yield Row(row.newer, row.older, row.relation, 0.2)


def _exchanged(rows: Sequence[Row], chance: random.Random) -> Iterator[Row]:
    """Put another word for one both texts share: now they speak of two things."""
    pool = sorted({w for row in rows for w in _WORD.findall(row.older)})
    by_script = {cjk: [w for w in pool if _cjk(w) == cjk] for cjk in (True, False)}
    for row in rows:
        if row.relation not in ("same", "reversal"):
            continue
        shared = [w for w in _WORD.findall(row.newer) if w in row.older]
        if not shared:
            continue
        word = chance.choice(shared)
        other = chance.choice(by_script[_cjk(word)])
        if word[:1].isupper():
            other = other[:1].upper() + other[1:]
        yield Row(row.older, row.newer.replace(word, other), "distinct", 0.1)


def _cjk(word: str) -> bool:
    return "\u4e00" <= word[0] <= "\u9fff"


_TEMPLATES = (
    "{name} fixed ticket {ident} on {date}.",
    "{date}: {name} merged PR #{number} into {repo}.",
    "Latency of {repo} was {number} ms on {date}.",
    "{name} paid invoice {ident} over {number} euros.",
    "Build {number} of {repo} failed on host {host}.",
    "{name} hat am {date} das Ticket {ident} geschlossen.",
    "Am {date} lief {repo} mit {number} Fehlern durch.",
    "{name} cerró la incidencia {ident} el {date}.",
    "{name} a livré la version {number} de {repo} le {date}.",
    "{name} fechou o chamado {ident} em {date}.",
    "{name} закрыл задачу {ident} {date}.",
    "Сборка {number} проекта {repo} упала на узле {host}.",
    "{date} {name}修复了{repo}的工单{ident}。",
    "{repo}在{date}处理了{number}条消息。",
    "{date}に{name}が{repo}の{ident}を修正した。",
    "{name} đã đóng phiếu {ident} ngày {date}.",
    "{date} {name} 님이 {repo}의 {ident}을 수정했다.",
    "{name} replaced the {thing} in {place} because the old one was worn, note {number}.",
    "{name} moved the {thing} to {place} before the audit of {date}, line {number}.",
    "{name} hat die Sache mit {thing} in {place} für {number} Euro erledigt.",
    "{name} перенесла {thing} в {place}, стоило {number} рублей.",
    "{name}把{thing}搬到了{place}，花了{number}元。",
)
_NAMES = (
    "Ines",
    "Tomas",
    "Priya",
    "Odile",
    "Ruben",
    "Keiko",
    "Lars",
    "Amina",
    "Boris",
    "Wei",
    "Carla",
    "Jonas",
)
_REPOS = (
    "billing-api",
    "search-index",
    "mail-gateway",
    "photo-store",
    "auth-service",
    "report-job",
    "chat-relay",
)
_THINGS = (
    "kettle",
    "scanner",
    "bicycle pump",
    "fence",
    "router",
    "lamp",
    "hedge trimmer",
    "freezer",
    "drum kit",
    "shelf",
    "tent",
    "loom",
)
_PLACES = ("Bergen", "the cellar", "Lyon", "room 12", "the barn", "Porto", "the studio", "Gdansk")
_HOSTS = ("elm", "oak", "fir-02", "ash-7", "yew", "pine-11")


def _records(chance: random.Random, *, count: int) -> Iterator[Row]:
    """Yield two events of one template that differ in some of their parts."""
    for _ in range(count):
        template = chance.choice(_TEMPLATES)
        first = _parts(chance)
        second = _parts(chance)
        kept = [key for key in first if key != "thing" and chance.random() < 0.4]
        second |= {key: first[key] for key in kept}
        a, b = template.format(**first), template.format(**second)
        if a != b:
            yield Row(a, b, "distinct", 0.4)


def _parts(chance: random.Random) -> dict[str, str]:
    return {
        "name": chance.choice(_NAMES),
        "ident": f"{chance.choice(('OPS', 'WEB', 'FIN', 'QA'))}-{chance.randint(100, 9999)}",
        "date": f"2026-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
        "number": str(chance.randint(2, 9000)),
        "repo": chance.choice(_REPOS),
        "host": chance.choice(_HOSTS),
        "thing": chance.choice(_THINGS),
        "place": chance.choice(_PLACES),
    }
