"""Speed and size by the number of memories.

    python -m stress scale --n 1000,10000,100000 [--seconds 10] [--json FILE]

Each size is measured in a process of its own, through the public API, with the bundled model. A store is filled with
made-up texts whose vectors are mixtures of real ones; everything timed embeds for real. `floor` is FTS5, a matrix and
reciprocal ranks in forty lines with the same embedder, in the same run.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import memorycore
from memorycore.adapters.embedding_bundled import BundledEmbedder
from stress.corpus import cone, questions, sentences
from stress.floor import Floor
from stress.handshake import first_answer

REAL = 400
QUERIES = 150

Figures = dict[str, float]


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser("stress scale", description=__doc__)
    parser.add_argument("--n", default="1000,10000,100000", help="sizes, with commas between")
    parser.add_argument("--seconds", type=float, default=8.0, help="for each timed stretch")
    parser.add_argument(
        "--maintenance",
        type=int,
        default=2000,
        help="largest size whose first maintenance pass, which compares every memory, is timed",
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--rss", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one is not None:
        print(json.dumps(measure(options.one, options)))
        return 0
    if options.rss is not None:
        print(json.dumps(resident_after_use(options.rss)))
        return 0
    table = {}
    for size in options.n.split(","):
        chosen = ("--seconds", str(options.seconds), "--maintenance", str(options.maintenance))
        table[size] = child("--one", size, *chosen)
        for name, value in table[size].items():
            print(f"{size:>8}  {name:34} {value:10.2f}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(table, indent=1), encoding="utf-8")
    print(json.dumps(table))
    return 0


def measure(size: int, options: argparse.Namespace) -> Figures:
    """Return every figure of one size."""
    embedder = BundledEmbedder()
    texts = list(sentences(size + 5000))
    real = embedder.embed_passages(texts[:REAL])
    figures: Figures = {"n": size}
    with tempfile.TemporaryDirectory(prefix="memorycore-scale-") as folder:
        base = Path(folder)
        with memorycore.open_core(settings_of(base), embedder=embedder) as core:
            vectors = cone(size, real)
            figures["import_with_vectors_per_s"] = timed_import(
                core, texts[:size], vectors, embedder
            )
            figures["mb_per_10000"] = folder_size(base / "data") / size * 10_000 / 1e6
            figures |= timed_recall(core, embedder)
            figures |= timed_writes(core, texts[size + 1000 :], options.seconds)
            figures |= timed_bulk(core, embedder, texts[size : size + 512])
            if size <= options.maintenance:
                figures["maintenance_s"] = once(core.maintain)
            figures["overflow_s"] = once(core.overflow)
        figures["rss_mb"] = child("--rss", folder)
        figures |= first_answer(base)
        figures |= floor_figures(base, embedder, texts, vectors)
    return figures


def child(*arguments: str) -> Any:
    """Return what this module prints when it runs in a process of its own."""
    command = [sys.executable, "-m", "stress", "scale", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(ended.stdout.splitlines()[-1])


def settings_of(base: Path) -> memorycore.Settings:
    return memorycore.Settings(
        memory_dir=base / "hot",
        data_dir=base / "data",
        cold_soft_limit=10**7,
        cold_hard_limit=10**7,
    )


def resident_after_use(base: Path) -> float:
    """Return the megabytes a process holds that opened the store, recalled and wrote."""
    with memorycore.open_core(settings_of(base)) as core:
        for query in questions(40):
            core.recall(query)
        for text in sentences(5, seed=99):
            core.store_fact(text, importance=0.3)
        return resident()


def timed_import(
    core: memorycore.MemoryCore, texts: list[str], vectors: np.ndarray, embedder: BundledEmbedder
) -> float:
    records: list[dict[str, Any]] = [
        {"content": text, "vector": vector, "vector_model": embedder.model}
        for text, vector in zip(texts, vectors, strict=True)
    ]
    started = time.perf_counter()
    report = core.import_memories(records, dedup=False)
    assert report.stored == len(texts), report
    return len(texts) / (time.perf_counter() - started)


def timed_recall(core: memorycore.MemoryCore, embedder: BundledEmbedder) -> Figures:
    """Return percentiles of a recall, of the embedding in it, and of the rest, in milliseconds."""
    asked = questions(QUERIES)
    core.recall(asked[0])
    whole = spans(asked, lambda query: core.recall(query, top_k=5))
    alone = spans(asked, embedder.embed_query)
    figures = {f"recall_p{share}_ms": float(np.percentile(whole, share)) for share in (50, 95, 99)}
    figures["embed_query_p50_ms"] = float(np.percentile(alone, 50))
    figures["recall_without_embedding_p50_ms"] = (
        figures["recall_p50_ms"] - figures["embed_query_p50_ms"]
    )
    return figures


def timed_writes(core: memorycore.MemoryCore, texts: list[str], seconds: float) -> Figures:
    """Return governed writes a second, and how many of them are memories of their own."""
    started = time.perf_counter()
    cpu = time.process_time()
    done = 0
    for text in texts:
        core.store_fact(text, importance=0.3)
        done += 1
        if time.perf_counter() - started > seconds:
            break
    return {
        "governed_writes_per_s": done / (time.perf_counter() - started),
        "governed_write_cpu_ms": (time.process_time() - cpu) / done * 1000,
    }


def timed_bulk(core: memorycore.MemoryCore, embedder: BundledEmbedder, texts: list[str]) -> Figures:
    """Return a bulk import that embeds, as a share of the embedder's own batch rate."""
    started = time.perf_counter()
    embedder.embed_passages(texts)
    own = len(texts) / (time.perf_counter() - started)
    started = time.perf_counter()
    core.import_memories([{"content": text} for text in texts], dedup=False)
    rate = len(texts) / (time.perf_counter() - started)
    return {"embedder_batch_per_s": own, "bulk_import_per_s": rate, "bulk_share": rate / own}


def floor_figures(
    base: Path, embedder: BundledEmbedder, texts: list[str], vectors: np.ndarray
) -> Figures:
    """Return the same of the floor."""
    floor = Floor(base / "floor.db", embedder)
    floor.fill(texts[: len(vectors)], vectors)
    written = spans(texts[len(vectors) : len(vectors) + 60], floor.write)
    asked = spans(questions(60), floor.recall)
    return {
        "floor_writes_per_s": 1000 / float(np.mean(written)),
        "floor_recall_p50_ms": float(np.percentile(asked, 50)),
    }


def spans(inputs: Sequence[str], work: Callable[[str], object]) -> list[float]:
    """Return the milliseconds of each piece of work."""
    taken = []
    for one in inputs:
        started = time.perf_counter()
        work(one)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def once(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def folder_size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def resident() -> float:
    """Return the megabytes of memory held now; where the system does not tell, the most ever held."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
