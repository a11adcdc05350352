"""What text can be stored at all, and what would split a hot file."""

import pytest

from memorycore.policy.validation import LONGEST, objection, splits_hot_file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n\t\u3000", "empty"),
        ("a\x00b", "U+0000"),
        ("a\x1b[31mb", "U+001B"),
        ("a\x85b", "U+0085"),
        ("a\udcafb", "surrogate"),
        ("x" * (LONGEST + 1), "split"),
        (None, "must be text"),
        (7, "must be text"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_advice(text: object, said: str) -> None:
    assert said in (objection(text) or "")


@pytest.mark.parametrize(
    "text", ["a", "line\nline\ttab\r\nline", "★🎉北京", "x" * LONGEST, "👨‍👩‍👧", "می‌خواهم"]
)
def test_ordinary_text_of_any_script_is_accepted(text: str) -> None:
    assert objection(text) is None


@pytest.mark.parametrize("text", ["§", "a\n§\nb", "a\n§", "§\nb", "a\r\n§\r\nb", "a\n § \nb"])
def test_a_line_that_is_only_the_separator_splits(text: str) -> None:
    assert splits_hot_file(text)


@pytest.mark.parametrize("text", ["a § b", "§ bullet", "see §3", "a§\n§b", ""])
def test_the_separator_within_a_line_does_not_split(text: str) -> None:
    assert not splits_hot_file(text)
