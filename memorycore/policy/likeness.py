"""How like memories are to what was asked, told against yardsticks, so that a model's own habits cancel out.

Raw similarities of small models lie in a narrow band that moves with the language and the wording: an unrelated
pair in one language scores higher than a related one in another. What remains after subtracting how like the
question is to unrelated sentences, and how like the memory is to other questions, is comparable.
"""

from dataclasses import dataclass

import numpy as np

from memorycore.ports import Vector, VectorMatrix


@dataclass(frozen=True, slots=True)
class Bank:
    """Vectors of the yardsticks: common questions, as queries, and unrelated sentences, as passages."""

    questions: VectorMatrix
    unrelated: VectorMatrix


def likeness(question: Vector, passages: VectorMatrix, bank: Bank) -> list[float]:
    """Return for each passage how far its similarity to `question` stands out, in standard deviations.

    The deviation is that of the yardsticks among themselves, which makes the number comparable between models.
    """
    table = bank.questions @ bank.unrelated.T
    residue = table - table.mean(1, keepdims=True) - table.mean(0, keepdims=True) + table.mean()
    spread = float(residue.std()) or 1.0
    raw = passages @ question
    by_question = float((bank.unrelated @ question).mean())
    by_passage = (passages @ bank.questions.T).mean(axis=1)
    stands_out = raw - by_question - by_passage + float(table.mean())
    return [float(value) for value in np.asarray(stands_out) / spread]
