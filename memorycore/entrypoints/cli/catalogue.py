"""Which commands there are, and the module of each: a module is imported when its command runs.

A new command is one line here and a function of the same name (dashes as underscores) in its module.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command lives and what `memorycore --help` says of it."""

    module: str
    summary: str


_HERE = "memorycore.entrypoints.cli"

COMMANDS: Mapping[str, Entry] = {
    "store": Entry(f"{_HERE}.remembering", "Store a fact; it is routed for you."),
    "recall": Entry(f"{_HERE}.remembering", "Find what was stored."),
    "classify": Entry(f"{_HERE}.remembering", "Say where a text would go and why; writes nothing."),
    "usage": Entry(f"{_HERE}.governing", "Show how full each tier is."),
    "audit": Entry(f"{_HERE}.governing", "Explain every entry of the hot files."),
    "overflow": Entry(f"{_HERE}.governing", "Make room in the hot files."),
    "maintain": Entry(f"{_HERE}.governing", "Clean the cold store."),
    "supersede": Entry(f"{_HERE}.forgetting", "Replace a memory that is no longer true."),
    "forget": Entry(f"{_HERE}.forgetting", "Forget memories: to the trash, or for good."),
    "trash": Entry(f"{_HERE}.forgetting", "List what can still be brought back."),
    "revive": Entry(f"{_HERE}.forgetting", "Bring a memory back from the trash."),
    "history": Entry(f"{_HERE}.forgetting", "Tell who changed a memory, when and why."),
    "export": Entry(f"{_HERE}.moving", "Write everything to a file of JSON lines."),
    "import": Entry(f"{_HERE}.moving", "Read memories from a file of JSON lines."),
    "reembed": Entry(f"{_HERE}.moving", "Make all vectors anew after a change of model."),
    "migrate": Entry(f"{_HERE}.migrating", "Move the cold store to another database or service."),
    "doctor": Entry(f"{_HERE}.operating", "Check the installation and say what to mend."),
    "init": Entry(f"{_HERE}.installing", "Add MemoryCore to the MCP clients of this machine."),
    "serve": Entry(f"{_HERE}.operating", "Run the MCP server (stdio, or HTTP with --http)."),
    "contract": Entry(f"{_HERE}.sharing", "Check a cold store service against the contract."),
    "cold-server": Entry(f"{_HERE}.sharing", "Serve this cold store to other machines."),
    "demo": Entry(f"{_HERE}.operating", "Show the main job on a throw-away copy."),
}
