"""Commands for a cold store elsewhere: serving one, and checking one against the contract."""

from pathlib import Path
from typing import Any

import click

from memorycore.entrypoints.cli.session import Session, command
from memorycore.entrypoints.logs import LEVELS

BROKEN_CONTRACT = 5
"""Exit code of `contract check` when a check failed: that of the cold tier's faults."""


@command("cold-server", example="memorycore cold-server --port 8766 --token anna=$ANNAS_TOKEN")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind.")
@click.option("--port", type=int, default=8766, show_default=True, help="Port; 0: any free one.")
@click.option(
    "--token",
    "tokens",
    multiple=True,
    metavar="AUTHOR=TOKEN",
    help="An author and the bearer token that opens their memories; may be repeated.",
)
@click.option(
    "--tokens",
    "token_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="TOML file with a table [authors]; keeps tokens off the command line.",
)
@click.option("--shared", is_flag=True, help="Let every author see every memory.")
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A host name a proxy sends.",
)
@click.option(
    "--body-limit",
    type=click.IntRange(1_000, 4_000_000),
    default=4_000_000,
    show_default=True,
    help="Bytes of a request.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0.1),
    default=100.0,
    show_default=True,
    help="Requests a second and author.",
)
@click.option("--no-jobs", is_flag=True, help="Do not run maintenance in this process.")
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="warning",
    show_default=True,
    help="To stderr.",
)
def cold_server_command(session: Session, *, no_jobs: bool, **given: Any) -> None:
    """Serve this machine's cold store to others under the cold-store contract."""
    # The server pulls in the MCP SDK, which the other commands must not wait for.
    from memorycore.entrypoints.cold_server.command import (  # noqa: PLC0415
        ServerOptions,
        run_cold_server,
    )

    run_cold_server(ServerOptions(jobs=not no_jobs, **given), **session.given.settings())


@command("contract", example="memorycore contract check http://127.0.0.1:8766/mcp --token $TOKEN")
@click.argument("action", type=click.Choice(["check"]))
@click.argument("url")
@click.option("--token", metavar="TOKEN", help="Bearer token to use.")
@click.option(
    "--other-token", metavar="TOKEN", help="A second author's: checks that authors are kept apart."
)
@click.option("--only", multiple=True, metavar="CHECK", help="Make this check; may be repeated.")
def contract_command(session: Session, *, url: str, only: tuple[str, ...], **given: Any) -> int:
    """Try every demand of the cold-store contract on the service at URL and say which it keeps.

    The checks store texts about invented places and forget them at the end; other memories are left alone.
    """
    # The client pulls in the MCP SDK, which the other commands must not wait for.
    from memorycore.bootstrap.contract import check_contract  # noqa: PLC0415
    from memorycore.entrypoints.rendering_contract import (  # noqa: PLC0415
        contract_document,
        contract_table,
    )

    with session.progress("contract") as progress:

        def told(done: int, total: int, verdict: Any) -> None:
            if progress is not None:
                progress(verdict.name, done, total)

        report = check_contract(
            url,
            token=given["token"],
            other_token=given["other_token"],
            only=only or None,
            told=told,
        )
    session.show(contract_document(url, report), lambda: contract_table(url, report))
    return 0 if report.conforming else BROKEN_CONTRACT
