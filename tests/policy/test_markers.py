import itertools

from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.markers import Lexicon, build_lexicon, fold_aligned, fold_for_matching


def lexicon(*markers: str, excluded: tuple[str, ...] = ()) -> Lexicon:
    return build_lexicon({"rule": markers}, {"rule": excluded})


def found(words: Lexicon, text: str) -> list[str]:
    return [hit.text for hit in words.hits("rule", text)]


def test_an_alphabetic_marker_matches_whole_words_only() -> None:
    assert found(lexicon("use"), "Use it; the user reused houses.") == ["use"]


def test_an_alphabetic_marker_is_found_where_it_touches_chinese() -> None:
    assert found(lexicon("always"), "用户always先看") == ["always"]


def test_a_chinese_marker_matches_inside_a_run_of_characters() -> None:
    assert found(lexicon("必须"), "提交前必须跑测试") == ["必须"]


def test_a_marker_inside_an_excluded_phrase_does_not_count() -> None:
    words = lexicon("别", excluded=("特别", "别墅"))

    assert found(words, "别墅特别安静") == []
    assert found(words, "别墅里别抽烟") == ["别"]


def test_an_exclusion_works_in_alphabetic_scripts_too() -> None:
    words = lexicon("don't", excluded=("don't hesitate",))

    assert found(words, "Don't hesitate to call, but don't shout.") == ["don't"]


def test_a_gap_does_not_leave_its_sentence() -> None:
    words = lexicon("no … without")

    assert found(words, "No release without a tag") == ["no release without"]
    assert found(words, "It said no. He left without it") == []


def test_a_star_stands_for_the_rest_of_a_word() -> None:
    assert found(lexicon("удал*"), "Удаляй и удаление, но не неудача") == ["удал", "удал"]


def test_letter_case_apostrophes_and_yo_do_not_matter() -> None:
    assert found(lexicon("don't", "ещё"), "DON’T, ЕЩЕ, ещё") == ["don't", "еще", "еще"]


def test_a_word_split_by_zero_width_characters_is_still_found() -> None:
    assert found(lexicon("forbidden"), "for\u200bbid\u00adden") == ["forbidden"]


def test_the_longest_marker_wins() -> None:
    assert found(lexicon("ask", "ask first"), "Ask first, then act") == ["ask first"]


def test_an_unknown_or_empty_section_matches_nothing() -> None:
    words = build_lexicon({"empty": ()}, {})

    assert words.hits("empty", "anything") == ()
    assert not words.has("no such section", "anything")


@given(st.text())
def test_hits_stand_where_they_say_and_never_overlap(text: str) -> None:
    folded = fold_for_matching(text)
    hits = lexicon("a", "b*", "不", "é…e").hits("rule", text)

    assert all(folded[hit.start : hit.end] == hit.text for hit in hits)
    assert all(left.end <= right.start for left, right in itertools.pairwise(hits))


@given(st.text())
def test_aligned_folding_keeps_every_position(text: str) -> None:
    assert len(fold_aligned(text)) == len(text)
