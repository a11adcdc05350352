"""The provider's own tools, its setup and its note in the prompt."""

import json
from pathlib import Path
from typing import Any

import pytest
from hermes_stage import (
    FACT,
    QUESTION,
    Stage,
    remember,
)

from memorycore.entrypoints.hermes import PLUGIN, HermesMemory

pytest_plugins = ["hermes_stage_fixtures"]


@pytest.mark.parametrize(
    ("name", "args", "words"),
    [
        ("memorycore_recall", {}, "query must be"),
        ("memorycore_recall", {"query": "x", "top_k": "many"}, "top_k must be"),
        ("memorycore_store_fact", {"content": "x y z", "importance": 7}, "importance"),
        ("memorycore_store_fact", {"content": "x y z", "target": "desk"}, "target"),
        ("memorycore_fly", {}, "no tool"),
    ],
)
def test_arguments_that_cannot_be_used_are_answered_in_words(
    stage: Stage, home: Path, name: str, args: dict[str, Any], words: str
) -> None:
    told = json.loads(stage.provider(home).handle_tool_call(name, args))
    assert not told["success"]
    assert words in told["error"]


def test_the_tools_store_find_and_forget(stage: Stage, home: Path) -> None:
    call = stage.provider(home).handle_tool_call
    assert json.loads(call("memorycore_store_fact", {"content": FACT}))["success"]
    found = json.loads(call("memorycore_recall", {"query": QUESTION, "top_k": "3"}))
    assert found["hits"][0]["content"] == FACT
    target = {"query": found["hits"][0]["id"]}
    preview = json.loads(call("memorycore_forget", target))
    assert [one["content"] for one in preview["would_move_to_trash"]] == [FACT]
    done = json.loads(call("memorycore_forget", {**target, "confirm": True}))
    assert len(done["moved_to_trash"]) == 1
    assert json.loads(call("memorycore_recall", {"query": QUESTION}))["hits"] == []


def test_setup_names_the_provider_and_enables_its_hooks(stage: Stage) -> None:
    saved: list[dict[str, Any]] = []
    provider = HermesMemory(homes=stage.homes, save_config=saved.append)
    provider.post_setup("/h", {"memory": None, "plugins": {"enabled": ["other"]}, "model": "x"})
    assert saved == [
        {"memory": {"provider": PLUGIN}, "plugins": {"enabled": ["other", PLUGIN]}, "model": "x"}
    ]


def test_the_prompt_block_is_static_and_names_the_topics(stage: Stage, home: Path) -> None:
    provider = stage.provider(home)
    block = provider.system_prompt_block()
    remember(stage.core(home), FACT)
    assert provider.system_prompt_block() == block
    assert "heron, garden" in block
