"""The packaged pair scorer and the word lists it reads through."""

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from memorycore.adapters import learned_pairs
from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.learned_pairs import load_pair_scorer
from memorycore.adapters.relation_words import load_relation_words
from memorycore.errors import ConfigurationError
from memorycore.model.relation import Relation
from memorycore.policy.prominence import standing_out
from memorycore.policy.relation.comparing import Comparer
from memorycore.policy.relation.features import pair_features
from memorycore.policy.relation.scoring import TrainedScorer, Vector

DATA = Path(__file__).parents[1] / "data"
MODEL = "multilingual-e5-small-int8/1"


def _scorer(model: str | None) -> TrainedScorer:
    return cast("TrainedScorer", load_pair_scorer(model))


def _unit(seed: int, size: int = 384) -> Vector:
    raw = np.random.default_rng(seed).normal(size=size).astype(np.float32)
    return cast("Vector", raw / np.linalg.norm(raw))


def test_the_weights_fit_the_features_the_rules_compute() -> None:
    comparer = Comparer(load_relation_words())
    names = tuple(pair_features(comparer.analyse("a b"), comparer.analyse("b c")))

    assert _scorer(MODEL).names == names


def test_vectors_of_the_trained_model_count() -> None:
    comparer = Comparer(load_relation_words(), load_pair_scorer(MODEL))
    older, newer = "Invoices go out as PDF.", "We send bills as PDF files."

    near = comparer.compare(older, newer, older_vector=_unit(1), newer_vector=_unit(1))
    plain = comparer.compare(older, newer)

    assert near.score != plain.score


@pytest.mark.parametrize("model", [None, "another-model/1"])
def test_vectors_of_another_model_are_ignored(model: str | None) -> None:
    comparer = Comparer(load_relation_words(), load_pair_scorer(model))
    older, newer = "Invoices go out as PDF.", "We send bills as PDF files."

    with_vectors = comparer.compare(older, newer, older_vector=_unit(1), newer_vector=_unit(2))

    assert with_vectors == comparer.compare(older, newer)


def test_a_vector_of_another_length_is_ignored() -> None:
    comparer = Comparer(load_relation_words(), load_pair_scorer(MODEL))
    short = _unit(1, size=8)

    match = comparer.compare("Tea is green.", "Tea is hot.", older_vector=short, newer_vector=short)

    assert match == comparer.compare("Tea is green.", "Tea is hot.")


def test_without_a_weight_file_there_is_no_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_pairs, "_FILE", "weights/absent.npz")

    assert load_pair_scorer(MODEL) is None


def test_a_damaged_weight_file_is_a_configuration_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_pairs, "_FILE", "learned_pairs.py")

    with pytest.raises(ConfigurationError, match="pair weights"):
        load_pair_scorer(MODEL)


def test_all_ten_languages_have_the_words_the_rules_need() -> None:
    words = load_relation_words()
    needed = {"neg", "shield", "cease", "change", "add"}
    for code in ("en", "zh", "ru", "es", "pt", "de", "fr", "ja", "ko", "vi"):
        language = words.languages[code]
        tags = {
            tag
            for table in (language.single, language.prefixes, language.glued)
            for found in table.values()
            for tag in found
        } | {tag for many in language.phrases.values() for _, found in many for tag in found}
        assert needed <= tags, code
        assert {"pole:switch+", "pole:switch-", "pole:allow+", "pole:allow-"} <= tags, code
        assert any(tag.startswith("num:") for tag in tags), code


def test_the_trained_scorer_answers_the_same_with_texts_swapped_for_equal_texts() -> None:
    comparer = Comparer(load_relation_words(), load_pair_scorer(MODEL))

    assert comparer.compare("Tea is green.", "tea is green").relation is Relation.SAME


def test_in_a_store_of_unrelated_notes_no_neighbour_is_joined_or_replaced() -> None:
    """Notes the scorer was not trained on, each compared with what stands out around it, as a write does."""
    lines = (DATA / "eval" / "routing.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines][:200]
    vectors = BundledEmbedder().embed_passages(texts)
    comparer = Comparer(load_relation_words(), load_pair_scorer(MODEL))
    wrong = []
    for at, text in enumerate(texts):
        others = [vector if other != at else None for other, vector in enumerate(vectors)]
        for other in standing_out(others, vectors[at]):
            if other == at:
                continue
            match = comparer.compare(
                texts[other], text, older_vector=vectors[other], newer_vector=vectors[at]
            )
            if match.relation is not Relation.DISTINCT:
                wrong.append((match, texts[other], text))
    assert not wrong
