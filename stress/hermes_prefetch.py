"""How long the Hermes plugin takes before a turn, with many memories: ``python -m stress prefetch [--memories N]``.

Fills a throw-away home, then asks the provider as the host does, a question about a stored fact and small talk in
turn. Prints median, 95th percentile and slowest of each; the aim is a median under 50 ms with 10,000 memories.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles

from memorycore.entrypoints.hermes import HermesMemory
from memorycore.entrypoints.hermes.governor import open_home

TOWNS = ("Graz", "Oulu", "Porto", "Lviv", "Hue", "Osaka", "Daegu", "Quito", "Brno", "Lyon", "Turku")
THINGS = ("pump", "gauge", "camera", "printer", "gate", "freezer", "scanner", "drone", "lift")
TALK = ("Thanks!", "Please go on.", "Can you run the tests again?", "写个函数", "Guten Morgen")


def facts(count: int) -> Iterator[str]:
    """Make facts that differ in what matters."""
    for number in range(count):
        town = TOWNS[number % len(TOWNS)]
        thing = THINGS[number // len(TOWNS) % len(THINGS)]
        yield (
            f"The {thing} number {number} in {town} was made in {1990 + number % 35}, hangs on circuit "
            f"{number % 97}-{number % 89} and is serviced by team {chr(65 + number % 26)}{number % 13}."
        )


def timed(provider: HermesMemory, queries: Sequence[str]) -> list[float]:
    """Return the milliseconds each prefetch took."""
    taken = []
    for query in queries:
        started = time.perf_counter()
        provider.prefetch(query)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def shown(name: str, taken: Sequence[float]) -> str:
    """Return one line of figures."""
    late = quantiles(taken, n=20)[-1]
    return (
        f"{name:9} median {median(taken):6.1f} ms  p95 {late:6.1f} ms  slowest {max(taken):6.1f} ms"
    )


def main(arguments: Sequence[str] = ()) -> int:
    """Run the measurement; exit code 1 when the median misses the aim."""
    parser = argparse.ArgumentParser(prog="python -m stress prefetch")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        opened = open_home(home)
        started = time.perf_counter()
        opened.core.import_memories(
            [{"content": fact} for fact in facts(options.memories)], dedup=False
        )
        print(f"{options.memories} memories in {time.perf_counter() - started:.0f} s")
        opened.core.close()
        provider = HermesMemory()
        provider.initialize("stress", hermes_home=str(home), platform="cli")
        provider.prefetch("warm up the embedder")
        step = max(1, options.memories // options.queries)
        asked = [f"Who services the thing number {n * step}?" for n in range(options.queries)]
        questions = timed(provider, asked)
        talk = timed(provider, [TALK[n % len(TALK)] for n in range(options.queries)])
        provider.shutdown()
    print(shown("questions", questions))
    print(shown("talk", talk))
    return int(median([*questions, *talk]) >= 50)
