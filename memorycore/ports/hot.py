"""The hot files as the service sees them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from memorycore.model.hot import EntryMeta, HotSnapshot, NewEntry
from memorycore.model.routing import Target


class HotStore(Protocol):
    """Two Markdown files with sidecars; every write is a compare-and-swap on the revision that was read."""

    def read(self, target: Target) -> HotSnapshot:
        """Read file and sidecar; a missing file has no entries.

        Raises:
            CorruptHotFileError: The bytes do not decode; a backup was made and the file is left alone.
            HotFileUnavailableError: The file cannot be read.
        """
        ...

    def commit(self, target: Target, entries: Sequence[NewEntry], *, expected: str) -> HotSnapshot:
        """Write the whole file under the host's lock if its revision is still `expected`.

        Raises:
            HotConflictError: The file changed since it was read.
            HotLockTimeoutError: The lock was held for longer than the timeout.
            HotFileUnavailableError: The file cannot be written; the old content stands.
            InvalidInputError: An entry would read back as something else (a line that is only `§`, blank text).
        """
        ...

    def annotate(self, target: Target, metas: Mapping[str, EntryMeta]) -> None:
        """Merge sidecar records by entry key; collects records of entries that are gone. The file is not touched."""
        ...

    def taken(self, target: Target) -> frozenset[str]:
        """Return keys of entries that this program, in any process, took out of the file itself.

        An entry that is gone and not among them was removed by the host or by hand.
        """
        ...
