"""Demands on `update` and `forget`: the one meant, wholly, once."""

from memorycore.service.contract.bench import (
    Bench,
    content_of,
    expect,
    id_of,
    is_refusal,
    was_forgotten,
)
from memorycore.service.contract.verdicts import Check

NO_SUCH_ID = "no-such-memory-7f3a"


def _update(bench: Bench) -> None:
    name = bench.name()
    kept = bench.remember(f"The {name} kiln is fired on Monday.")
    newer = f"The {name} kiln is fired on Thursday since the spring."
    bench.answer("update", {"id": kept.id, "content": newer})
    rows = bench.found(newer, name)
    expect(rows and content_of(rows[0]) == newer, "the new text is not found")


def _update_id(bench: Bench) -> None:
    name = bench.name()
    kept = bench.remember(f"The {name} well is drawn by a mule.")
    newer = f"The {name} well is drawn by an engine."
    bench.answer("update", {"id": kept.id, "content": newer})
    rows = [row for row in bench.found(newer, name) if content_of(row) == newer]
    ids = [id_of(row) for row in rows]
    expect(str(kept.id) in map(str, ids), f"updated under {kept.id!r}, found under {ids}")


def _old_text(bench: Bench) -> None:
    name, word = bench.name(), bench.name()
    kept = bench.remember(f"The {name} choir rehearses in the {word} hall.")
    bench.answer("update", {"id": kept.id, "content": f"The {name} choir rehearses at school."})
    rows = bench.found(f"{word} hall", word)
    expect(not rows, "the old text is still found after an update")


def _update_unknown(bench: Bench) -> None:
    text, name = bench.fact()
    bench.refused("update", {"id": NO_SUCH_ID, "content": text})
    expect(not bench.found(text, name), "an update of an unknown id stored its text")


def _update_empty(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    for blank in ("", "  \n"):
        bench.refused("update", {"id": kept.id, "content": blank})
    expect(bench.found(text, name), "an update to nothing was refused, and the memory is gone")


def _update_others(bench: Bench) -> None:
    first, name = bench.fact()
    second, other = bench.fact()
    bench.remember(first)
    kept = bench.remember(second)
    newer = f"{other} is closed for the winter."
    bench.answer("update", {"id": kept.id, "content": newer})
    rows = bench.found(first, name)
    expect(rows and content_of(rows[0]) == first, "an update changed another memory")


def _forget(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    said = bench.answer("forget", {"id": kept.id})
    expect(was_forgotten(said), f"forget of a live memory says {said!r}")
    expect(not bench.found(text, name), "a forgotten memory is still found")


def _forget_twice(bench: Bench) -> None:
    text, _ = bench.fact()
    kept = bench.remember(text)
    bench.answer("forget", {"id": kept.id})
    again = bench.call("forget", {"id": kept.id})
    said = is_refusal(again) or not was_forgotten(again.value)
    expect(said, f"forgetting what is gone says {again.text[:120]!r}")


def _forget_unknown(bench: Bench) -> None:
    answer = bench.call("forget", {"id": NO_SUCH_ID})
    said = is_refusal(answer) or not was_forgotten(answer.value)
    expect(said, f"forgetting an unknown id says {answer.text[:120]!r}")


def _forget_one(bench: Bench) -> None:
    name = bench.name()
    texts = [f"The {name} barn stores {what}." for what in ("barley", "harness and saddles")]
    kept = [bench.remember(text) for text in texts]
    bench.answer("forget", {"id": kept[0].id})
    expect(bench.found(texts[1], "harness"), "forgetting one memory took its neighbour too")


def _forget_pattern(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    for pattern in ("*", "%", "", f"{str(kept.id)[:1]}%", ".*", name):
        bench.call("forget", {"id": pattern})
        found = bench.found(text, name)
        expect(found, f"forget with the id {pattern!r} took a memory of another id")


def _forget_nothing(bench: Bench) -> None:
    text, name = bench.fact()
    bench.remember(text)
    bench.refused("forget", {})
    expect(bench.found(text, name), "forget without an id took a memory")


def _store_again(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    bench.answer("forget", {"id": kept.id})
    bench.remember(text)
    rows = bench.found(text, name)
    expect(len(rows) == 1, f"stored again after it was forgotten, it is found {len(rows)} times")


def _update_forgotten(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    bench.answer("forget", {"id": kept.id})
    bench.refused("update", {"id": kept.id, "content": f"{text} Since May."})
    expect(not bench.found(text, name), "an update brought a forgotten memory back")


CHECKS = (
    Check("update.new_text", "the new text is found", _update),
    Check("update.same_id", "a memory keeps its id when it is updated", _update_id),
    Check("update.old_text", "the old text is not found any more", _old_text),
    Check("update.unknown", "an unknown id is refused and nothing is stored", _update_unknown),
    Check("update.empty", "an update to nothing is refused and changes nothing", _update_empty),
    Check("update.others", "an update changes one memory only", _update_others),
    Check("update.forgotten", "what was forgotten cannot be updated", _update_forgotten),
    Check("forget.gone", "what is forgotten is not found", _forget),
    Check("forget.twice", "forgetting again is no success and no harm", _forget_twice),
    Check("forget.unknown", "forgetting an unknown id is no success", _forget_unknown),
    Check("forget.one", "forget takes one memory, not its neighbours", _forget_one),
    Check("forget.pattern", "an id is no pattern and no text to search for", _forget_pattern),
    Check("forget.nothing", "forget without an id is refused", _forget_nothing),
    Check("forget.store_again", "a forgotten text can be stored again, once", _store_again),
)
