"""Opens a `MemoryCore` when it is first needed, once, from whatever thread asks."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from memorycore.service.core import MemoryCore
    from memorycore.settings import Settings


class LazyCore:
    """Holds the one core of a process; a failed opening is tried again at the next call."""

    def __init__(self, open_now: "Callable[[], MemoryCore]") -> None:
        self._open_now = open_now
        self._lock = threading.Lock()
        self._core: MemoryCore | None = None

    def get(self) -> "MemoryCore":
        """Return the core, opened now if it was not.

        Raises:
            MemoryCoreError: It cannot be opened; the message says why.
        """
        with self._lock:
            if self._core is None:
                self._core = self._open_now()
            return self._core

    def close(self) -> None:
        """Close the core if it was opened."""
        with self._lock:
            core, self._core = self._core, None
        if core is not None:
            core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def load_settings(**given: Any) -> "Settings":
    """Build the settings from the options that were given; None means: not given.

    Raises:
        ConfigurationError: A value is wrong.
    """
    # Building the settings imports pydantic, which `--help` and the MCP handshake must not wait for.
    from memorycore.settings import Settings  # noqa: PLC0415

    return Settings(**{name: value for name, value in given.items() if value is not None})


def open_now(tool: str, **given: Any) -> "MemoryCore":
    """Open a core on the settings from the options given, the environment and the settings file.

    Args:
        tool: Named in the provenance of every change, such as `cli`.
        given: Options of `Settings`; None means: not given.

    Raises:
        MemoryCoreError: A setting is wrong or the store cannot be opened.
    """
    # The stores and the embedder pull in native libraries: only commands that use them pay for it.
    from memorycore.bootstrap import open_core  # noqa: PLC0415

    return open_core(load_settings(**given), tool=tool)
