"""The texts overflow makes and compares: pointers, splits, the digest, coverage, old records."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.model.routing import Classification, EntryType, Route, Target
from memorycore.policy.edits import edited_from
from memorycore.policy.markers import build_lexicon
from memorycore.policy.overflow.anchor import ANCHOR_LIMIT, ANCHOR_TITLE, digest
from memorycore.policy.overflow.coverage import covers
from memorycore.policy.overflow.facts import Sentence, Warmth
from memorycore.policy.overflow.recheck import dates_in, old_completion
from memorycore.policy.overflow.scope import is_blank_field
from memorycore.policy.overflow.splitting import parts_of, split_entry
from memorycore.policy.overflow.stubs import STUB_LIMIT, is_stub, stub_text, stub_topic
from memorycore.policy.overflow.warmth import warmth_of

LINES = [
    "Deploy of heron-api: make ship, then flush the CDN cache",
    "测试服务器在 192.0.2.9，端口 8125，重启后要等三分钟",
    "Бот для склада живёт на внутреннем сервере, логи в /var/log/bot",
    "Máy in phòng họp: địa chỉ 192.0.2.31, mực đặt ở kho tầng hai",
    "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 family list",
    'He said "go" and `run`\nsecond line § of it',
    "【备份】每周日 02:00 打包到 /srv/backup",
    "::",
]


@pytest.mark.parametrize("text", LINES)
def test_a_pointer_is_short_is_one_line_and_is_known_as_one(text: str) -> None:
    stub = stub_text(text)

    assert len(stub) <= STUB_LIMIT
    assert "\n" not in stub
    assert is_stub(stub)
    assert stub_topic(stub)


@given(st.text(min_size=1, max_size=300))
def test_any_text_has_a_pointer_of_the_known_form(text: str) -> None:
    stub = stub_text(text)

    assert len(stub) <= STUB_LIMIT
    assert is_stub(stub)


def test_a_pointer_names_the_topic_by_its_label() -> None:
    assert stub_topic(stub_text("Grafana folder for queues: q-depth, q-age, dlq")) is not None
    assert "Grafana" in stub_text("Grafana folder for queues: q-depth, q-age, dlq")


def test_ordinary_text_is_no_pointer() -> None:
    assert not is_stub('Use ↪ recall "x" to find it')
    assert not is_stub("recall the trip to the coast")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Short and long; both go. Then more.", 2),
        ("先给结论；再给理由。然后列出数据。", 2),
        ("One line\nanother line", 2),
        ("v1.2.3 is fine. Use it.", 2),
        ("Call the plumber (tel. 555-0142, ask for Jan. Not for Piet.) first. Then wait.", 2),
        ("Rent is due on the 3. of each month, ca. 900 in all. Paid by order.", 2),
        ("备注（先看库存。再下单。）之后发货。完成后登记。", 2),
    ],
)
def test_clauses_brackets_and_abbreviations_stay_with_their_sentence(text: str, count: int) -> None:
    parts = parts_of(text)

    assert len(parts) == count
    assert all(part in text for part in parts)


@given(
    st.lists(st.sampled_from(["Alpha one.", "Beta two;", "Gamma!", "三号。", "Delta"]), max_size=6)
)
def test_a_split_loses_no_sentence(pieces: list[str]) -> None:
    text = " ".join(pieces)
    parts = [Sentence(part, core=bool(index % 2)) for index, part in enumerate(parts_of(text))]

    halves = split_entry(text, parts)

    if halves is not None:
        kept, sunk = halves
        everything = " ".join([kept, *sunk])
        assert all(part.text in everything for part in parts)
        assert all(part.text in kept for part in parts if part.core)


def test_what_sinks_of_a_labelled_entry_keeps_the_label() -> None:
    text = "Garden: waters at six. The pump came from a flea market in May."
    first, second = parts_of(text)

    halves = split_entry(text, [Sentence(first, core=True), Sentence(second, core=False)])

    assert halves == (
        "Garden: waters at six.",
        ("Garden: The pump came from a flea market in May.",),
    )


def test_the_digest_keeps_whole_sentences_newest_first_within_its_limit() -> None:
    first = digest("", ["Likes tea. Likes rain."])
    later = digest(first, [f"Taste number {n} is written out here." for n in range(30)])

    assert first.split("\n") == [ANCHOR_TITLE, "Likes tea.", "Likes rain."]
    assert len(later) <= ANCHOR_LIMIT
    assert later.split("\n")[1] == "Taste number 0 is written out here."
    assert all(line.endswith(".") for line in later.split("\n")[1:])


def test_the_digest_says_nothing_twice() -> None:
    once = digest("", ["Likes tea."])

    assert digest(once, ["likes TEA."]).count("ea.") == 1 or digest(once, ["Likes tea."]) == once


@pytest.mark.parametrize(
    ("stored", "text", "said"),
    [
        ("Port is 8125 on heron", "heron uses port 8125", True),
        ("Port is 8126 on heron", "heron uses port 8125", False),
        ("Logs are in /var/log", "Logs: /var/log/bot", False),
        ("端口是８１２５", "端口是8125", True),
        ("mail ops@heron.example", "ops@crane.example gets the mail", False),
    ],
)
def test_a_text_is_covered_only_with_every_number_and_name(
    stored: str, text: str, *, said: bool
) -> None:
    assert covers(stored, text) is said


LEXICON = build_lexicon(
    {"completed": ["merged", "deployed", "完成", "上线"], "pending": ["waiting", "待"]}, {}
)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("2026-03-01: merged and deployed", True),
        ("2026年3月1日 完成并上线", True),
        ("2026-05-20: merged and deployed", False),
        ("2026-03-01: merged", False),
        ("merged and deployed", False),
        ("2026-03-01: merged and deployed, waiting for review", False),
        ("2026-03-01: merged, deployed again 2026-05-30", False),
        ("2026-02-31: merged and deployed", False),
    ],
)
def test_an_old_finished_record_needs_an_old_date_two_markers_and_nothing_pending(
    text: str, *, old: bool
) -> None:
    said = old_completion(text, LEXICON, now=NOW, age=timedelta(days=60))

    assert (said is not None) is old


def test_dates_are_read_in_the_forms_people_write() -> None:
    text = "2026-03-01, 14/08/2025, 2024年2月29日, 1.2.3, 2026/13/40"

    assert [day.isoformat() for day in dates_in(text)] == ["2024-02-29", "2025-08-14", "2026-03-01"]


def test_an_edit_is_told_from_a_new_text() -> None:
    gone = {"a": "The staging box listens on port 8125", "b": "Likes short answers with a verdict"}

    assert edited_from("The staging box listens on port 8126", gone) == "a"
    assert edited_from("Grocery runs happen on Thursdays", gone) is None
    assert edited_from("anything", {}) is None


WORDS = load_lexicon()


@pytest.mark.parametrize(
    ("text", "target", "confidence", "warmth"),
    [
        ("Answers in German, verdict first.", Target.USER, 0.99, Warmth.NEEDED),
        ("**Role:** carpenter with two apprentices", Target.USER, 0.4, Warmth.NEEDED),
        ("Name: Ilse. Time zone Europe/Vienna.", Target.USER, 0.9, Warmth.NEEDED),
        ("Sketches: charcoal on grey paper, no outlines.", Target.USER, 0.97, Warmth.TOPICAL),
        ("For invoices the tax stands on its own line.", Target.USER, 0.97, Warmth.TOPICAL),
        ("封面设计：留白多，字体要细。", Target.USER, 0.97, Warmth.TOPICAL),
        ("Смета: работа и материалы отдельно.", Target.USER, 0.97, Warmth.TOPICAL),
        (
            "Restart with `svc reload`, then wait for /run/ready.",
            Target.MEMORY,
            0.95,
            Warmth.LOOKED_UP,
        ),
        ("Restart with `svc reload`, then wait for /run/ready.", Target.USER, 0.95, Warmth.NEEDED),
        ("The blue folder goes to the left shelf.", Target.MEMORY, 0.5, Warmth.LOOKED_UP),
        ("The user prefers the blue folder.", Target.MEMORY, 0.5, Warmth.NEEDED),
    ],
)
def test_a_hot_text_is_needed_every_turn_unless_it_names_its_topic_or_tool(
    text: str, target: Target, confidence: float, warmth: Warmth
) -> None:
    found = Classification(
        Route.HOT,
        EntryType.RULE,
        protected=False,
        behavioural=True,
        confidence=confidence,
        reasons=(),
    )
    assert warmth_of(text, found, WORDS, target=target) is warmth


@pytest.mark.parametrize(("needed", "warmth"), [(0.2, Warmth.LOOKED_UP), (0.9, Warmth.NEEDED)])
def test_what_the_trained_head_knows_of_need_outweighs_words(needed: float, warmth: Warmth) -> None:
    found = Classification(Route.HOT, EntryType.RULE, False, True, 0.97, (), needed, 0.0)
    assert warmth_of("Sketches: charcoal on grey.", found, WORDS, target=Target.USER) is warmth


@pytest.mark.parametrize(
    "text",
    ["**Pets:** _(if any)_", "Context: ---", "**Note:** (optional)", "Context: _(Who are they?)_"],
)
def test_a_field_that_nobody_filled_in_is_blank(text: str) -> None:
    assert is_blank_field(text)


@pytest.mark.parametrize("text", ["**Pets:** two cats", "Context: (optional) tea at noon", "Tea"])
def test_a_field_with_a_value_is_not_blank(text: str) -> None:
    assert not is_blank_field(text)
