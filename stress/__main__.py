"""Measurements of MemoryCore: ``python -m stress COMMAND``.

Commands: ``scale`` (speed and size by the number of memories), ``recall`` (quality of recall on the labelled
queries), ``million`` (search over a million vectors), ``prefetch`` (what the Hermes plugin costs before a turn),
``train-recall`` (fits the recall weights).
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from memorycore.entrypoints.numpy_threads import keep_to_one_thread

COMMANDS = {
    "scale": "stress.scale",
    "recall": "stress.recall_quality",
    "million": "stress.million",
    "prefetch": "stress.hermes_prefetch",
    "train-recall": "stress.train_recall",
}


def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] not in COMMANDS:
        print(f"usage: python -m stress {{{' | '.join(COMMANDS)}}} [OPTIONS]", file=sys.stderr)
        return 2
    keep_to_one_thread()
    run: Callable[[Sequence[str]], int] = import_module(COMMANDS[arguments[0]]).main
    return run(arguments[1:])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
