"""Single letters that name something ("vitamin A", "step a:") and are no article, pronoun or elided word."""

import re
from dataclasses import replace

from memorycore.policy.relation.tokens import Kind, Token

_SENTENCE_END = ".!?\n。！？"
_ELIDED = "'’"
_PHRASE_END = re.compile(r"[ \t]*(?:[:;,.)\n]|$)")


def as_label(token: Token, text: str, *, english: bool, shouted: bool) -> Token:
    """Return a single letter that names something as an identifier, any other token as it is.

    A capital inside a sentence names something, but for the English "I"; so does an English "a" that ends its
    phrase, which no article does, and a letter that has a line to itself.

    Args:
        token: A token of `text`.
        text: What `token.start` points into, with its capitals.
        english: Latin words of the text are English.
        shouted: The text is in capitals throughout, which tells nothing then.
    """
    if token.kind is not Kind.WORD or len(token.key) != 1 or not token.key.isascii():
        return token
    start, end = token.start, token.start + 1
    written, after = text[start:end], text[end : end + 1]
    before = text[:start].rstrip()
    if after and (after in _ELIDED or after.isalnum()):
        return token
    inside = bool(before) and before[-1] not in _SENTENCE_END
    capital = written.isupper() and inside and not shouted and not (english and written == "I")
    closing = english and written == "a" and _PHRASE_END.match(text, end) is not None
    alone = text[:start].rpartition("\n")[2].strip() + text[end:].partition("\n")[0].strip() == ""
    if not (capital or closing or alone):
        return token
    return replace(token, kind=Kind.IDENT, tags=(), name=True)
