"""The real host in its own environment, with our plugin installed into a fresh home."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_model import Call, Script, ScriptedModel, text_of

from memorycore.entrypoints.hermes_install import Host, propose_hermes
from memorycore.testing import FakeClock

PYTHON = os.environ.get("MEMORYCORE_TEST_HERMES_PYTHON")  # noqa: TID251 - says where the host is
HERE = Path(__file__).parent

CONFIG = """\
model: {{provider: custom, default: scripted, base_url: "{url}", api_key: sk-none, context_length: 200000}}
memory:
  memory_enabled: true
  user_profile_enabled: true
  nudge_interval: {nudge}
skills: {{creation_nudge_interval: 0}}
"""


@dataclass(frozen=True, slots=True)
class HostHome:
    """A home of the host with our plugin in it."""

    path: Path
    model: ScriptedModel
    environment: dict[str, str]

    def text(self, name: str = "MEMORY.md") -> str:
        """Return a hot file."""
        path = self.path / "memories" / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def entries(self, name: str = "MEMORY.md") -> list[str]:
        """Return the entries of a hot file as the host reads them."""
        return [part.strip() for part in self.text(name).split("\n§\n") if part.strip()]

    def command(self, *words: str, timeout: float = 240) -> str:
        """Run the host's command line and return what it prints."""
        hermes = Path(str(PYTHON)).with_name("hermes")
        done = subprocess.run(
            [hermes, *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.stdout + done.stderr

    def core(self, *words: str) -> Any:
        """Run `memorycore` on this home inside the host's environment and return its JSON."""
        places = ["--memory-dir", self.path / "memories", "--data-dir", self.path / "memorycore"]
        done = subprocess.run(
            [str(PYTHON), "-m", "memorycore", *words, "--json", *map(str, places)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=True,
        )
        return json.loads(done.stdout)


class Conversation:
    """A person talking to the agent, and what the model was told to do."""

    def __init__(self, home: HostHome) -> None:
        self.home = home
        self.script: Script = home.model.script
        self._log = (home.path / "host.log").open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [str(PYTHON), str(HERE / "hermes_talk.py"), home.model.url],
            env=home.environment,
            cwd=home.path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def say(self, words: str, *calls: Call) -> dict[str, Any]:
        """Say something; the model makes `calls` and answers. Returns the results of its tools."""
        self.script.calls = list(calls)
        return self._order({"say": words})

    def memory(self, words: str = "Please note.", **arguments: Any) -> dict[str, Any]:
        """Let the model call the host's `memory` tool once and return the result."""
        answer = self.say(words, Call("memory", arguments))
        result: dict[str, Any] = json.loads(answer["tools"][-1])
        return result

    def new_session(self, name: str) -> None:
        """End the session and begin another in the same process."""
        self._order({"new": name})

    def approve(self) -> None:
        """Let the writes through that wait for approval, as `/memory approve all` does."""
        self._order({"approve": True})

    def prompt(self) -> str:
        """Return the user's message as the model got it last."""
        messages = self.script.requests[-1]["messages"]
        return text_of([item for item in messages if item["role"] == "user"][-1])

    def system(self) -> str:
        """Return the system prompt as the model got it last."""
        return text_of(self.script.requests[-1]["messages"][0])

    def close(self) -> None:
        """End the session and the process."""
        self._order({"end": True})
        self._wait()

    def kill(self) -> None:
        """End the process as a crash would; one that ended already is left alone."""
        if self._process.poll() is None:
            self._process.kill()
            self._wait()

    def _wait(self) -> None:
        with self._log, self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(timeout=60)

    def _order(self, order: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, (self.home.path / "host.log").read_text(encoding="utf-8")[-3000:]
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def home_in(folder: Path, *, nudge: int = 0) -> Iterator[HostHome]:
    """Make a home with the plugin installed as `memorycore init` does it, and a model for it to talk to.

    `nudge` is the number of turns between background reviews, 0 for none.
    """
    (folder / "memories").mkdir(parents=True)
    with ScriptedModel() as model:
        config = CONFIG.format(url=model.url, nudge=nudge)
        (folder / "config.yaml").write_text(config, encoding="utf-8")
        host = Host(PYTHON, has_memorycore=True)
        answer = propose_hermes(folder, host, uninstall=False).carry_out(FakeClock())
        assert answer.done, answer
        yield HostHome(folder, model, _environment(folder))


def _environment(home: Path) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "PYTHONPATH") if key in os.environ}  # noqa: TID251
    return {
        **kept,
        "HOME": str(home),
        "HERMES_HOME": str(home),
        "HERMES_YOLO_MODE": "1",
        "NO_PROXY": "127.0.0.1,localhost",
        "OMP_NUM_THREADS": "1",
    }
