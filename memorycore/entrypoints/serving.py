"""Long-running servers: the core is opened lazily and the jobs run beside it."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from memorycore.entrypoints.logs import log_to_stderr
from memorycore.entrypoints.numpy_threads import keep_to_one_thread
from memorycore.entrypoints.opening import LazyCore, load_settings, open_now

if TYPE_CHECKING:
    from memorycore.entrypoints.scheduler import SchedulerHandle

STOP_WITHIN = 1.0
"""Seconds that jobs under way get when a server ends."""


def run_stdio(*, log_level: str = "warning", jobs: bool = True, **given: Any) -> NoReturn:
    """Serve MCP on standard input and output until the client goes away."""
    keep_to_one_thread()
    log_to_stderr(log_level)
    # anyio and the tools are needed by this command only.
    from memorycore.entrypoints.mcp_server.stdio import serve_stdio  # noqa: PLC0415

    core = LazyCore(partial(open_now, "mcp", **given))
    serve_stdio(core, partial(start_jobs, core, jobs=jobs, **given))


def start_jobs(core: LazyCore, *, jobs: bool, **given: Any) -> Callable[[], None]:
    """Start the scheduler unless it is switched off; return what stops it."""
    settings = load_settings(**given)
    if not (jobs and settings.schedule.enabled):
        return _nothing
    # APScheduler is needed by servers only.
    from memorycore.entrypoints.scheduler import start_scheduler  # noqa: PLC0415

    handle = start_scheduler(core.get())
    return partial(_stop, handle)


def _stop(handle: "SchedulerHandle") -> None:
    handle.stop(STOP_WITHIN)


def _nothing() -> None:
    return


def run_http(*, log_level: str = "warning", jobs: bool = True, **given: Any) -> None:
    """Serve MCP over HTTP until a signal comes.

    Raises:
        ConfigurationError: The address may not be bound without a token, or cannot be bound.
    """
    log_to_stderr(log_level)
    # uvicorn, starlette and the SDK are needed by this command only.
    from memorycore.entrypoints.http import serve_http  # noqa: PLC0415

    core = LazyCore(partial(open_now, "mcp", **given))
    serve_http(core, load_settings(**given), partial(start_jobs, core, jobs=jobs, **given))
