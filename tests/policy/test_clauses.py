import pytest

from memorycore.adapters.aboutness_file import load_aboutness_words
from memorycore.policy.clauses import (
    keep_rest,
    rest_without,
    says_all,
    split_clauses,
    split_sentences,
)

WORDS = load_aboutness_words()


@pytest.mark.parametrize(
    ("text", "meant", "rest"),
    [
        (
            "Ines lives in Faro and works as a beekeeper.",
            "lives in Faro",
            "Ines works as a beekeeper.",
        ),
        (
            "Ines lives in Faro and works as a beekeeper.",
            "works as",
            "Ines lives in Faro.",
        ),
        (
            "Ines has a boat, speaks Dutch, and plays the horn.",
            "Dutch",
            "Ines has a boat. Ines plays the horn.",
        ),
        ("Ines's boat is blue. Otto keeps goats.", "boat", "Otto keeps goats."),
        ("Parcels are kept here. Ines has the key.", "key", "Parcels are kept here."),
        ("李娜住在昆明,喜欢吹巴松管。", "昆明", "喜欢吹巴松管。"),
    ],
)
def test_what_is_not_meant_stays_as_sentences_of_its_own(text: str, meant: str, rest: str) -> None:
    clauses = split_clauses(text, WORDS)
    gone = [clause.part for clause in clauses if meant in clause.part]
    assert gone
    assert rest_without(clauses, gone, WORDS) == rest


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Ines has never been to Faro and has no wish to go there.", "never been"),
        ("Ines owns a boat. It is blue.", "owns"),
        ("Ines is a nurse. Works alone.", "nurse"),
    ],
)
def test_a_part_that_leans_on_another_goes_with_it(text: str, meant: str) -> None:
    clauses = split_clauses(text, WORDS)
    assert rest_without(clauses, [c.part for c in clauses if meant in c.part], WORDS) is None


@pytest.mark.parametrize(
    "text",
    [
        "Ines likes green tea and strong black coffee.",
        "Ines and Otto share the boat.",
        "bread and butter",
        "",
    ],
)
def test_what_is_no_list_of_statements_stays_whole(text: str) -> None:
    assert split_clauses(text, WORDS) == ()


def test_parts_that_are_about_the_request_alike_go_together() -> None:
    clauses = split_clauses("Ines rents a flat and lives alone.", WORDS)
    near = {clause.part: score for clause, score in zip(clauses, (6.0, 5.5), strict=True)}
    far = {clause.part: score for clause, score in zip(clauses, (6.0, 1.0), strict=True)}
    assert keep_rest(clauses, near, WORDS) is None
    assert keep_rest(clauses, far, WORDS) == "Ines lives alone."


def test_a_new_text_that_says_the_rest_as_well_leaves_none_behind() -> None:
    assert says_all("Ines is a vet in Faro and speaks Dutch.", "Ines speaks Dutch.")
    assert not says_all("Ines is a vet in Faro.", "Ines speaks Dutch.")
    assert says_all("李娜是明阳的工程师,常驻昆明,喜欢骑车。", "常驻昆明,喜欢骑车。")


def test_one_sentence_has_no_sentences_to_part() -> None:
    assert split_sentences("Ines keeps bees.") == ()
    assert len(split_sentences("Ines keeps bees. Otto keeps goats.")) == 2
