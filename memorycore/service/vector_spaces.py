"""The space recall compares vectors in, kept in step with the store."""

import threading
from dataclasses import dataclass

from memorycore.policy.calibration import (
    FITTED_NOISE,
    PRIOR_WEIGHT,
    SpacePrior,
    VectorSpace,
    fitted_space,
    learned_space,
    noise_level,
    shipped_space,
    subject_odds,
)
from memorycore.ports import ColdRepository, Projection, Vector, VectorMatrix

SAMPLE = 600
"""Memories the means of a store are taken from."""

FIRST_LOOK = 40
"""Changes after which a store is measured for the first time."""


@dataclass(frozen=True, slots=True)
class View:
    """How vectors are compared now.

    `noise` is by how much unrelated memories of this store score above those the floor was fitted on; `projection`
    chooses candidates and stays the same while there are shipped statistics, so that a store need not project anew.
    """

    space: VectorSpace | None
    projection: Projection | None
    noise: float
    prior: SpacePrior | None = None

    def lift(self, query: Vector, *, subject: float) -> float:
        """Return what the query's subject adds to and the store's noise takes from the best relevance."""
        odds = 0.0 if self.prior is None else subject_odds(self.prior, query)
        return subject * odds - self.noise


class VectorSpaces:
    """Measures the store anew whenever it has grown by half."""

    def __init__(self, repository: ColdRepository, prior: SpacePrior | None) -> None:
        self._repository = repository
        self._prior = prior
        self._view = self._unmeasured()
        self._measured_at = 0
        self._due = FIRST_LOOK
        self._lock = threading.Lock()

    def current(self, model: str) -> View:
        """Return the view of the store's vectors, made by `model`."""
        change = self._repository.change_number()
        if self._outdated(change):
            with self._lock:
                if self._outdated(change):
                    self._view = self._measured(model)
                    self._measured_at, self._due = change, change + max(FIRST_LOOK, change // 2)
        return self._view

    def _outdated(self, change: int) -> bool:
        return change >= self._due or change < self._measured_at

    def _unmeasured(self) -> View:
        if self._prior is None:
            return View(None, None, noise=0.0)
        space = shipped_space(self._prior)
        return View(space, space, noise=0.0, prior=self._prior)

    def _measured(self, model: str) -> View:
        sample, texts = self._repository.sample_vectors(SAMPLE)
        prior = self._prior
        if prior is not None and prior.model == model:
            return self._fitted(prior, sample)
        space = learned_space(model, sample, texts)
        if space is None:
            return View(None, None, noise=0.0)
        return View(space, space, noise=noise_level(space, sample) - FITTED_NOISE)

    def _fitted(self, prior: SpacePrior, sample: VectorMatrix) -> View:
        if not len(sample) or sample.shape[1] != len(prior.mean):
            return self._unmeasured()
        space = fitted_space(prior, sample)
        share = len(sample) / (len(sample) + PRIOR_WEIGHT)
        noise = share * (noise_level(space, sample) - prior.noise)
        return View(space, shipped_space(prior), noise=noise, prior=prior)
