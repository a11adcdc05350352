"""Demands on `remember`: honest, whole, once."""

from memorycore.service.contract.bench import Bench, content_of, expect, id_of
from memorycore.service.contract.verdicts import Check

STATUSES = frozenset({"stored", "duplicate", "merged", "superseded", "outdated", "queued"})
"""Words of the contract."""

PLAIN_STATUSES = frozenset(
    {"", "ok", "success", "saved", "created", "remembered", "exists", "updated"}
)
"""Further words that services of the plain form use."""

LONG = 20_000
"""Characters of a long text."""

TOLD = {
    "en": "Guests of {name} get the room with the blue door.",
    "zh": "{name}的客人住在蓝门的房间。",
    "ru": "Гости {name} живут в комнате с синей дверью.",
    "es": "Los huéspedes de {name} duermen en la habitación de la puerta azul.",
    "pt": "Os hóspedes de {name} ficam no quarto da porta azul.",
    "de": "Gäste von {name} bekommen das Zimmer mit der blauen Tür.",
    "fr": "Les invités de {name} ont la chambre à la porte bleue.",
    "ja": "{name}のお客様は青い扉の部屋に泊まります。",
    "ko": "{name} 손님은 파란 문이 있는 방을 씁니다.",
    "vi": "Khách của {name} ở phòng có cửa màu xanh.",
}
"""One sentence in each language that must be kept and found."""


def _answer(bench: Bench) -> None:
    text, _ = bench.fact()
    kept = bench.remember(text)
    known = kept.status.casefold() in STATUSES | PLAIN_STATUSES
    expect(known, f"status is {kept.status!r}, which is no word of the contract")
    fresh = kept.status.casefold() not in {"duplicate", "exists"}
    expect(fresh, f"a text that was never stored is called {kept.status!r}")


def _id_type(bench: Bench) -> None:
    text, _ = bench.fact()
    kept = bench.remember(text)
    plain = isinstance(kept.id, str | int) and not isinstance(kept.id, bool) and kept.id != ""
    expect(plain, f"the id is {kept.id!r}; it must be text or a whole number")


def _honest(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    if kept.status.casefold() == "queued":
        return
    expect(bench.found(text, name), f"said {kept.status!r}, and its own words do not find it")


def _whole(bench: Bench) -> None:
    name = bench.name()
    text = f"The {name} menu: crème brûlée 🍮, 北京烤鸭,\n\tИзюм — 12 %, e\u0301clair \\ \"q\" 'a' <b>&amp;</b>"
    bench.remember(text)
    rows = bench.found(f"{name} menu", name)
    expect(rows, "it was not found by its own words")
    same = content_of(rows[0]) == text
    expect(same, f"it came back changed: {content_of(rows[0])!r}")


def _long(bench: Bench) -> None:
    text, name = bench.fact()
    line = f"{name} step {{}}: check the valve, note the reading and sign the sheet.\n"
    whole = text + "\n" + "".join(line.format(number) for number in range(LONG // len(line)))
    bench.remember(whole)
    rows = bench.found(f"{name} valve reading sheet", name)
    expect(rows, f"a text of {len(whole)} characters was called stored and is not found")
    got = len(content_of(rows[0]))
    expect(got >= len(whole.strip()), f"of {len(whole)} characters {got} came back")


def _repeat(bench: Bench) -> None:
    text, name = bench.fact()
    first, again = bench.remember(text), bench.remember(text)
    same = str(first.id) == str(again.id)
    expect(same, f"the same text got a second id: {first.id!r}, then {again.id!r}")
    rows = bench.found(text, name)
    expect(len(rows) == 1, f"the same text is found {len(rows)} times")
    fresh = again.status.casefold() in {"stored", "created"}
    expect(not fresh, f"the second time is called {again.status!r}, not duplicate")


def _repeat_loop(bench: Bench) -> None:
    text, _ = bench.fact()
    bench.remember(text)
    before = bench.live()
    for _ in range(10):
        bench.remember(text)
    after = bench.live()
    expect(after == before, f"ten repetitions raised the count from {before} to {after}")


def _languages(bench: Bench) -> None:
    lost = []
    for language, sentence in TOLD.items():
        name = bench.name()
        text = sentence.format(name=name)
        bench.remember(text)
        if not bench.found(text, name):
            lost.append(language)
    expect(not lost, f"called stored and not found again: {', '.join(lost)}")


def _numbers_apart(bench: Bench) -> None:
    name = bench.name()
    texts = [f"Locker {number} of the {name} pool belongs to the team." for number in (417, 418)]
    for text in texts:
        bench.remember(text)
    said = " ".join(content_of(row) for text in texts for row in bench.recall(text))
    lost = [number for number in ("417", "418") if number not in said]
    expect(not lost, f"two facts that differ in a number became one; {lost} is gone")


def _data(bench: Bench) -> None:
    name = bench.name()
    text = f'{name} note: \'; DROP TABLE memories; -- {{"role": "system"}} $(rm -rf) %s %(x)s {{{{y}}}}'
    bench.remember(text)
    rows = bench.found(f"{name} note", name)
    expect(rows, "a text with code in it is not found")
    expect(content_of(rows[0]) == text, f"it came back changed: {content_of(rows[0])!r}")


def _importance(bench: Bench) -> None:
    text, name = bench.fact()
    if not bench.wire.offer().takes("remember", "importance"):
        bench.remember(text)
        return
    bench.remember(text, importance=0.7)
    row = bench.found(text, name)[0]
    given = row.get("importance", 0.7)
    expect(abs(float(given) - 0.7) < 0.01, f"importance 0.7 came back as {given!r}")


def _says_what_holds(bench: Bench) -> None:
    """Whatever a service makes of a newer value, the newer value must be found."""
    name = bench.name()
    bench.remember(f"The {name} gate opens with the brass key.")
    newer = f"The {name} gate opens with the steel key now, not with the brass key."
    kept = bench.remember(newer)
    rows = bench.found(newer, name)
    held = any("steel" in content_of(row) for row in rows)
    expect(held, f"the newer text was called {kept.status!r}, and no hit holds it")
    if kept.status.casefold() in {"superseded", "merged"}:
        ids = {str(id_of(row)) for row in rows if "steel" in content_of(row)}
        expect(
            str(kept.id) in ids, f"{kept.status} names the id {kept.id!r}, which does not hold it"
        )


CHECKS = (
    Check("remember.status", "a new text is answered with an id and a known status", _answer),
    Check("remember.id_type", "an id is text or a whole number", _id_type),
    Check("remember.honest", "what is called stored is found at once", _honest),
    Check("remember.whole", "a text comes back exactly as it was sent", _whole),
    Check("remember.long", "a long text is kept whole or refused", _long),
    Check("remember.repeat", "the same text again is a duplicate with the same id", _repeat),
    Check("remember.repeat_loop", "repeating a text does not fill the store", _repeat_loop),
    Check("remember.languages", "ten languages are kept and found", _languages),
    Check("remember.numbers_apart", "facts that differ in a number both stay", _numbers_apart),
    Check("remember.data", "code in a text is text", _data),
    Check("remember.importance", "importance is kept", _importance),
    Check(
        "remember.newer_value",
        "a newer value is found under the id that was named",
        _says_what_holds,
    ),
)
