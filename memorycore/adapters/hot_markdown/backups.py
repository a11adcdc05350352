"""Copies of a hot file's bytes, taken before anything that would not bring them all back."""

from pathlib import Path

from memorycore.adapters.hot_markdown.files import revision_of, write_whole
from memorycore.ports.ambient import Clock


def back_up(path: Path, raw: bytes, *, clock: Clock) -> Path:
    """Keep `raw` beside `path` as `<name>.bak.<unix seconds>-<hash>`, once for each content.

    Raises:
        OSError: The copy cannot be written.
    """
    mark = revision_of(raw)[:12]
    known = next(path.parent.glob(f"{path.name}.bak.*-{mark}"), None)
    if known is not None:
        return known
    copy = path.with_name(f"{path.name}.bak.{int(clock.now().timestamp())}-{mark}")
    write_whole(copy, raw)
    return copy


def has_backup(path: Path) -> bool:
    """Tell whether any copy of this file is kept."""
    return next(path.parent.glob(f"{path.name}.bak.*"), None) is not None
