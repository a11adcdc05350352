"""What is loaded when: the help and the handshake must not wait for stores and models."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NATIVE = ("numpy", "apsw", "onnxruntime", "sentencepiece", "sqlite_vec")


def loaded(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has after `code`."""
    script = f"import contextlib, io, sys\nwith contextlib.redirect_stdout(io.StringIO()):\n    {code}\nprint(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, timeout=180
    )
    return {name.partition(".")[0] for name in told.stdout.decode().split()}


@pytest.mark.parametrize(
    "code",
    [
        "import memorycore",
        "from memorycore.entrypoints.cli import main; main(['--help'])",
    ],
)
def test_importing_and_helping_load_nothing_heavy(code: str) -> None:
    heavy = {*NATIVE, "pydantic", "mcp", "rich", "openai", "apscheduler", "anyio"}
    assert not loaded(code) & heavy


def test_the_handshake_loads_neither_settings_nor_stores_nor_models() -> None:
    code = "import memorycore.entrypoints.mcp_server.stdio, memorycore.entrypoints.mcp_server.sdk"
    assert not loaded(code) & {*NATIVE, "openai", "apscheduler", "rich"}
    parts = "import memorycore.entrypoints.serving, memorycore.entrypoints.mcp_server.application"
    assert not loaded(parts) & {*NATIVE, "pydantic", "mcp"}


@pytest.mark.parametrize(
    "name", ["pydantic_settings", "memorycore.bootstrap", "memorycore.service.core"]
)
def test_a_command_that_needs_no_store_opens_none(name: str) -> None:
    script = (
        "import sys\nfrom memorycore.entrypoints.cli import main\n"
        f"main(['init', '--dry-run', '--client', 'cursor'])\nassert {name!r} not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
