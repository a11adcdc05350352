"""Installs the plugin and the MCP server into a Hermes home, or takes them out again.

The plugin's folder is copied, `config.yaml` is edited as text with a diff and a backup, and nothing is written
that could not be read back as what was wanted.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from memorycore.adapters.hot_markdown.files import write_whole
from memorycore.entrypoints.client_installers.changes import FileChange, read_config
from memorycore.entrypoints.client_installers.clients import ServerCommand
from memorycore.entrypoints.client_installers.installing import Answer, Step
from memorycore.entrypoints.hermes.governor import DATA, MEMORIES
from memorycore.entrypoints.hermes.host_config import PLUGIN, SERVER
from memorycore.entrypoints.hermes.yaml_edit import (
    parse,
    with_item,
    with_value,
    without_item,
    without_value,
)
from memorycore.errors import ConfigurationError
from memorycore.ports import Clock

CLIENT = "hermes"
"""Name by which `memorycore init --client` knows it."""

_FILES = ("__init__.py", "cli.py", "plugin.yaml", "README.md")
_PROBE = """
import importlib.util as u, json
found = {name: u.find_spec(name) is not None for name in ("memorycore", "mcp")}
try:
    from hermes_constants import get_hermes_home
    found["home"] = str(get_hermes_home())
except Exception:
    found["home"] = None
print(json.dumps(found))
"""
"""Asked of the host's own interpreter; its environment, `HERMES_HOME` among it, is the user's."""


@dataclass(frozen=True, slots=True)
class Host:
    """The environment the host runs in; `python` None means that it was not found, `home` is where it says it lives."""

    python: str | None
    has_memorycore: bool = False
    has_mcp: bool = False
    home: Path | None = None


@dataclass(frozen=True, slots=True)
class HermesProposal:
    """What should be done to one home; it can be shown and carried out."""

    home: Path
    step: Step
    config: FileChange | None = None
    files: Mapping[Path, str] | None = None
    removals: tuple[Path, ...] = ()
    reason: str = ""

    @property
    def change(self) -> bool:
        """Tell whether anything would be written."""
        return bool(self.config or self.files or self.removals)

    def answer(self, *, done: bool = False, backup: Path | None = None) -> Answer:
        """Return what is told about this proposal."""
        lines = [self.config.diff()] if self.config else []
        lines += [f"write {path}" for path in self.files or ()]
        lines += [f"remove {path}" for path in self.removals]
        return Answer(
            client=CLIENT,
            path=str(self.home / "config.yaml"),
            step=self.step,
            diff="\n".join(lines),
            done=done,
            backup=str(backup) if backup else None,
            reason=self.reason,
        )

    def carry_out(self, clock: Clock) -> Answer:
        """Write the plugin's files first, then the configuration that names them; removals go the other way."""
        if not self.change:
            return self.answer()
        try:
            self._write_files()
            backup = self.config.apply(clock) if self.config else None
            self._remove()
        except ConfigurationError as fault:
            return HermesProposal(self.home, Step.REFUSED, reason=str(fault)).answer()
        except OSError as fault:
            why = f"{fault.filename or self.home}: {fault.strerror}"
            return HermesProposal(self.home, Step.REFUSED, reason=why).answer()
        return self.answer(done=True, backup=backup)

    def _write_files(self) -> None:
        for path, text in (self.files or {}).items():
            if path.parent.is_symlink():
                path.parent.unlink()
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())

    def _remove(self) -> None:
        for path in self.removals:
            if path.is_symlink():
                path.unlink()
            elif path.is_dir():
                shutil.rmtree(path)


def hermes_home(
    user_home: Path, *, memory_dir: Path | None = None, told: Path | None = None
) -> Path:
    """Return the home to install into.

    That is the one of `memory_dir`, else the one the host was `told` by its environment, else the active profile,
    else `~/.hermes`.
    """
    if memory_dir is not None and memory_dir.name == MEMORIES:
        return memory_dir.parent
    root = user_home / ".hermes"
    if told is not None and told != root:
        return told
    try:
        name = (root / "active_profile").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return root
    profile = root / "profiles" / name
    return profile if name and name != "default" and profile.is_dir() else root


def find_host() -> Host:
    """Find the environment of the `hermes` command, else look whether this one is it."""
    here = find_spec("hermes_cli") is not None
    python = sys.executable if here else _interpreter_of(shutil.which("hermes"))
    if python is None:
        return Host(None)
    try:
        answer = subprocess.run(
            [python, "-c", _PROBE], capture_output=True, check=True, timeout=20, text=True
        )
        found = json.loads(answer.stdout.splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return Host(python)
    home = Path(found["home"]) if found["home"] else None
    return Host(python, found["memorycore"], found["mcp"], home)


def propose_hermes(home: Path, host: Host, *, uninstall: bool) -> HermesProposal:
    """Return what installing into `home`, or with `uninstall` taking out, would change; writes nothing."""
    try:
        return _uninstall(home) if uninstall else _install(home, host)
    except ConfigurationError as fault:
        reason = f"{home / 'config.yaml'}: {fault}"
        return HermesProposal(home, Step.REFUSED, reason=reason)


def plugin_source() -> Path:
    """Return the folder the plugin is copied from: inside the package, or beside it in a checkout.

    Raises:
        ConfigurationError: It is in neither place.
    """
    package = Path(__file__).parent / "hermes" / "plugin"
    checkout = Path(__file__).parents[2] / "hermes-plugin" / PLUGIN
    for folder in (package, checkout):
        if (folder / "__init__.py").is_file():
            return folder
    message = "the plugin's files are missing from this installation; install memorycore again"
    raise ConfigurationError(message)


def _install(home: Path, host: Host) -> HermesProposal:
    if not home.is_dir():
        return HermesProposal(home, Step.NOTHING, reason=f"there is no Hermes home at {home}")
    before = read_config(home / "config.yaml")
    text = with_value(before or "", ("memory", "provider"), PLUGIN)
    text = with_item(text, ("plugins", "enabled"), PLUGIN)
    if host.has_mcp and host.python:
        text = with_value(text, ("mcp_servers", SERVER), _server(home, host.python))
    change = FileChange(home / "config.yaml", before, text)
    files = _outdated(home / "plugins" / PLUGIN)
    if not files and not change.is_needed:
        return HermesProposal(home, Step.NOTHING, reason=_advice(host) or "it is installed already")
    is_new = PLUGIN not in (before or "")
    return HermesProposal(
        home,
        Step.ADD if is_new else Step.CHANGE,
        change if change.is_needed else None,
        files,
        reason=_advice(host),
    )


def _uninstall(home: Path) -> HermesProposal:
    before = read_config(home / "config.yaml")
    text = before or ""
    memory = parse(text).get("memory")
    if isinstance(memory, dict) and memory.get("provider") == PLUGIN:
        text = with_value(text, ("memory", "provider"), "")
    text = without_item(text, ("plugins", "enabled"), PLUGIN)
    text = without_value(text, ("mcp_servers", SERVER))
    change = FileChange(home / "config.yaml", before, text)
    folder = home / "plugins" / PLUGIN
    removals = (folder,) if folder.exists() or folder.is_symlink() else ()
    if not removals and not change.is_needed:
        return HermesProposal(home, Step.NOTHING, reason="it is not installed there")
    kept = "the memories stay where they are, in memories/ and memorycore/"
    config = change if change.is_needed else None
    return HermesProposal(home, Step.REMOVE, config, removals=removals, reason=kept)


def _server(home: Path, python: str) -> dict[str, object]:
    places = (
        ("MEMORYCORE_MEMORY_DIR", str(home / MEMORIES)),
        ("MEMORYCORE_DATA_DIR", str(home / DATA)),
    )
    return {**ServerCommand(places).entry(says_type=False), "command": python}


def _outdated(folder: Path) -> dict[Path, str]:
    source = plugin_source()
    wanted = {folder / name: (source / name).read_text(encoding="utf-8") for name in _FILES}
    return {path: text for path, text in wanted.items() if _text_of(path) != text}


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _advice(host: Host) -> str:
    if host.python is None:
        return "hermes was not found; install memorycore into the environment Hermes runs in"
    if not host.has_memorycore:
        return f"one step is left: {host.python} -m pip install memorycore"
    return ""


def _interpreter_of(script: str | None) -> str | None:
    """Return the interpreter that a console script's first line names."""
    if script is None:
        return None
    try:
        with Path(script).open("rb") as handle:
            first = handle.readline(4096).decode("utf-8", "replace").strip()
    except OSError:
        return None
    words = first.removeprefix("#!").strip().split()
    named = first.startswith("#!") and bool(words) and Path(words[0]).name != "env"
    return words[0] if named and Path(words[0]).is_file() else None
