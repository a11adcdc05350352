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


NEAREST = 3
"""How many common questions nearest to what is asked may explain a memory; any other rivals it."""

BEYOND_RIVALS = 4.5
"""Likeness from which a passage answers what is asked, whatever else it answers."""

RIVAL_FROM = 2.5
"""Likeness to a common question from which that question explains a memory."""


def likeness(asked: Asked, passages: VectorMatrix, bank: Bank) -> list[float]:
    """Return for each passage how far its similarity to what is asked stands out, in standard deviations.

    The deviation is that of the yardsticks among themselves, which makes the number comparable between models.
    A passage that plainly answers another common question ("works at Lumen" and the employer, when allergies are
    asked for) is not like what is asked, however its vector lies: it gets at most 0.
    """
    table = bank.questions @ bank.unrelated.T
    told = bank.statements @ bank.unrelated.T
    questions = np.vstack((asked.question, bank.questions))
    statements = np.vstack((asked.statement, bank.statements))
    views = (
        _standing_out(questions, passages, bank.questions, bank.unrelated) / _spread(table),
        _standing_out(statements, passages, bank.statements, bank.unrelated) / _spread(told),
    )
    mean = np.mean(views, axis=0)
    own, others = mean[0], mean[1:]
    rivalled = _rivalled(asked, bank, own, others)
    return [float(value) for value in np.where(rivalled, np.minimum(own, 0.0), own)]


def _rivalled(
    asked: Asked, bank: Bank, own: VectorMatrix, others: VectorMatrix
) -> npt.NDArray[np.bool_]:
    centred = (bank.questions @ (asked.question - bank.questions.mean(axis=0))) + (
        bank.statements @ (asked.statement - bank.statements.mean(axis=0))
    )
    kin = np.argsort(-centred)[:NEAREST]
    best = others.argmax(axis=0)
    strongest = others.max(axis=0)
    explained = (strongest >= RIVAL_FROM) & (strongest > own) & (own < BEYOND_RIVALS)
    return np.asarray(explained & ~np.isin(best, kin), dtype=np.bool_)


def _spread(table: VectorMatrix) -> float:
    residue = table - table.mean(1, keepdims=True) - table.mean(0, keepdims=True) + table.mean()
    return float(residue.std()) or 1.0


def _standing_out(
    asked: VectorMatrix, passages: VectorMatrix, others: VectorMatrix, unrelated: VectorMatrix
) -> VectorMatrix:
    """Return, one row a question and one column a passage, what is left of the similarity."""
    by_question = (asked @ unrelated.T).mean(axis=1, keepdims=True)
    by_passage = (others @ passages.T).mean(axis=0, keepdims=True)
    out = asked @ passages.T - by_question - by_passage + (others @ unrelated.T).mean()
    return np.asarray(out, dtype=np.float32)
