"""The shipped statistics of recall: what they hold and for which model."""

import numpy as np

from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.learned_recall import load_recall_prior
from memorycore.policy.calibration import shipped_space


def test_the_space_belongs_to_the_bundled_model_and_to_no_other() -> None:
    embedder = BundledEmbedder()
    space = load_recall_prior(embedder.model).space
    assert space is not None
    assert space.mean.shape == (embedder.dimension,)
    assert space.centroids.shape[1] == embedder.dimension
    assert len(space.centroids) >= 10
    assert space.subject.shape == (embedder.dimension + 1,)
    for other in (None, "another/1"):
        assert load_recall_prior(other).space is None


def test_common_words_are_known_whatever_the_model() -> None:
    common = load_recall_prior(None).common
    assert common["the"] > 0.1
    assert common["what"] > 0.05
    assert "zanzibar" not in common
    assert all(0 < share <= 1 for share in common.values())


def test_the_language_means_lie_apart() -> None:
    prior = load_recall_prior(BundledEmbedder().model).space
    assert prior is not None
    space = shipped_space(prior)
    assert list(space.language_of(prior.centroids)) == list(range(len(prior.centroids)))
    assert np.isfinite(space.project(prior.centroids + 0.01)).all()
