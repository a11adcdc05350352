"""Arguments of tool calls: what hosts and models really send."""

from datetime import UTC, datetime

import pytest

from memorycore.entrypoints.mcp_server.application import TOOLS
from memorycore.entrypoints.mcp_server.arguments import Kind, Parameter, read_arguments
from memorycore.errors import InvalidInputError

PROSE = Parameter("content", Kind.PROSE, "The fact.", required=True)
SCOPE = Parameter("scope", Kind.NAME, "Where.", default="global")
TOP = Parameter("top_k", Kind.INTEGER, "How many.", default=5, low=1, high=100)
SHARE = Parameter("importance", Kind.NUMBER, "How much.", default=0.5, low=0, high=1)
DRY = Parameter("dry_run", Kind.FLAG, "Only show.", default=True)
MODE = Parameter("mode", Kind.CHOICE, "How.", default="release", choices=("release", "purge"))
WHEN = Parameter("as_of", Kind.MOMENT, "When.")
ALL = (PROSE, SCOPE, TOP, SHARE, DRY, MODE, WHEN)


@pytest.mark.parametrize(
    "nothing", [None, "null", "None", "undefined", "[]", "{}", [], {}, ["null"]]
)
@pytest.mark.parametrize("parameter", [SCOPE, TOP, SHARE, DRY, MODE])
def test_whatever_means_nothing_takes_the_default(parameter: Parameter, nothing: object) -> None:
    read = read_arguments((parameter,), {parameter.name: nothing})
    assert read == {parameter.name: parameter.default}


@pytest.mark.parametrize("nothing", [None, "", "null", []])
def test_an_optional_value_without_default_is_left_out(nothing: object) -> None:
    assert read_arguments((WHEN,), {"as_of": nothing}) == {}


@pytest.mark.parametrize(
    ("parameter", "sent", "meant"),
    [
        (SCOPE, ["project:heron"], "project:heron"),
        (SCOPE, '["project:heron"]', "project:heron"),
        (SCOPE, '"project:heron"', "project:heron"),
        (TOP, "7", 7),
        (TOP, 7.0, 7),
        (TOP, ["7"], 7),
        (SHARE, "0.9", 0.9),
        (SHARE, 1, 1.0),
        (DRY, "false", False),
        (DRY, "False", False),
        (DRY, 0, False),
        (DRY, "[true]", True),
        (MODE, " PURGE ", "purge"),
        (WHEN, "2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
        (WHEN, "2026-05-01T12:00:00Z", datetime(2026, 5, 1, 12, tzinfo=UTC)),
        (PROSE, 5432, "5432"),
    ],
)
def test_a_value_that_can_be_understood_is(
    parameter: Parameter, sent: object, meant: object
) -> None:
    assert read_arguments((parameter,), {parameter.name: sent})[parameter.name] == meant


@pytest.mark.parametrize("text", ['["a", "b"]', "[x]", '"quoted"', " a § b ", "true", "0", "\x00"])
def test_free_text_is_passed_on_as_it_stands(text: str) -> None:
    assert read_arguments((PROSE,), {"content": text}) == {"content": text}


@pytest.mark.parametrize(
    ("parameter", "sent"),
    [
        (PROSE, {"text": "x"}),
        (PROSE, ["a", "b"]),
        (PROSE, True),
        (TOP, "many"),
        (TOP, 1.5),
        (TOP, True),
        (TOP, 0),
        (TOP, 101),
        (TOP, float("inf")),
        (TOP, 10**400),
        (SHARE, float("inf")),
        (SHARE, float("nan")),
        (SHARE, -0.1),
        (SHARE, "60%"),
        (DRY, "perhaps"),
        (DRY, ["a", "b"]),
        (MODE, "shred"),
        (WHEN, "yesterday"),
        (WHEN, 12),
        (SCOPE, {"a": 1}),
    ],
)
def test_a_value_that_cannot_be_understood_is_refused_by_name(
    parameter: Parameter, sent: object
) -> None:
    with pytest.raises(InvalidInputError, match=parameter.name):
        read_arguments((parameter,), {parameter.name: sent})


def test_a_missing_required_value_says_what_it_is() -> None:
    with pytest.raises(InvalidInputError, match=r"content.*required.*The fact"):
        read_arguments(ALL, {})


def test_an_unknown_key_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match=r"memoryid.*content, scope"):
        read_arguments(ALL, {"content": "x", "memoryid": "7"})


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_input_schema_has_one_simple_type_a_property(tool: object) -> None:
    listing = tool.listing()  # type: ignore[attr-defined]
    schema = listing["inputSchema"]
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for name, prop in schema["properties"].items():
        assert prop["type"] in {"string", "number", "integer", "boolean"}, name
        assert prop["description"]
        assert prop.get("default", "") is not None


def test_the_tools_together_cost_a_prompt_less_than_seven_thousand_characters() -> None:
    shown = [tool.listing() for tool in TOOLS]
    seen_by_models = [str((one["name"], one["description"], one["inputSchema"])) for one in shown]
    assert sum(map(len, seen_by_models)) < 7_000
