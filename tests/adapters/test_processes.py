"""A process can be told from one that is gone, also when its number was given away again."""

import subprocess
import sys

from memorycore.adapters.processes import is_alive, own_token


def test_this_process_is_alive_and_its_namesake_of_another_time_is_not() -> None:
    token = own_token()
    assert is_alive(token)
    assert not is_alive(token.rpartition(":")[0] + ":1.00")


def test_a_process_that_ended_is_gone() -> None:
    command = "from memorycore.adapters.processes import own_token; print(own_token())"
    ended = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    )
    assert not is_alive(ended.stdout.strip())


def test_a_process_of_another_host_counts_as_alive_until_its_lease_ends() -> None:
    assert is_alive("elsewhere:1:1.00")


def test_a_name_of_another_form_counts_as_gone() -> None:
    assert not is_alive("")
    assert not is_alive("somebody")
