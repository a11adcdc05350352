"""Changes of configuration files: shown as a diff, made with a backup, never over what was not read."""

import difflib
from dataclasses import dataclass
from pathlib import Path

from memorycore.adapters.hot_markdown.files import read_whole, write_whole
from memorycore.errors import ConfigurationError, MemoryCoreError
from memorycore.ports import Clock


@dataclass(frozen=True, slots=True)
class FileChange:
    """The text a file has (`before`, None: no file) and shall have."""

    path: Path
    before: str | None
    after: str

    @property
    def is_needed(self) -> bool:
        """Tell whether anything would change."""
        return (self.before or "") != self.after

    def diff(self) -> str:
        """Return the change as a unified diff; little context, since other entries may hold keys."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            self.after.splitlines(),
            fromfile=str(self.path),
            tofile=str(self.path),
            lineterm="",
            n=1,
        )
        return "\n".join(lines)

    def apply(self, clock: Clock) -> Path | None:
        """Make the change; return the backup of what stood there, None when there was no file.

        Raises:
            ConfigurationError: The file changed since it was read, or cannot be written.
        """
        if read_config(self.path) != self.before:
            message = (
                f"{self.path} changed while it was looked at; nothing was written. Run it again."
            )
            raise ConfigurationError(message)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            backup = self._back_up(clock)
            write_whole(self.path, self.after.encode("utf-8"))
        except OSError as fault:
            message = f"{self.path} cannot be written: {fault.strerror}. Nothing was changed."
            raise ConfigurationError(message) from fault
        return backup

    def _back_up(self, clock: Clock) -> Path | None:
        if self.before is None:
            return None
        stamp = f"{clock.now():%Y%m%dT%H%M%SZ}"
        copy = self.path.with_name(f"{self.path.name}.{stamp}.memorycore.bak")
        write_whole(copy, self.before.encode("utf-8"))
        return copy


def read_config(path: Path) -> str | None:
    """Return the text of a configuration file, None when there is none.

    Raises:
        ConfigurationError: It cannot be read or is not UTF-8.
    """
    try:
        raw = read_whole(path)
        return None if raw is None else raw.decode("utf-8")
    except (MemoryCoreError, UnicodeDecodeError) as fault:
        message = f"{path} cannot be read ({fault}); it was left alone."
        raise ConfigurationError(message) from fault
