"""NumPy is told how many threads it may use before it is loaded, and only in processes of our own."""

import os
import subprocess
import sys

import pytest

from memorycore.entrypoints.numpy_threads import VARIABLES

TELL = "import os; print(*(os.environ.get(name, '-') for name in {names!r}))"


def told(code: str, **environment: str) -> list[str]:
    known = {key: value for key, value in os.environ.items() if key not in VARIABLES}  # noqa: TID251
    command = [sys.executable, "-c", f"{code}; {TELL.format(names=VARIABLES)}"]
    ended = subprocess.run(
        command, env=known | environment, capture_output=True, text=True, check=True
    )
    return ended.stdout.split()[-len(VARIABLES) :]


RUN = (
    "from memorycore.entrypoints.cli.running import main; import sys; "
    "assert 'numpy' not in sys.modules; main(['--version'])"
)


def test_a_process_of_our_own_computes_in_one_thread() -> None:
    assert told(RUN) == ["1"] * len(VARIABLES)


def test_what_the_user_has_set_stays() -> None:
    assert told(RUN, OPENBLAS_NUM_THREADS="4") == ["4", "1", "1"]


@pytest.mark.parametrize("module", ["memorycore", "memorycore.entrypoints.hermes"])
def test_inside_another_program_nothing_is_set(module: str) -> None:
    assert told(f"import {module}") == ["-"] * len(VARIABLES)
