"""Which memories a request means, given how like each is to the attribute."""

import pytest

from memorycore.adapters.aboutness_file import load_aboutness_words
from memorycore.policy.aboutness import choose, gate
from memorycore.policy.topics import read_topic
from memorycore.policy.wording import Spoken

WORDS = load_aboutness_words()


def meant(query: str, texts: list[str], likeness: dict[str, float] | None = None) -> list[str]:
    """Return the texts a request means; `likeness` is by text."""
    items = [Spoken(text, text) for text in texts]
    language = WORDS.language(query, among=" ".join(texts))
    scope = gate(read_topic(query, WORDS, language=language), items)
    return [] if scope is None else [item.text for item in choose(scope, likeness or {})]


STORES = {
    "en": ("everything about Nadia", ["Nadia paints.", "Nadia lives in Faro.", "Rolf paints."]),
    "zh": ("关于李娜的一切", ["李娜会画画。", "李娜住在昆明。", "赵强会画画。"]),
    "ru": ("всё о Наде", ["Надя рисует.", "У Нади есть лодка.", "Олег рисует."]),
    "es": ("todo sobre Nadia", ["Nadia pinta.", "Nadia vive en Faro.", "Rolf pinta."]),
    "pt": ("tudo sobre a Nadia", ["Nadia pinta.", "Nadia mora em Faro.", "Rolf pinta."]),
    "de": ("alles über Nadia", ["Nadia malt.", "Nadia wohnt in Faro.", "Rolf malt."]),
    "fr": ("tout sur Nadia", ["Nadia peint.", "Nadia habite à Faro.", "Rolf peint."]),
    "ja": (
        "ナディアさんに関するすべて",
        ["ナディアさんは絵を描く。", "ナディアさんは神戸に住む。", "田中さんは絵を描く。"],
    ),
    "ko": (
        "민수에 대한 모든 정보",
        ["민수는 그림을 그린다.", "민수는 대구에 산다.", "지영은 그림을 그린다."],
    ),
    "vi": ("mọi thứ về Lan", ["Lan vẽ tranh.", "Lan sống ở Huế.", "Minh vẽ tranh."]),
}


@pytest.mark.parametrize("language", STORES)
def test_all_of_one_person_and_nothing_of_another_in_every_language(language: str) -> None:
    query, texts = STORES[language]
    assert meant(query, texts) == texts[:2]


@pytest.mark.parametrize("language", STORES)
def test_a_request_about_somebody_the_store_does_not_know_means_nothing(language: str) -> None:
    query, texts = STORES[language]
    assert meant(query, texts[2:]) == []


@pytest.mark.parametrize(
    ("query", "attribute", "other"),
    [
        ("Nadia's employer", "Nadia works at Lumen.", "Nadia lives in Faro."),
        ("employer of Nadia", "Nadia works at Lumen.", "Nadia lives in Faro."),
        ("nadia job", "nadia works at Lumen.", "nadia lives in Faro."),
        ("李娜的工作单位", "李娜在远山上班。", "李娜住在昆明。"),
        ("Arbeitgeber von Nadia", "Nadia arbeitet bei Lumen.", "Nadia wohnt in Faro."),
        ("Nadias Arbeitgeber", "Nadia arbeitet bei Lumen.", "Nadia wohnt in Faro."),
        ("место работы Нади", "Надя служит в Люмен.", "Надя живёт в Твери."),
        ("민수의 직장", "민수는 루멘에서 일한다.", "민수는 대구에 산다."),
    ],
)
def test_an_attribute_narrows_the_subject_to_what_speaks_of_it(
    query: str, attribute: str, other: str
) -> None:
    texts = [attribute, other, "Lumen, Lumen."]
    assert meant(query, texts, {attribute: 4.0, other: 0.2}) == [attribute]


def test_an_attribute_nothing_speaks_of_means_nothing() -> None:
    texts = ["Nadia works at Lumen.", "Nadia lives in Faro."]
    assert meant("Nadia's allergies", texts, {texts[0]: 0.4, texts[1]: 0.3}) == []


@pytest.mark.parametrize(
    ("query", "wanted", "trap"),
    [
        ("everything about Grant", "Grant keeps bees.", "The grant was approved."),
        ("everything about Mark Hill", "Mark Hill keeps bees.", "Mark Hillman keeps goats."),
        ("data of rosa@hale.org", "rosa@hale.org signed.", "rosa@hale.org.uk signed."),
        ("OTP 448120", "OTP for Ines: 448120.", "OTP for Otto: 448121."),
        ("flight to Lima", "Otto booked a flight to Lima.", "Otto booked a flight to Quito."),
        ("Snow on the Hill book", "Ines read 'Snow on the Hill'.", "Ines climbed the hill."),
    ],
)
def test_sharing_a_word_or_the_beginning_of_a_name_is_not_enough(
    query: str, wanted: str, trap: str
) -> None:
    assert meant(query, [wanted, trap], {wanted: 2.0, trap: 1.9}) == [wanted]


def test_a_code_is_narrowed_by_what_is_said_of_it_and_a_secret_is_not() -> None:
    shelf = [
        "D6 scratch space may be wiped.",
        "D6 holds the sensor logs.",
        "The scratch disk is new.",
    ]
    assert meant("D6 scratch", shelf) == shelf[:1]
    card = ["Card on file: 5500-0000-0000-0004.", "The same, bare: 5500000000000004."]
    assert meant("card 5500-0000-0000-0004", card) == card


def test_a_role_and_a_value_mean_the_fact_and_not_the_role() -> None:
    texts = ["User works at Lumen.", "User keeps bees.", "Lumen is hiring."]
    assert meant("user employer Lumen", texts, {texts[0]: 1.0}) == [texts[0]]


def test_without_an_embedder_words_still_decide() -> None:
    texts = ["The gate code is under the mat.", "The mat is red."]
    assert meant("gate code mat", texts) == [texts[0]]
    assert meant("where the keys are", texts) == []


def test_several_facts_on_one_attribute_are_meant_together() -> None:
    texts = ["Nadia speaks Dutch.", "Nadia speaks Thai.", "Nadia paints."]
    likeness = {texts[0]: 3.1, texts[1]: 2.9, texts[2]: 0.2}
    assert sorted(meant("Nadia's languages", texts, likeness)) == texts[:2]


def test_a_memory_is_known_again_by_the_values_it_replaced() -> None:
    old, new = "Nadia's favourite colour is teal.", "Changed to orange."
    item = Spoken("n", new, (old,))
    scope = gate(read_topic("Nadia favourite colour", WORDS), [item, Spoken("r", "Rolf paints.")])
    assert scope is not None
    assert choose(scope, {}) == (item,)


@pytest.mark.parametrize("query", ["", "  ", "*", "%", "the", "everything", "的", "все"])
def test_a_request_of_small_words_names_nothing(query: str) -> None:
    assert read_topic(query, WORDS).empty
