"""Joins the application to whichever major version of the `mcp` package is installed."""

from typing import Any

from mcp.server.lowlevel import Server

from memorycore.entrypoints.mcp_server.application import Application


def build_server(application: Application, *, version: str) -> Any:
    """Return a low-level `mcp` server that offers `application`.

    The two majors register handlers differently: the first through a table of request types, the second
    through the constructor.
    """
    if hasattr(Server, "request_context"):
        # Each binding names types that only its own major has.
        from memorycore.entrypoints.mcp_server.sdk_first import bind  # noqa: PLC0415
    else:
        from memorycore.entrypoints.mcp_server.sdk_second import bind  # noqa: PLC0415
    return bind(application, version=version)
