"""Commands that install, check, serve and show."""

import sys
from typing import Any

import click

from memorycore.entrypoints import rendering_setup
from memorycore.entrypoints.cli.session import Session, command
from memorycore.entrypoints.logs import LEVELS
from memorycore.entrypoints.opening import load_settings
from memorycore.errors import MemoryCoreError
from memorycore.model.results import Check, DoctorReport, Health

UNHEALTHY = 1
"""Exit code of `doctor` when a check failed."""


@command("doctor", example="memorycore doctor")
def doctor_command(session: Session) -> int:
    """Check files, store, embedder and remote, and say what to do about whatever is wrong."""
    report = _examine(session)
    document = {"healthy": report.healthy, **report.to_dict()}
    session.show(document, lambda: rendering_setup.examined(report))
    return 0 if report.healthy else UNHEALTHY


def _examine(session: Session) -> DoctorReport:
    # The plugin's package is only worth its import to this one command.
    from memorycore.entrypoints.hermes import plugin_check  # noqa: PLC0415

    try:
        with session.core() as core:
            report = core.doctor()
        plugin = plugin_check(load_settings(**session.given.settings()).data_dir)
        return DoctorReport((*report.checks, plugin)) if plugin else report
    except MemoryCoreError as fault:
        advice = "Mend this first; the other checks need an open store."
        return DoctorReport((Check("open", Health.FAILED, str(fault), advice),))


@command("serve", example="memorycore serve --http --port 8765")
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of stdio.")
@click.option("--host", help="Address to bind; any but loopback needs http_token.")
@click.option("--port", type=int, help="Port to bind.")
@click.option("--no-jobs", is_flag=True, help="Do not run scheduled jobs in this process.")
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="warning",
    show_default=True,
    help="To stderr.",
)
def serve_command(session: Session, **given: Any) -> None:
    """Run the MCP server until the client goes away (stdio) or it is stopped (HTTP)."""
    # The servers pull in the MCP SDK, which the other commands must not wait for.
    from memorycore.entrypoints.serving import run_http, run_stdio  # noqa: PLC0415

    options: dict[str, Any] = {"log_level": given["log_level"], "jobs": not given["no_jobs"]}
    folders = session.given.settings()
    if given["http"]:
        run_http(**options, **folders, http_host=given["host"], http_port=given["port"])
    else:
        if sys.stdin.isatty():
            click.echo("Waiting for an MCP client on standard input; Ctrl-D ends.", err=True)
        run_stdio(**options, **folders)


@command("demo", example="memorycore demo")
def demo_command(session: Session) -> None:
    """Show the main job in seconds, on a throw-away copy of a realistic memory file."""
    # The demo draws as it goes; nothing else needs its parts.
    from memorycore.entrypoints.demo import run_demo  # noqa: PLC0415

    run_demo(session)
