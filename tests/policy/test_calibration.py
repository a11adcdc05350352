"""Calibration: a narrow cone with languages in it becomes a space in which a cosine means similarity."""

import numpy as np
import numpy.typing as npt
import pytest

from memorycore.policy.calibration import (
    FIRST_OF_OTHERS,
    MIN_SAMPLE,
    MOST_ODDS,
    OTHER_LANGUAGE,
    SpacePrior,
    fitted_space,
    learned_space,
    noise_level,
    rebased,
    script_of,
    shipped_space,
    subject_odds,
)

Matrix = npt.NDArray[np.float32]

DIMENSION = 24
LANGUAGES = 3
CHOOSE = np.random.default_rng(11)
CONE = CHOOSE.normal(size=DIMENSION) * 2
ACCENTS = CHOOSE.normal(size=(LANGUAGES, DIMENSION)) * 0.25


def unit(rows: npt.NDArray[np.floating]) -> Matrix:
    rows = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows, np.float32)


def said(meanings: npt.NDArray[np.floating], language: int) -> Matrix:
    """Return texts of these meanings in one language, as the model would see them."""
    return unit(CONE + ACCENTS[language] + meanings)


MEANINGS = CHOOSE.normal(size=(400, DIMENSION)) * 0.35
TEXTS = [said(MEANINGS, language) for language in range(LANGUAGES)]
PRIOR = SpacePrior(
    model="toy",
    mean=np.vstack(TEXTS).mean(axis=0),
    centroids=np.stack([rows.mean(axis=0) for rows in TEXTS]),
    noise=0.5,
    subject=np.zeros(DIMENSION + 1, np.float32),
)
SPACE = shipped_space(PRIOR)


def test_raw_cosines_cannot_tell_what_similarities_do() -> None:
    query, rows = TEXTS[0][0], TEXTS[0][1:]
    near = said(MEANINGS[:1] + CHOOSE.normal(size=DIMENSION) * 0.1, 0)
    assert float((rows @ query).min()) > 0.7
    similar = SPACE.similarities(query, np.vstack([near, rows]))
    assert similar[0] > 0.8
    assert float(np.median(similar[1:])) < 0.3


def test_the_same_meaning_is_found_in_another_language() -> None:
    for row in range(20):
        similar = SPACE.similarities(TEXTS[0][row], TEXTS[1])
        assert int(similar.argmax()) == row


def test_the_own_language_comes_first_and_the_best_of_the_others_keeps_a_place() -> None:
    rows = np.vstack([TEXTS[0][:1], TEXTS[1][:1], TEXTS[2][:1]])
    own, *others = SPACE.similarities(TEXTS[0][0], rows)
    assert own > max(others)
    across = SPACE.language_free(rows)
    plain = across[1:] @ across[0]
    best = int(plain.argmax())
    assert others[best] == pytest.approx(plain[best] - FIRST_OF_OTHERS, abs=1e-5)
    assert others[1 - best] == pytest.approx(plain[1 - best] - OTHER_LANGUAGE, abs=1e-5)


def test_languages_are_told_by_the_vector_alone() -> None:
    for language, rows in enumerate(TEXTS):
        assert (SPACE.language_of(rows) == language).mean() > 0.95


def test_a_projection_has_rows_of_length_one_and_keeps_neighbours() -> None:
    rows = SPACE.project(TEXTS[0])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    near = SPACE.project(said(MEANINGS[:1] + 0.05, 0))
    assert int((rows @ near[0]).argmax()) == 0


def test_a_store_about_one_topic_moves_the_mean_and_little_the_languages() -> None:
    topic = said(MEANINGS[:300] * 0.2 + 1.0, 0)
    fitted = fitted_space(PRIOR, topic)
    moved = np.linalg.norm(fitted.mean - PRIOR.mean)
    assert moved > np.linalg.norm(fitted.centroids[0] - PRIOR.centroids[0]) > 0
    assert fitted_space(PRIOR, np.zeros((0, 0), np.float32)).key == SPACE.key


def test_an_unknown_model_is_measured_on_the_store_once_it_is_large_enough() -> None:
    texts = ["plain words"] * 60 + ["русские слова"] * 60
    sample = np.vstack([TEXTS[0][:60], TEXTS[1][:60]])
    space = learned_space("unknown", sample, texts)
    assert space is not None
    assert len(space.centroids) == 2
    assert int(space.similarities(TEXTS[0][3], TEXTS[1][:60]).argmax()) == 3
    assert learned_space("unknown", sample[: MIN_SAMPLE - 1], texts[: MIN_SAMPLE - 1]) is None
    other = learned_space("unknown", np.vstack([sample, TEXTS[0][60:90]]), texts + texts[:30])
    assert other is not None
    assert other.key != space.key


def test_noise_is_what_different_memories_reach() -> None:
    alike = said(MEANINGS[:200] * 0.3 + 1.0, 0)
    assert noise_level(SPACE, TEXTS[0]) < noise_level(SPACE, alike) <= 1


def test_the_subject_of_a_query_is_told_within_bounds() -> None:
    weights = np.r_[SPACE.language_free(TEXTS[0][:1])[0] * 100, 0.0].astype(np.float32)
    prior = SpacePrior(PRIOR.model, PRIOR.mean, PRIOR.centroids, PRIOR.noise, weights)
    assert subject_odds(prior, TEXTS[0][0]) == MOST_ODDS
    assert subject_odds(prior, TEXTS[1][0]) == MOST_ODDS
    assert subject_odds(PRIOR, TEXTS[0][0]) == 0


def test_raw_scores_of_a_tiny_store_are_compared_with_one_another() -> None:
    narrow = rebased(np.array([0.87, 0.80, 0.81, 0.79], np.float32))
    wide = rebased(np.array([0.55, 0.10, 0.15, 0.05], np.float32))
    flat = rebased(np.array([0.81, 0.80, 0.81, 0.79], np.float32))
    assert narrow[0] > 0.3
    assert wide[0] > 0.3
    assert flat.max() < 0.1
    assert rebased(np.array([0.9], np.float32))[0] > 0.5


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("plain", "latin"),
        ("слова", "cyrillic"),
        ("文字", "han"),
        ("ひらがな漢字", "kana"),
        ("한국어", "hangul"),
        ("ไทย", "other"),
        ("", "latin"),
    ],
)
def test_scripts_are_told_apart(text: str, script: str) -> None:
    assert script_of(text) == script
