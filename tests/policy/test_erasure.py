import pytest

from memorycore.policy.erasure import holds_text, without_text


@pytest.mark.parametrize(
    ("longer", "text"),
    [
        ("The gate code is 9911.", "The gate code is 9911."),
        ("Notes. The  gate code\u00a0is 9911. More.", "The gate code is 9911."),
        ("cafe\u0301 au lait order", "caf\u00e9 au lait order"),
    ],
)
def test_a_text_is_found_in_a_longer_one_whatever_its_blanks_and_unicode_form(
    longer: str, text: str
) -> None:
    assert holds_text(longer, text)


def test_a_word_or_two_inside_a_longer_text_is_no_copy() -> None:
    assert not holds_text("Tea is served at four.", "Tea")
    assert not holds_text("anything", "  ")


def test_cutting_a_text_out_keeps_every_other_sentence() -> None:
    longer = "Ana runs the lab. The gate code is 9911. Bo has the spare key."
    assert without_text(longer, ["The gate code is 9911."]) == (
        "Ana runs the lab. Bo has the spare key."
    )
    assert without_text("The gate code is 9911.", ["The gate code is 9911."]) is None
