"""Long-running servers: the core is opened lazily and the jobs run beside it."""

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from memorycore.entrypoints.logs import log_to_stderr
from memorycore.entrypoints.opening import LazyCore, load_settings, open_now


def run_stdio(*, log_level: str = "warning", jobs: bool = True, **given: Any) -> NoReturn:
    """Serve MCP on standard input and output until the client goes away."""
    log_to_stderr(log_level)
    # anyio and the tools are needed by this command only.
    from memorycore.entrypoints.mcp_server.stdio import serve_stdio  # noqa: PLC0415

    core = LazyCore(partial(open_now, **given))
    serve_stdio(core, partial(start_jobs, core, jobs=jobs, **given))


def start_jobs(core: LazyCore, *, jobs: bool, **given: Any) -> Callable[[], None]:
    """Start the scheduler unless it is switched off; return what stops it."""
    settings = load_settings(**given)
    if not (jobs and settings.schedule.enabled):
        return _nothing
    core.get()
    return _nothing


def _nothing() -> None:
    return
