"""Lines on the wire of the stdio server."""

import json

import pytest

from memorycore.entrypoints.mcp_server.wire import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    screen_line,
)

CALL = '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x","arguments":{"q":"%s"}}}'


@pytest.mark.parametrize("text", ["★🎉北京", "\\ud83c\\udf89", "caf\\u00e9", "a § b", "\\u0000"])
def test_a_line_of_valid_unicode_passes_unchanged(text: str) -> None:
    line = (CALL % text).encode()
    assert screen_line(line) == (line.decode(), None)


@pytest.mark.parametrize(
    "text", [b"\\udcaf", b"\\ud83c alone", b"\\udf89\\ud83c", b"caf\xe9", b"\xed\xb2\xaf"]
)
def test_a_call_with_text_that_is_no_unicode_gets_a_tool_error(text: bytes) -> None:
    passed, answer = screen_line((CALL.encode() % text).replace(b"%%", b"%"))
    assert passed is None
    assert answer is not None
    assert answer["id"] == 4
    assert answer["result"]["isError"] is True
    assert "UTF-8" in answer["result"]["content"][0]["text"]


def test_another_request_with_such_text_gets_a_protocol_error() -> None:
    _, answer = screen_line(b'{"jsonrpc":"2.0","id":"a","method":"prompts/get","x":"\\udcaf"}')
    assert answer is not None
    assert (answer["id"], answer["error"]["code"]) == ("a", INVALID_PARAMS)


def test_a_notification_with_such_text_is_dropped_in_silence() -> None:
    assert screen_line(b'{"jsonrpc":"2.0","method":"notifications/x","y":"\\udcaf"}') == (
        None,
        None,
    )


@pytest.mark.parametrize("line", [b"{broken", b"\xff\xfe\x00", b"[" * 100_000, b"hello"])
def test_a_line_that_is_no_json_gets_a_parse_error(line: bytes) -> None:
    _, answer = screen_line(line)
    assert answer is not None
    assert answer["error"]["code"] == PARSE_ERROR
    assert answer["id"] is None


@pytest.mark.parametrize(
    "line", [b"[]", b"17", b'"text"', b"null", b"{}", b'{"id":7,"jsonrpc":"2.0"}']
)
def test_json_that_is_no_message_gets_an_answer(line: bytes) -> None:
    _, answer = screen_line(line)
    assert answer is not None
    assert answer["error"]["code"] == INVALID_REQUEST
    assert json.dumps(answer)
