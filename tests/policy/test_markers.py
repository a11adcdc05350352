import itertools
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.markers import Lexicon, build_lexicon, fold_aligned, fold_for_matching

LETTER = r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
PIECES = st.sampled_from(
    ["a", "ab", "abc", "no", "ask first", "ask", "as", "don't", "不", "不要", "不a", "а", "é", "#1", "-", " ", "  ", "…", "a…b"]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.sampled_from(["\n", ". ", "s", "_", "1", "\u0301"]), max_size=12).map(
    "".join
)
PHRASES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "", "", "*"]),
    st.lists(PIECES, min_size=1, max_size=3).map("".join).filter(lambda core: core.strip(" …")),
    st.sampled_from(["", "", "*"]),
)


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


def searched(markers: Sequence[str], excluded: Sequence[str], folded: str) -> list[str]:
    """Return the markers of one section as a plain search with all its phrases finds them."""
    skipped = f"{alternatives(excluded)}|" if excluded else ""
    pattern = re.compile(f"{skipped}(?P<marker>{alternatives(markers)})")
    return [match["marker"] for match in pattern.finditer(folded) if match["marker"]]


def alternatives(phrases: Sequence[str]) -> str:
    unique = {fold_for_matching(phrase).strip() for phrase in phrases}
    groups: dict[tuple[str, str], list[str]] = {}
    for phrase in sorted(unique, key=lambda phrase: (-len(phrase), phrase)):
        core = phrase.strip("*")
        before = f"(?<!{LETTER})" if re.match(LETTER, core) and phrase[0] != "*" else ""
        after = f"(?!{LETTER})" if re.match(LETTER, core[-1]) and phrase[-1] != "*" else ""
        pieces = (re.escape(piece.strip()).replace(r"\ ", r"\s+") for piece in core.split("..."))
        groups.setdefault((before, after), []).append(r"[^\n.!?。！？]{0,24}?".join(pieces))
    return "|".join(f"{ends[0]}(?:{'|'.join(group)}){ends[1]}" for ends, group in groups.items())


@given(
    st.lists(PHRASES, min_size=1, max_size=6),
    st.lists(PHRASES, max_size=3),
    st.lists(PHRASES, max_size=3),
    TEXTS,
)
def test_a_scan_finds_what_a_search_for_the_section_finds(
    markers: list[str], excluded: list[str], others: list[str], text: str
) -> None:
    words = build_lexicon({"rule": markers, "other": others}, {"rule": excluded})

    assert found(words, text) == searched(markers, excluded, fold_for_matching(text))


@given(st.lists(PHRASES, min_size=1, max_size=4), TEXTS, st.integers(0, 6))
def test_a_scan_of_a_beginning_misses_nothing_that_starts_in_it(
    markers: list[str], text: str, reach: int
) -> None:
    words = lexicon(*markers)
    folded = fold_for_matching(text)
    starts = [hit.start for hit in words.hits_folded("rule", folded)]
    beginning = words.scan(folded, reach=reach)

    assert [hit.start for hit in beginning.hits("rule") if hit.start < reach] == [
        start for start in starts if start < reach
    ]
    assert beginning.has("rule", before=reach) == any(start < reach for start in starts)


@pytest.mark.parametrize("excluded", ["*codes", "barco*", "barcodes"])
def test_an_exclusion_counts_wherever_in_a_word_it_starts(excluded: str) -> None:
    words = lexicon("*codes", "codes", excluded=(excluded,))

    assert found(words, "barcodes") == []


@pytest.mark.parametrize(
    "word", ["report", "reports", "repair", "respect", "re", "редко", "重要性"]
)
def test_of_open_beginnings_the_longest_that_fits_is_found(word: str) -> None:
    words = lexicon("re*", "repo*", "report card", "report c*", "ре*", "重", "重要")
    longest = {"repo": "repo", "重要性": "重要"}

    assert found(words, word) == [longest.get(word[:4], word[:2])]


def test_a_marker_that_ends_inside_a_word_gives_way_to_one_that_does_not() -> None:
    words = lexicon("ask first", "ask", "no … with", "no")

    assert found(words, "ask firstly, no one without") == ["ask", "no"]


@given(st.text())
def test_aligned_folding_folds_each_character_as_if_it_stood_alone(text: str) -> None:
    assert fold_aligned(text) == "".join(map(fold_aligned, text))
