"""What a text is compared with: only what rises above the rest of its neighbourhood."""

import numpy as np
import pytest

from memorycore.policy.prominence import (
    BACKGROUND_FROM,
    BACKGROUND_TO,
    STANDS_OUT,
    background,
    prominent,
    standing_out,
    surveyed,
)

LEVEL = 0.8
CROWD = {f"crowd {number}": LEVEL for number in range(BACKGROUND_TO)}
JUST_OUT = LEVEL + STANDS_OUT * (1 - LEVEL)


def test_the_background_is_the_mean_behind_the_first_few() -> None:
    similarities = [0.99] * (BACKGROUND_FROM - 1) + [0.5] * 12 + [0.7] * 12
    assert background(similarities) == pytest.approx(0.6)


def test_what_lies_beyond_the_background_does_not_lower_it() -> None:
    near = [0.9] * BACKGROUND_TO
    assert background([*near, *[0.1] * 500]) == background(near)


def test_a_store_too_small_for_a_background_has_none() -> None:
    assert background([0.9] * (BACKGROUND_FROM - 1)) is None
    few = {"a": 0.3, "b": 0.2}
    assert prominent(few, {"b": 4.0}, limit=6) == (few, {"b": 4.0})


@pytest.mark.parametrize(
    ("similarity", "kept"), [(JUST_OUT + 0.01, True), (JUST_OUT - 0.01, False)]
)
def test_a_neighbour_is_kept_from_a_share_of_the_way_to_identity_on(
    similarity: float, *, kept: bool
) -> None:
    dense, keyword = prominent({**CROWD, "it": similarity}, {"it": 1.0}, limit=6)
    assert ("it" in dense, "it" in keyword) == (kept, kept)
    assert not set(dense) & set(CROWD)


def test_shared_words_do_not_make_one_of_the_crowd_stand_out() -> None:
    dense, keyword = prominent(CROWD, {"crowd 3": 99.0}, limit=6)
    assert not dense
    assert not keyword


def test_what_has_no_vector_stays() -> None:
    dense, keyword = prominent(CROWD, {"unembedded": 2.0}, limit=6)
    assert not dense
    assert keyword == {"unembedded": 2.0}


def test_no_more_than_asked_for_of_each_kind() -> None:
    alike = {f"twin {number}": 0.99 for number in range(4)}
    dense, keyword = prominent({**CROWD, **alike}, {"twin 3": 2.0}, limit=2)
    assert set(dense) == {"twin 0", "twin 1", "twin 3"}
    assert keyword == {"twin 3": 2.0}


def test_vectors_in_a_row_are_told_apart_by_the_same_rule() -> None:
    asked = np.array([1, 0], np.float32)
    crowd = [np.array([LEVEL, 0.6], np.float32)] * 8
    twin, other_model = np.array([1, 0], np.float32), np.array([1, 0, 0], np.float32)
    assert standing_out([*crowd, twin, None, other_model], asked) == [8, 9, 10]
    assert standing_out([*crowd, twin], None) == list(range(9))
    assert standing_out([], asked) == []


def test_a_search_for_what_stands_out_looks_at_the_background_too() -> None:
    assert surveyed(6, prominent=False) == 6
    assert surveyed(6, prominent=True) == BACKGROUND_TO
    assert surveyed(100, prominent=True) == 100
