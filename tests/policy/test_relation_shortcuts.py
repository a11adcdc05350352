"""What reading and comparing skip must be what could not have changed the answer."""

import unicodedata
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.adapters.relation_words import load_relation_words
from memorycore.model.relation import Relation
from memorycore.policy.relation.difference import differ
from memorycore.policy.relation.facts import analyse
from memorycore.policy.relation.features import pair_features
from memorycore.policy.relation.forms import root, stems
from memorycore.policy.relation.guards import GUARDS, objections
from memorycore.policy.relation.language import latin_language
from memorycore.policy.relation.outline import outline
from memorycore.policy.relation.scoring import (
    LinearHead,
    TrainedScorer,
    Vector,
    vector_features,
    vector_relation,
)
from memorycore.policy.relation.tokens import Kind, Token, tokenize
from memorycore.policy.text import ZERO_WIDTH

WORDS = load_relation_words()
SIZE = 6
CHANCE = np.random.default_rng(4)


def _head(inputs: int) -> LinearHead:
    return LinearHead(
        mean=CHANCE.normal(size=inputs),
        scale=CHANCE.uniform(0.1, 2.0, size=inputs),
        weights=CHANCE.normal(size=(inputs, 5)),
        bias=CHANCE.normal(size=5),
    )


def _unit() -> Vector:
    raw = CHANCE.normal(size=SIZE).astype(np.float32)
    return cast("Vector", raw / np.linalg.norm(raw))


def _softmax(logits: np.ndarray) -> np.ndarray:
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())


def test_the_scorer_answers_what_its_heads_say_one_after_the_other() -> None:
    named = {f"f{i}": float(value) for i, value in enumerate(CHANCE.normal(size=9))}
    lexical, semantic, raw, centre = _head(9), _head(9 + 2 + 5), _head(3 * SIZE), _unit()
    scorer = TrainedScorer(tuple(named), lexical, semantic, raw, centre)
    values, older, newer = np.array(list(named.values())), _unit(), _unit()
    said = raw.logits(vector_relation(older, newer))
    seen = np.concatenate([values, vector_features(older, newer, centre), said])

    assert scorer.probabilities(named, None, None) == pytest.approx(
        _softmax(lexical.logits(values)), abs=1e-12
    )
    assert scorer.probabilities(named, older, newer) == pytest.approx(
        _softmax(semantic.logits(seen)), abs=1e-12
    )


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Prod uses port 80.", "Mum has 2 tickets."),
        ("Prod uses port 80.", "Staging uses port 81."),
        ("Tea is green.", "Tea is hot."),
    ],
)
def test_objections_are_the_first_guards_that_speak_against_a_relation(
    older: str, newer: str
) -> None:
    features = pair_features(analyse(older, WORDS), analyse(newer, WORDS))
    speaking = [guard for guard in GUARDS if guard.objects(features)]
    first = {
        relation: next(guard.reason for guard in speaking if relation in guard.forbids)
        for relation in Relation
        if any(relation in guard.forbids for guard in speaking)
    }

    assert objections(features) == first
    for relation in Relation:
        known = {relation: first[relation]} if relation in first else {}
        assert objections(features, (relation,)) == known


@given(st.text(alphabet=[chr(i) for i in range(128)], max_size=60))
@settings(max_examples=200, deadline=None)
def test_ascii_text_is_its_own_folded_form(text: str) -> None:
    wide = unicodedata.normalize("NFKC", text).translate(ZERO_WIDTH)

    assert wide.translate(WORDS.folding) == text
    assert all(code > 127 for code in WORDS.folding)


def test_every_word_of_letters_a_latin_language_lists_speaks_for_a_language() -> None:
    spelled = [unicodedata.normalize("NFKC", word) for word in WORDS.votes if word.isalpha()]

    assert all(latin_language(word, WORDS)[1] > 0 for word in spelled)


@pytest.mark.parametrize("letters", ["ăơưđ", "äöü", "ñ", "ãõ", "èêëîïœûù", "¿¡"])
def test_letters_of_one_language_speak_for_it_without_a_word(letters: str) -> None:
    assert all(latin_language(letter, WORDS)[1] > 0 for letter in letters)


@pytest.mark.parametrize("code", ["de", "en", "es", "fr", "pt", "ru"])
def test_every_listed_beginning_is_known_in_a_longer_word(code: str) -> None:
    language = WORDS.languages[code]
    for beginning, tags in language.prefixes.items():
        word = f"{beginning}qqq"
        if len(beginning) >= 3 and word.isalpha():
            assert tokenize(word, language, language)[0].tags == tags


@pytest.mark.parametrize("code", ["ja", "ko", "zh"])
def test_every_listed_piece_is_known_in_a_run_without_blanks(code: str) -> None:
    language = WORDS.languages[code]
    for piece, tags in language.glued.items():
        if len(piece) > 1 and " " not in piece and not piece[0].isascii():
            assert tokenize(piece, language, WORDS.languages["en"])[0].tags == tags


@given(st.lists(st.text(alphabet="ановам", min_size=1, max_size=9), min_size=2, max_size=2),
       st.lists(st.booleans(), min_size=2, max_size=2))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_words_that_share_a_stem_have_one_root(keys: list[str], names: list[bool]) -> None:
    one, other = (
        Token(Kind.WORD, key, 0, name=name) for key, name in zip(keys, names, strict=True)
    )
    if set(stems(one)) & set(stems(other)):
        assert root(one) == root(other) != ""


@pytest.mark.parametrize(
    ("older", "newer", "lone_older", "lone_newer"),
    [
        ("lamp lamp oak", "lamp oak", [1], []),
        ("lamp oak", "oak lamp lamp lamp", [], [2, 3]),
        ("lamp oak lamp", "pine pine", [0, 1, 2], [0, 1]),
        ("lamp lamps oak", "lamps pine", [0, 2], [1]),
    ],
)
def test_a_word_has_one_partner_however_often_it_occurs(
    older: str, newer: str, lone_older: list[int], lone_newer: list[int]
) -> None:
    diff = differ(outline(analyse(older, WORDS)), outline(analyse(newer, WORDS)))

    assert (list(diff.lone_older), list(diff.lone_newer)) == (lone_older, lone_newer)
