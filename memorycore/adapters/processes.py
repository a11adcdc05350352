"""Names processes so that others can tell whether the one behind a name still runs."""

import platform

import psutil


def own_token() -> str:
    """Return the name of this process: host, process id and start time, joined by colons."""
    process = psutil.Process()
    return f"{platform.node()}:{process.pid}:{process.create_time():.2f}"


def is_alive(token: str) -> bool:
    """Tell whether the process named by `token` still runs.

    A process of another host cannot be seen from here and counts as alive until its lease runs out; a name
    of another form counts as gone. A process id that was given to another process counts as gone.
    """
    host, _, rest = token.rpartition(":")
    host, _, pid = host.rpartition(":")
    if not pid.isdigit():
        return False
    if host != platform.node():
        return True
    try:
        process = psutil.Process(int(pid))
        running = process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        return running and f"{process.create_time():.2f}" == rest
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
