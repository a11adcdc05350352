"""Texts and vectors of any number of made-up memories, the same for the same number."""

import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

PEOPLE = [
    "Ada",
    "Bram",
    "Cleo",
    "Dario",
    "Edda",
    "Farid",
    "Gwen",
    "Hugo",
    "Ines",
    "Jarl",
    "Kira",
    "Leon",
    "Mira",
    "Nico",
    "Olga",
    "Pavel",
    "Rosa",
    "Sven",
]
THINGS = [
    "boiler",
    "bridge",
    "budget",
    "cache",
    "camera",
    "canary",
    "catalogue",
    "clinic",
    "compost",
    "contract",
    "crane",
    "dashboard",
    "deploy",
    "dishwasher",
    "endpoint",
    "engine",
    "exam",
    "ferry",
    "firewall",
    "garden",
    "gateway",
    "greenhouse",
    "harbour",
    "helmet",
    "index",
    "invoice",
    "kiln",
    "lease",
    "ledger",
    "lighthouse",
    "loom",
    "mailbox",
    "mixer",
    "mortgage",
    "nursery",
    "orchard",
    "oven",
    "parser",
    "passport",
    "pension",
    "piano",
    "pipeline",
    "planner",
    "printer",
    "queue",
    "quilt",
    "radiator",
    "railing",
    "recipe",
    "registry",
    "roof",
    "router",
    "saddle",
    "scanner",
    "schema",
    "server",
    "shed",
    "shuttle",
    "sink",
    "stove",
    "studio",
    "survey",
    "tariff",
    "telescope",
    "tent",
    "theatre",
    "ticket",
    "tram",
    "trellis",
    "tunnel",
    "turbine",
    "vaccine",
    "violin",
    "visa",
    "warehouse",
    "webhook",
    "well",
    "windmill",
]
DEEDS = [
    "moved",
    "replaced",
    "repaired",
    "measured",
    "cancelled",
    "renewed",
    "tested",
    "painted",
    "booked",
    "audited",
    "calibrated",
    "archived",
    "borrowed",
    "sold",
    "inspected",
    "migrated",
    "sharpened",
    "translated",
    "insured",
    "restarted",
]
PLACES = [
    "attic",
    "basement",
    "Bergen",
    "Cadiz",
    "Delft",
    "Essen",
    "Ghent",
    "hangar",
    "Jena",
    "kitchen",
    "Lyon",
    "Malmo",
    "office",
    "Porto",
    "quay",
    "Riga",
    "Split",
    "studio",
    "Turin",
    "Utrecht",
    "Vigo",
    "workshop",
    "Zadar",
]
TAILS = (
    "because the old one leaked",
    "after the second warning",
    "and the receipt is in folder {n}",
    "for {n} euros",
    "before the audit of room {n}",
    "so the next check is in week {w}",
    "as agreed on line {n}",
    "with serial number {n}",
)


def sentences(count: int, *, seed: int = 7) -> Iterator[str]:
    """Yield distinct statements that share words the way notes do."""
    choose = random.Random(seed)
    for number in range(count):
        tail = choose.choice(TAILS).format(n=1000 + number, w=choose.randrange(1, 53))
        yield (
            f"{choose.choice(PEOPLE)} {choose.choice(DEEDS)} the {choose.choice(THINGS)} "
            f"{choose.choice(THINGS)} in {choose.choice(PLACES)} {tail}, note {number}."
        )


def questions(count: int, *, seed: int = 11) -> list[str]:
    """Return short queries about such statements."""
    choose = random.Random(seed)
    return [
        choose.choice(
            (
                f"{choose.choice(THINGS)} {choose.choice(PLACES)}",
                f"who {choose.choice(DEEDS)} the {choose.choice(THINGS)}?",
                f"{choose.choice(PEOPLE)} {choose.choice(THINGS)} {choose.choice(THINGS)}",
            )
        )
        for _ in range(count)
    ]


def cone(count: int, real: npt.NDArray[np.float32], *, seed: int = 3) -> npt.NDArray[np.float32]:
    """Return made-up vectors spread as `real` ones are: mixtures of two of them and a little noise."""
    choose = np.random.default_rng(seed)
    first, second = (real[choose.integers(0, len(real), count)] for _ in range(2))
    noise = choose.normal(scale=0.02, size=first.shape).astype(np.float32)
    mixed = 0.6 * first + 0.4 * second + noise
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), np.float32)
