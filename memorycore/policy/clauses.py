"""A memory that says several things of one subject, taken apart so that one of them can go and the rest can stay.

Only where it is safe: each part must stand by itself, so a part that points back to another ("has never been there")
keeps the whole together. Within a sentence this is done for English, whose verbs show where a part begins, and for
the scripts that part clauses by a comma; elsewhere sentences and semicolons part.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memorycore.policy.aboutness_words import AboutnessWords
from memorycore.policy.text import fold, has_cjk, sentences

FAR_BELOW = 1.6
"""Likeness by which a part must stay behind the best one to be kept."""

SUBJECT_REACH = 5
"""Words within which the verb of a sentence must begin for its subject to be known."""

_PARTS = re.compile(r"(,?\s+(?:and|but)\s+|\s*[;；]\s*|,\s+)")
_GLUED_PARTS = re.compile(r"[，,；;]\s*")
_END = re.compile(r"[.。!！?？\s]+$")
_WORDS = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a memory: the words as they stand there, and as a sentence of its own."""

    part: str
    alone: str


def split_clauses(text: str, words: AboutnessWords) -> tuple[Clause, ...]:
    """Return the parts of a text, or none where it must stay whole."""
    whole = sentences(text)
    parts = [clause for sentence in whole for clause in _within(sentence, words)]
    return tuple(parts) if len(parts) > 1 else ()


def split_sentences(text: str) -> tuple[Clause, ...]:
    """Return the sentences of a text, or none when it is one."""
    whole = sentences(text)
    return tuple(Clause(sentence, sentence) for sentence in whole) if len(whole) > 1 else ()


def rest_without(
    clauses: Sequence[Clause], meant: Sequence[str], words: AboutnessWords
) -> str | None:
    """Return what stays when the parts in `meant` go, or None when nothing can stay by itself."""
    kept = [clause for clause in clauses if clause.part not in meant]
    if not kept or len(kept) == len(clauses):
        return None
    if any(_leans(clause, words) for clause in kept):
        return None
    return " ".join(clause.alone for clause in kept)


def keep_rest(
    clauses: Sequence[Clause], scores: Mapping[str, float], words: AboutnessWords
) -> str | None:
    """Return what stays of a text when the clauses the request is about go, or None when nothing can.

    Args:
        clauses: The parts.
        scores: By part, how much the request is about it.
        words: The word lists.
    """
    best = max(scores[clause.part] for clause in clauses)
    meant = [c.part for c in clauses if scores[c.part] >= best - FAR_BELOW]
    return rest_without(clauses, meant, words)


def _within(sentence: str, words: AboutnessWords) -> tuple[Clause, ...]:
    parts = _glued(sentence) if has_cjk(sentence) else _spaced(sentence, words)
    return parts or (Clause(sentence, sentence),)


def says_all(longer: str, shorter: str) -> bool:
    """Tell whether every word of `shorter` stands in `longer`."""
    if has_cjk(shorter):
        bare = _END.sub("", shorter)
        return all(part in longer for part in _GLUED_PARTS.split(bare))
    known = {word.casefold() for word in _WORDS.findall(longer)}
    return all(word.casefold() in known for word in _WORDS.findall(shorter))


def _glued(sentence: str) -> tuple[Clause, ...]:
    end = _END.search(sentence)
    mark = end.group().strip() if end else ""
    parts = [part for part in _GLUED_PARTS.split(_END.sub("", sentence)) if part]
    if len(parts) < 2:
        return ()
    return tuple(Clause(part, part + mark) for part in parts)


def _spaced(sentence: str, words: AboutnessWords) -> tuple[Clause, ...]:
    body = _END.sub("", sentence)
    subject = _subject(body, words)
    pieces = _PARTS.split(body)
    parts = [pieces[0]]
    for glue, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if _begins_clause(piece, words) and subject:
            parts.append(piece)
        else:
            parts[-1] += glue + piece
    if len(parts) < 2:
        return ()
    first = Clause(parts[0], f"{parts[0]}.")
    return (first, *(Clause(part, f"{subject} {part}.") for part in parts[1:]))


def _subject(sentence: str, words: AboutnessWords) -> str:
    """Return the words before the first verb, or nothing when no verb is near the beginning."""
    found = list(_WORDS.finditer(sentence))[:SUBJECT_REACH]
    for word in found[1:]:
        if words.verb.has(fold(word.group())):
            return sentence[: word.start()].strip()
    return ""


def _begins_clause(piece: str, words: AboutnessWords) -> bool:
    found = _WORDS.findall(piece)
    return len(found) > 1 and words.verb.has(fold(found[0]))


def _leans(clause: Clause, words: AboutnessWords) -> bool:
    """Tell whether a part says nothing without another: it points back, or has a verb and no subject."""
    first, *rest = [fold(word) for word in _WORDS.findall(clause.alone)[:2]] or [""]
    subject = "'" in first or "’" in first or any(words.verb.has(word) for word in rest)
    return (words.verb.has(first) and not subject) or _points_back(clause.part, words)


def _points_back(part: str, words: AboutnessWords) -> bool:
    if has_cjk(part):
        return part.startswith(words.pointing.glued)
    return any(words.pointing.has(fold(word)) for word in _WORDS.findall(part))
