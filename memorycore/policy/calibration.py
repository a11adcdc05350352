"""The space in which vectors are compared: centred, and with the language of a text taken out where it misleads.

The vectors of a small multilingual model lie in a narrow cone (raw cosines of unrelated texts reach 0.87), and
their first directions say which language a text is in. Subtracting the mean makes a cosine mean similarity;
subtracting the mean of a text's own language lets texts of two languages meet. Within one language both views
count; across languages only the second does, less a prior for the asker's own language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]

PLAIN_SHARE = 0.7
"""Weight of the view centred on the whole, within one language; the rest is the view without the language."""

OTHER_LANGUAGE = 0.08
"""What a memory in another language than the query's loses: most people ask in the language they wrote in."""

FIRST_OF_OTHERS = 0.02
"""What the best memory in another language loses: one place is kept for whoever asks across languages."""

PRIOR_WEIGHT = 200.0
"""How many memories the shipped mean counts as beside a store's own."""

LANGUAGE_PRIOR_WEIGHT = 3000.0
"""The same for the mean of one language: a store's few texts in it are about its topics and not about language."""

FITTED_NOISE = 0.26
"""`noise_level` of the texts on which the floor of recall was fitted."""

LONE_BASE = 0.5
"""What an unrelated pair is taken to score where a store has one memory only."""

MIN_GROUP = 20
"""Fewest texts of one script from which its mean is taken, without shipped statistics."""

MIN_SAMPLE = 50
"""Fewest memories from which a model without shipped statistics is centred."""

MOST_ODDS = 3.0
"""Log odds beyond these say no more."""

NOISE_ROWS = 128
"""Memories whose pairs tell the noise."""

_SCRIPTS = (
    ("hangul", re.compile(r"[\uac00-\ud7af]")),
    ("kana", re.compile(r"[\u3040-\u30ff]")),
    ("han", re.compile(r"[\u4e00-\u9fff]")),
    ("cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("other", re.compile(r"[\u0590-\u0fff\u1000-\u109f\u1780-\u17ff]")),
)


@dataclass(frozen=True, slots=True)
class SpacePrior:
    """What is known of a model's space before a store has memories.

    Attributes:
        model: The model's name.
        mean: Mean of memories in ten languages, shape (dimension,).
        centroids: Mean of each language, shape (languages, dimension).
        noise: What unrelated memories of the training texts score (`noise_level`).
        subject: Weights on a language-free query vector and, last, a bias: positive for queries about someone's own
            life and work, negative for small talk, nonsense and the world at large, as log odds.
    """

    model: str
    mean: Vector
    centroids: Matrix
    noise: float
    subject: Vector


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """A model's space seen from one store; implements `memorycore.ports.cold.Projection`."""

    key: str
    mean: Vector
    centroids: Matrix

    def project(self, vectors: Matrix) -> Matrix:
        """Return rows centred half on the whole and half on their own language, for choosing candidates."""
        return _unit(vectors - 0.5 * (self.mean + self.centroids[self.language_of(vectors)]))

    def language_of(self, vectors: Matrix) -> npt.NDArray[np.intp]:
        """Return the index of the nearest language mean of each row."""
        reach = vectors @ self.centroids.T - 0.5 * np.square(self.centroids).sum(axis=1)
        nearest: npt.NDArray[np.intp] = reach.argmax(axis=1)
        return nearest

    def language_free(self, vectors: Matrix) -> Matrix:
        """Return rows centred on their own language."""
        return _unit(vectors - self.centroids[self.language_of(vectors)])

    def similarities(self, query: Vector, vectors: Matrix) -> Vector:
        """Return how similar each row is to the query, about -0.2 to 1, the same scale for all languages."""
        both = np.vstack([query[np.newaxis], vectors])
        language = self.language_of(both)
        within = _unit(both - self.centroids[language])
        across = within[1:] @ within[0]
        centred = _unit(both - self.mean)
        plain = centred[1:] @ centred[0]
        same = language[1:] == language[0]
        blended = PLAIN_SHARE * plain + (1 - PLAIN_SHARE) * across
        scores: Vector = np.where(same, blended, across - OTHER_LANGUAGE)
        if not same.all():
            first = int(np.where(same, -np.inf, across).argmax())
            scores[first] = across[first] - FIRST_OF_OTHERS
        return scores


def subject_odds(prior: SpacePrior, query: Vector) -> float:
    """Return the log odds, -3 to 3, that a query asks for a memory and not for something else."""
    free = shipped_space(prior).language_free(query[np.newaxis])[0]
    odds = float(free @ prior.subject[:-1] + prior.subject[-1])
    return max(-MOST_ODDS, min(MOST_ODDS, odds))


def noise_level(space: VectorSpace, sample: Matrix) -> float:
    """Return the similarity that one in a hundred pairs of different memories reaches."""
    rows = sample[:NOISE_ROWS]
    scores = np.stack([space.similarities(row, rows) for row in rows])
    return float(np.quantile(scores[~np.eye(len(rows), dtype=bool)], 0.99))


def rebased(scores: Vector) -> Vector:
    """Return raw cosines of a store too small to measure on the usual scale: what the others score becomes 0.

    The best one is compared with the rest, since models differ in what unrelated texts score: 0.1 or 0.8.
    """
    base = min(0.95, float(np.sort(scores)[:-1].mean())) if len(scores) > 1 else LONE_BASE
    based: Vector = (scores - base) / (1.0 - base)
    return based


def shipped_space(prior: SpacePrior) -> VectorSpace:
    """Return the space of a model as shipped, the same for every store."""
    return VectorSpace(f"prior:{prior.model}", prior.mean, prior.centroids)


def fitted_space(prior: SpacePrior, sample: Matrix) -> VectorSpace:
    """Return the shipped space moved towards the means of a store's own memories."""
    if not len(sample):
        return shipped_space(prior)
    language = shipped_space(prior).language_of(sample)
    centroids = np.stack(
        [
            _moved(centre, sample[language == index], LANGUAGE_PRIOR_WEIGHT)
            for index, centre in enumerate(prior.centroids)
        ]
    )
    return VectorSpace(f"fitted:{prior.model}", _moved(prior.mean, sample, PRIOR_WEIGHT), centroids)


def learned_space(model: str, sample: Matrix, texts: Sequence[str]) -> VectorSpace | None:
    """Return the space of a model nothing was shipped for, from a store's own memories; None for too few."""
    if len(sample) < MIN_SAMPLE:
        return None
    mean = sample.mean(axis=0)
    scripts = np.array([script_of(text) for text in texts])
    groups = [sample[scripts == name] for name in sorted(set(scripts.tolist()))]
    means = [group.mean(axis=0) for group in groups if len(group) >= MIN_GROUP]
    centroids = np.stack(means or [mean])
    return VectorSpace(f"learned:{model}:{len(sample)}:{crc32(mean.tobytes()):x}", mean, centroids)


def script_of(text: str) -> str:
    """Return the script that tells most about the language of a text."""
    for name, pattern in _SCRIPTS:
        if pattern.search(text):
            return name
    return "latin"


def _moved(centre: Vector, rows: Matrix, weight: float) -> Vector:
    moved: Vector = (weight * centre + rows.sum(axis=0)) / (weight + len(rows))
    return moved


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Matrix = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return unit
