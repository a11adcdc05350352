"""How like memories are to what was asked, told against yardsticks, so that a model's own habits cancel out.

Raw similarities of small models lie in a narrow band that moves with the language and the wording: an unrelated
pair in one language scores higher than a related one in another. What remains after subtracting how like the
question is to unrelated sentences, and how like the memory is to other questions, is comparable.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""One L2-normalised vector, shape (dimension,)."""

VectorMatrix = npt.NDArray[np.float32]
"""One vector a row, shape (n, dimension)."""


@dataclass(frozen=True, slots=True)
class Bank:
    """Vectors of the yardsticks: common questions, as queries and as passages, and unrelated sentences."""

    questions: VectorMatrix
    statements: VectorMatrix
    unrelated: VectorMatrix


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for, embedded as a query and as a passage: short words are read more surely from both."""

    question: Vector
    statement: Vector


def likeness(asked: Asked, passages: VectorMatrix, bank: Bank) -> list[float]:
    """Return for each passage how far its similarity to what is asked stands out, in standard deviations.

    The deviation is that of the yardsticks among themselves, which makes the number comparable between models.
    """
    views = (
        _standing_out(asked.question, passages, bank.questions, bank.unrelated),
        _standing_out(asked.statement, passages, bank.statements, bank.unrelated),
    )
    return [float(value) for value in np.mean(views, axis=0)]


def _standing_out(
    asked: Vector, passages: VectorMatrix, others: VectorMatrix, unrelated: VectorMatrix
) -> VectorMatrix:
    table = others @ unrelated.T
    residue = table - table.mean(1, keepdims=True) - table.mean(0, keepdims=True) + table.mean()
    by_question = (unrelated @ asked).mean()
    by_passage = (passages @ others.T).mean(axis=1)
    out = passages @ asked - by_question - by_passage + table.mean()
    return np.asarray(out / (float(residue.std()) or 1.0), dtype=np.float32)
