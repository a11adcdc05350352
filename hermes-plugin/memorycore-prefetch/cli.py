"""`hermes memorycore-prefetch ...`: a few commands of `memorycore` on the home that is active."""

import argparse
import subprocess
import sys
from pathlib import Path

_COMMANDS = {
    "usage": "how full both tiers are",
    "audit": "every hot entry with its type, age, plan and reason",
    "overflow": "move entries out of the hot files now",
    "trash": "what was removed and can come back",
    "doctor": "check files, store and embedder",
}


def _home() -> Path:
    from hermes_constants import get_hermes_home

    return Path(get_hermes_home())


def _status(_: argparse.Namespace) -> None:
    from memorycore.entrypoints.hermes import status_of

    for name, value in status_of(_home()).items():
        print(f"{name}: {value}")


def _run(args: argparse.Namespace) -> None:
    home = _home()
    places = ["--memory-dir", str(home / "memories"), "--data-dir", str(home / "memorycore")]
    command = [sys.executable, "-m", "memorycore", args.memorycore_command, *args.rest, *places]
    raise SystemExit(subprocess.run(command, check=False).returncode)


def register_cli(subparser: argparse.ArgumentParser) -> None:
    """Add the subcommands; the host's rule for handler names has no place for a hyphen, so each sets its own."""
    commands = subparser.add_subparsers(dest="memorycore_command", required=True)
    commands.add_parser("status", help="health of the plugin").set_defaults(func=_status)
    recall = commands.add_parser("recall", help="search both tiers")
    recall.add_argument("rest", nargs="+", metavar="QUERY")
    recall.set_defaults(func=_run)
    for name, text in _COMMANDS.items():
        parser = commands.add_parser(name, help=text)
        parser.add_argument("rest", nargs="*", metavar="OPTION")
        parser.set_defaults(func=_run)
