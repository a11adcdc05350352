"""An overview is a request that names nothing in particular."""

import pytest

from memorycore.adapters.learned_recall import load_recall_prior

WORDS = load_recall_prior(None).overview


@pytest.mark.parametrize(
    "query",
    [
        "Tell me about people.",
        "Tell me about the people we discussed.",
        "what do you know about me?",
        "What do you remember?",
        "讲讲这些人。",
        "告诉我大家的事情",
        "Расскажи обо всех людях",
        "Háblame de la gente",
        "Fale sobre as pessoas",
        "Erzähl mir von den Leuten",
        "Parle-moi des gens",
        "みんなについて教えて",
        "사람들에 대해 알려줘",
        "Kể về mọi người",
    ],
)
def test_a_request_without_a_subject_asks_for_an_overview(query: str) -> None:
    assert WORDS.asked_by(query)


@pytest.mark.parametrize(
    "query",
    [
        "Tell me about Kestrel.",
        "tell me a joke",
        "tell me about the Eiffel tower",
        "What do you know about photosynthesis?",
        "讲讲量子色动力学",
        "翻译这首诗",
        "今天天气怎么样",
        "Расскажи рецепт борща",
        "erzähl mir einen Witz",
        "hi",
        "?",
        "",
        "people",
        "list ports of staging",
    ],
)
def test_a_request_that_names_something_or_asks_for_nothing_does_not(query: str) -> None:
    assert not WORDS.asked_by(query)
