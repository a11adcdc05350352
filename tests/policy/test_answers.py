"""A rewritten text stands for its sources only when nothing hard is missing."""

import pytest

from memorycore.policy.answers import hard_parts, objection_to

SOURCE = (
    "Mirela moved kestrel-api to `main` on 2026-06-11: port 8410, https://k.example/a, ~/src/k."
)


@pytest.mark.parametrize(
    "part", ["kestrel-api", "`main`", "2026-06-11", "8410", "https://k.example/a", "~/src/k"]
)
def test_numbers_paths_addresses_names_and_code_are_hard(part: str) -> None:
    assert part in hard_parts(SOURCE)
    assert objection_to(SOURCE.replace(part, ""), [SOURCE], limit=500) is not None


def test_names_within_a_sentence_are_hard_in_latin_and_cyrillic() -> None:
    assert "Anna" in hard_parts("Ask Anna first.")
    assert "Анна" in hard_parts("Сначала спроси Анна.")


def test_other_words_around_the_hard_parts_are_free() -> None:
    answer = "k at ~/src/k, https://k.example/a: kestrel-api on main since 2026-06-11, port 8410"
    assert objection_to(answer, [SOURCE], limit=len(answer)) is None


def test_an_elision_of_the_source_itself_may_stay() -> None:
    assert objection_to("wait… then go", ["wait… then go"], limit=20) is None
    assert objection_to("wait… then go", ["wait then go"], limit=20) is not None
