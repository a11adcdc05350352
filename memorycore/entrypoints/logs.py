"""Logging of the long-running commands: standard error, one line an event."""

import logging
import sys

LEVELS = ("debug", "info", "warning", "error")
"""Names of the levels that can be asked for."""


def log_nothing() -> None:
    """Keep log lines off the terminal: a command says in its answer what went wrong."""
    logging.getLogger("memorycore").addHandler(logging.NullHandler())


def log_to_stderr(level: str) -> None:
    """Send log lines of `level` and above to standard error as UTF-8."""
    if hasattr(sys.stderr, "reconfigure"):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    logging.basicConfig(
        stream=sys.stderr,
        level=level.upper(),
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
        force=True,
    )
