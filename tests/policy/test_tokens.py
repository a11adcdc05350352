"""Tokens: what is stored and what is asked are cut alike, in every script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.stems import stem
from memorycore.policy.tokens import (
    MAX_QUERY_TOKENS,
    MAX_TOKEN,
    index_tokens,
    query_groups,
    query_tokens,
)


@given(st.text(max_size=300))
def test_a_text_finds_itself_and_its_tokens_hold_nothing_but_letters_and_digits(text: str) -> None:
    stored = index_tokens(text)
    asked = query_tokens(text)
    assert set(asked) <= set(stored)
    assert bool(asked) == bool(stored)
    for token in stored:
        assert 0 < len(token) <= MAX_TOKEN
        assert not set(token) & set(" \t\n\"'*()-:^+_\x00")


@given(st.text(max_size=300))
def test_the_groups_of_a_query_cover_its_tokens(text: str) -> None:
    groups = query_groups(text)
    pieces = {piece for group in groups for piece in group.pieces}
    wholes = {group.whole for group in groups if group.whole is not None}
    if len(query_tokens(text)) < MAX_QUERY_TOKENS:
        assert set(query_tokens(text)) <= pieces | wholes
    assert all(group.pieces for group in groups)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("设备清单 NAS 在书房", "书房"),
        ("重跑gen-itgc后", "itgc"),
        ("猫", "猫"),
        ("サンドボックス", "ボックス"),
        ("회의실 예약", "회의"),
        ("HTTPServer", "http server"),
        ("snake_case_name", "snakecasename"),
        ("v2.14.1", "2.14.1"),
        ("ＡＢＣ１２３", "abc123"),
        ("don\u2019t", "don't"),
        ("GPT4", "gpt 4"),
        ("/etc/nginx/nginx.conf", "nginx.conf"),
        ("zero\u200bwidth", "zerowidth"),
        ("भारत की राजधानी", "भारत"),
    ],
)
def test_a_piece_of_a_text_finds_it(stored: str, asked: str) -> None:
    assert set(query_tokens(asked)) & set(index_tokens(stored))


@pytest.mark.parametrize(
    "forms",
    [
        ["connect", "connected", "connecting", "connection", "connections"],
        ["relational", "relate", "relating"],
        ["hopping", "hop", "hops"],
        ["deploy", "deploys", "deployed", "deploying"],
        ["политика", "политики", "политику", "политикой"],
        ["встреча", "встречи", "встречу", "встречей"],
        ["amigo", "amiga", "amigos", "amigas"],
        ["reunion", "reuniones"],
    ],
)
def test_inflections_of_a_word_share_a_stem(forms: list[str]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("pair", [("note", "not"), ("universe", "uniform"), ("порт", "порядок")])
def test_different_words_keep_different_stems(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) != stem(pair[1])


def test_accents_are_optional_and_languages_do_not_collide() -> None:
    assert index_tokens("CAFÉ") == index_tokens("cafe")
    assert index_tokens("Ёлка") == index_tokens("елка")
    assert set(index_tokens("が")).isdisjoint(index_tokens("か"))


def test_a_pasted_page_is_asked_by_its_first_distinct_tokens() -> None:
    asked = query_tokens(" ".join(f"word{number}" for number in range(5000)))
    assert len(asked) == MAX_QUERY_TOKENS


def test_text_without_words_has_no_tokens() -> None:
    for text in ("", "  ", "?!…", "🎉🎉", "---", "\x00", "___"):
        assert index_tokens(text) == []
        assert query_groups(text) == []
