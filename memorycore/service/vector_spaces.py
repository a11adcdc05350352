"""The space recall compares vectors in, kept in step with the store."""

import threading

from memorycore.policy.calibration import (
    SpacePrior,
    VectorSpace,
    fitted_space,
    learned_space,
    shipped_space,
)
from memorycore.ports import ColdRepository, Projection

SAMPLE = 600
"""Memories the means of a store are taken from."""

FIRST_LOOK = 40
"""Changes after which a store is measured for the first time."""


class VectorSpaces:
    """Measures the store anew whenever it has grown by half."""

    def __init__(self, repository: ColdRepository, prior: SpacePrior | None) -> None:
        self._repository = repository
        self._prior = prior
        self._space: VectorSpace | None = shipped_space(prior) if prior else None
        self._projection: Projection | None = self._space
        self._measured_at = 0
        self._due = FIRST_LOOK
        self._lock = threading.Lock()

    def current(self, model: str) -> tuple[VectorSpace | None, Projection | None]:
        """Return the space for scoring and the one for choosing candidates, of the model in use.

        The second stays the same while there are shipped statistics, so that stores need not project anew.
        """
        change = self._repository.change_number()
        if change >= self._due or change < self._measured_at:
            with self._lock:
                if change >= self._due or change < self._measured_at:
                    self._measure(model)
                    self._measured_at, self._due = change, change + max(FIRST_LOOK, change // 2)
        return self._space, self._projection

    def _measure(self, model: str) -> None:
        sample, texts = self._repository.sample_vectors(SAMPLE)
        if self._prior is not None and self._prior.model == model:
            if len(sample) and sample.shape[1] == len(self._prior.mean):
                self._space = fitted_space(self._prior, sample)
            return
        self._space = self._projection = learned_space(model, sample, texts)
