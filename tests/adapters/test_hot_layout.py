"""What a hot file says, and that rebuilding it drops nothing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.hot_markdown.layout import (
    SEPARATOR,
    fault_of,
    parse,
    render,
    with_unix_newlines,
)
from memorycore.policy.text import entry_key

HOTFILES = Path(__file__).parents[1] / "data" / "hotfiles"

HANDBOOK = """# Shop handbook

Opening hours differ on market days.

## Suppliers
- Flour: call Brandt before noon
  and repeat the order number
- Sugar: standing order

## Commands
```sh
# not a heading
- not a bullet

make stock
```
| item | shelf |
|------|-------|
| yeast | 4 |
"""

entries = st.text(min_size=1, max_size=60).map(lambda text: with_unix_newlines(text).strip())
writable = entries.filter(lambda text: fault_of(text) is None)


def host_entries(raw: str) -> list[str]:
    """Read as the host does, said again in the plainest way."""
    return list(dict.fromkeys(part.strip() for part in raw.split("\n§\n") if part.strip()))


@given(st.lists(writable, unique=True, max_size=8))
def test_entries_that_may_be_written_read_back_the_same_for_us_and_for_the_host(
    texts: list[str],
) -> None:
    written = render(parse(""), texts)
    keys = {entry_key(text) for text in texts}
    assert list(parse(written, whole=keys).texts) == texts
    assert host_entries(written) == texts


@given(
    st.lists(st.sampled_from(["§", "", " ", "a", "§ b", "b §", "- c", "# d", "§§"]), max_size=12)
)
def test_any_mixture_of_marks_and_blanks_settles_after_one_rewrite(lines: list[str]) -> None:
    first = parse("\n".join(lines))
    again = parse(render(first, first.texts))
    assert again.texts == first.texts
    assert render(again, again.texts) == render(first, first.texts)


@pytest.mark.parametrize(
    "text", ["", "  \n", "§", "a\n§", "§\nb", "a\n § \nb", "a\0b", "\ufeffa", "a\udc80"]
)
def test_text_that_would_not_read_back_as_one_entry_has_a_fault(text: str) -> None:
    assert fault_of(text)


@pytest.mark.parametrize("text", ["a § b", "§ bullet", "see §7", "§§", "a\n§ b\nc"])
def test_the_mark_inside_a_line_is_ordinary_text(text: str) -> None:
    assert fault_of(text) is None
    assert parse(f"x{SEPARATOR}{text}").texts == ("x", text)


@pytest.mark.parametrize("path", sorted(HOTFILES.glob("*.md")), ids=lambda path: path.stem)
def test_a_file_loses_no_visible_character_by_being_read_and_kept(path: Path) -> None:
    raw = with_unix_newlines(path.read_bytes().decode("utf-8-sig"))
    layout = parse(raw)
    kept = set(render(layout, layout.texts).split())
    assert {word for word in raw.split() if word != "§"} <= kept


def test_a_document_is_read_by_bullet_and_paragraph_with_code_and_tables_whole() -> None:
    texts = parse(HANDBOOK).texts
    assert texts[:3] == (
        "Opening hours differ on market days.",
        "Flour: call Brandt before noon\nand repeat the order number",
        "Sugar: standing order",
    )
    assert len(texts) == 4
    assert "# not a heading" in texts[3]
    assert "| yeast | 4 |" in texts[3]


def test_a_document_that_loses_an_entry_keeps_every_other_byte() -> None:
    layout = parse(HANDBOOK)
    rest = [text for text in layout.texts if not text.startswith("Sugar")]
    assert render(layout, rest) == HANDBOOK.replace("- Sugar: standing order\n\n", "").strip()


def test_a_heading_leaves_with_the_last_entry_under_it() -> None:
    document = "# All\n## One\n- alpha\n### Deeper\n- beta\n## Two\n- gamma\n## Empty\n"
    layout = parse(document)
    assert render(layout, ["beta", "gamma"]) == document.replace("- alpha\n", "").strip()
    assert render(layout, ["gamma"]) == "# All\n## Two\n- gamma\n## Empty"


def test_what_is_new_follows_a_document_behind_a_separator() -> None:
    layout = parse(HANDBOOK)
    written = render(layout, [*layout.texts, "Never sell day-old bread as fresh."])
    assert written == HANDBOOK.strip() + SEPARATOR + "Never sell day-old bread as fresh."
    assert host_entries(written)[-1] == "Never sell day-old bread as fresh."


def test_an_entry_known_by_its_key_is_never_taken_for_a_document() -> None:
    text = HANDBOOK.strip()
    assert parse(text, whole={entry_key(text)}).texts == (text,)


def test_a_short_note_with_a_list_stays_one_entry() -> None:
    note = "Test commands:\n- tox -q takes 3 min\n- integration needs PINE_DSN"
    assert parse(note).texts == (note,)
    assert not parse(note).free_form
