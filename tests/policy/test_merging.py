"""A merged text holds all of both sides, and merging again changes nothing."""

import json
import pathlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.policy.merging import merge
from memorycore.policy.text import fold

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
_FACT = re.compile(r"https?://[^\s。;；]*[^\s.。;；!]|/[\w./-]*\w|\d[\d.:,-]*\d|\d|[A-Z]\w+")

_clause = st.sampled_from(
    [
        "The gateway runs on port 8080",
        "The gateway sits behind Cloudflare",
        "Ana owns it since 2026-03-01",
        "Logs are in /var/log/gate.log",
        "See https://wiki.example/gate",
        "端口是8080",
        "小李负责前端",
        "日志在 /data/log",
        "Порт сервера 8080",
        "サーバーは東京にある",
        "포트는 8080",
    ]
)
_end = st.sampled_from([". ", "。", "\n", "; ", "! "])
_text = st.lists(st.tuples(_clause, _end), min_size=1, max_size=4).map(
    lambda parts: "".join(a + b for a, b in parts).strip()
)
_any = st.text(alphabet="ab1 .。\n§;中五十", max_size=30)


@given(st.one_of(_text, _any), st.one_of(_text, _any))
@settings(max_examples=120, deadline=None)
def test_merging_again_changes_nothing(older: str, newer: str) -> None:
    merged = merge(older, newer)

    assert merge(older, merged) == merged
    assert merge(merged, newer) == merged
    assert merge(merged, merged) == merged


@given(_text, _text)
@settings(max_examples=80, deadline=None)
def test_every_number_name_path_and_date_of_both_sides_survives(older: str, newer: str) -> None:
    merged = merge(older, newer)

    for part in _FACT.findall(older) + _FACT.findall(newer):
        assert part in merged


@given(_any, _any)
@settings(max_examples=80, deadline=None)
def test_no_line_is_a_lone_section_sign(older: str, newer: str) -> None:
    assert all(line.strip() != "§" for line in merge(older, newer).splitlines())


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Uses Redis.", "Uses Redis with a 4G limit."),
        ("端口是8080。", "端口是8080。日志保留30天。"),
        ("Backups run nightly.", "BACKUPS run nightly!"),
        ("", "Something."),
    ],
)
def test_the_text_that_holds_the_other_is_the_result(older: str, newer: str) -> None:
    assert merge(older, newer) in (older, newer)
    assert len(merge(older, newer)) == max(len(older), len(newer)) or fold(older) == fold(newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The port is 80.", "The port is 8080."),
        ("五楼有白板。", "十五楼有白板。"),
        ("See v1.2.", "See v1.2.3."),
    ],
)
def test_a_value_inside_a_longer_value_is_not_taken_as_held(older: str, newer: str) -> None:
    merged = merge(older, newer)

    assert older.rstrip(".。") in merged
    assert newer.rstrip(".。") in merged
    assert merged != newer


def test_a_sentence_never_comes_to_stand_under_another_subject() -> None:
    older = "Server A is in Berlin. It listens on 8080."
    newer = "Server B is in Paris. It listens on 8080."

    assert merge(older, newer) == f"{older} {newer}"


def test_chinese_texts_join_without_blanks() -> None:
    assert merge("周报写三点进展。", "周报抄送赵敏。") == "周报写三点进展。周报抄送赵敏。"


def test_a_path_at_the_end_keeps_its_spelling() -> None:
    merged = merge("Training data is in /data/corpus", "After cleaning 4.3 million rows remain")

    assert merged == "Training data is in /data/corpus; After cleaning 4.3 million rows remain"


def test_lists_stay_one_item_a_line() -> None:
    assert merge("- first\n- second", "- second\n- third").splitlines() == [
        "- first",
        "- second",
        "- third",
    ]


def test_all_listed_parts_of_the_labelled_pairs_survive() -> None:
    for name in ("train", "eval"):
        for line in (DATA / name / "pairs.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["relation"] == "similar":
                merged = merge(row["older"], row["newer"]).casefold()
                assert all(part.casefold() in merged for part in row["merge_must_keep"])
