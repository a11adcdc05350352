"""SQLite's faults as the cold tier's."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memorycore.errors import (
    ColdBusyError,
    ColdConflictError,
    ColdCorruptError,
    ColdTierError,
    ColdUnavailableError,
)


@contextmanager
def mapped_faults(path: Path) -> Iterator[None]:
    """Raise the `ColdTierError` that fits when SQLite raises inside the block."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as fault:
        raise ColdBusyError(
            f"{path} is locked by another process for longer than the timeout; try again"
        ) from fault
    except (apsw.CorruptError, apsw.NotADBError) as fault:
        raise ColdCorruptError(
            f"{path} is damaged or no MemoryCore database ({fault}); it was left as it is. "
            "Move it away with its -wal file, start anew, and import your last export"
        ) from fault
    except apsw.ConstraintError as fault:
        raise ColdConflictError(f"a row changed meanwhile: {fault}") from fault
    except apsw.ReadOnlyError as fault:
        raise ColdUnavailableError(
            f"{path} cannot be written: make the file and its folder writable for this user"
        ) from fault
    except apsw.FullError as fault:
        raise ColdUnavailableError(
            f"no room left on the disk of {path}: free some space; nothing was lost"
        ) from fault
    except (apsw.CantOpenError, apsw.IOError, apsw.PermissionsError, apsw.AuthError) as fault:
        raise ColdUnavailableError(
            f"{path} cannot be opened ({fault}): check that its folder exists and is yours"
        ) from fault
    except apsw.Error as fault:
        raise ColdTierError(f"SQLite failed on {path}: {fault}") from fault
