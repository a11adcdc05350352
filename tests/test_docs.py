"""The README is true: its settings, commands, tools and snippets are those of the package."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

import memorycore
from memorycore.entrypoints.cli.catalogue import COMMANDS
from memorycore.entrypoints.cli.running import program
from memorycore.entrypoints.mcp_server.application import TOOLS
from memorycore.entrypoints.mcp_server.reading import PROMPT_NAME, RESOURCES
from memorycore.errors import MemoryCoreError
from memorycore.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def settings_table() -> str:
    """Return the configuration table as the README must have it."""
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = (
            "" if field.default is None else _default(field.get_default(call_default_factory=False))
        )
        group = field.annotation
        if isinstance(group, type) and issubclass(group, BaseModel):
            parts = {key: part.default for key, part in group.model_fields.items()}
            default = ", ".join(f"`{key}` {_default(value)}" for key, value in parts.items())
        rows.append(f"| `{name}` | {default} | {field.description} |")
    return "\n".join(rows)


def _default(value: Any) -> str:
    if value is PydanticUndefined:
        return "found"
    if isinstance(value, bool):
        return "on" if value else "off"
    if value in ((), None):
        return ""
    return f"`{getattr(value, 'value', value)}`"


def test_the_configuration_table_is_that_of_the_settings() -> None:
    shown = re.search(r"<!-- settings.*?-->\n(.*)\n<!-- end of settings -->", README, re.DOTALL)
    assert shown is not None
    assert shown[1] == settings_table()


def test_every_setting_says_what_it_is_for() -> None:
    assert all(field.description for field in Settings.model_fields.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme_with_the_example_of_its_help(name: str) -> None:
    command = program.get_command(click.Context(program), name)
    assert command is not None
    assert command.help
    assert command.epilog is not None
    example = command.epilog.splitlines()[-1].strip()
    assert f"| `{name}` | `{example}` |" in README


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_every_command_can_be_parsed(name: str) -> None:
    command = program.get_command(click.Context(program), name)
    assert command is not None
    words = shlex.split((command.epilog or "").splitlines()[-1])
    assert words[:2] == ["memorycore", name]
    command.make_context(name, words[2:], obj=None, resilient_parsing=name == "import")


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_every_tool_is_in_the_readme(tool: str) -> None:
    assert f"| `{tool}` |" in README


def test_resources_and_prompt_are_in_the_readme() -> None:
    assert all(f"`{resource.uri}`" in README for resource in RESOURCES)
    assert f"`{PROMPT_NAME}`" in README


def test_the_exit_codes_in_the_readme_are_those_of_the_errors() -> None:
    line = next(line for line in README.splitlines() if line.startswith("Exit codes:"))
    codes = {int(number) for number in re.findall(r"\d+", line)}
    kinds: list[type[MemoryCoreError]] = [MemoryCoreError, *MemoryCoreError.__subclasses__()]
    assert codes == {0} | {kind.exit_code for kind in kinds}


@pytest.mark.parametrize(("language", "text"), BLOCKS)
def test_every_block_of_the_readme_is_whole(language: str, text: str) -> None:
    match language:
        case "json":
            json.loads(text)
        case "toml":
            tomllib.loads(text)
        case "python":
            compile(text, "README.md", "exec")
        case "sh":
            assert shlex.split(text)
        case _:
            pytest.fail(f"unknown language {language}")


def test_the_python_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORYCORE_MEMORY_DIR", str(tmp_path / "memory"))
    monkeypatch.setenv("MEMORYCORE_DATA_DIR", str(tmp_path / "data"))
    snippet = next(text for language, text in BLOCKS if language == "python")
    exec(compile(snippet, "README.md", "exec"), {})
    assert "Deploys go through the staging cluster first." in capsys.readouterr().out


def test_the_test_command_of_the_readme_is_what_ci_runs() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = next(text for _, text in BLOCKS if "pytest" in text).rpartition("&& ")[2]
    assert command.split("/bin/")[1].strip() in run.replace('"', "")


def test_no_more_and_no_less_is_public() -> None:
    assert set(memorycore.__all__) == PUBLIC
    assert all(hasattr(memorycore, name) for name in memorycore.__all__)


PUBLIC = {"MemoryCore", "MemoryCoreError", "Settings", "open_core"}
