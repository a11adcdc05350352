"""Every fault MemoryCore raises, in one tree.

Expected outcomes (a duplicate, a refusal, nothing found) are values; what stands here is a fault.

::

    MemoryCoreError                    1
    ├── InvalidInputError              2   the caller's text or argument cannot be used
    │   ├── UnknownMemoryError         2   no memory, live or trashed, has that id
    │   └── AmbiguousEntryError        2   several hot entries answer to the text given
    ├── ConfigurationError             3   a setting is wrong, missing or contradicts another
    ├── HotTierError                   4
    │   ├── CorruptHotFileError        4   bytes that do not decode; the file is left alone
    │   ├── HotFileUnavailableError    4   the file cannot be read or written (permission, disk, a folder)
    │   ├── HotConflictError           4   the file changed since it was read (retryable)
    │   └── HotLockTimeoutError        4   another process holds the file's lock (retryable)
    ├── ColdTierError                  5
    │   ├── ColdUnavailableError       5   the store or the remote does not answer (retryable)
    │   ├── ColdBusyError              5   locked by another process for longer than the timeout (retryable)
    │   ├── ColdConflictError          5   a row changed since it was read (retryable)
    │   ├── ColdCorruptError           5   the database is damaged; it is set aside, never overwritten
    │   ├── SchemaTooNewError          5   the database was written by a newer release
    │   └── ContractError              5   a remote answers outside the cold-store contract
    ├── EmbedderError                  6   no vector can be made now (retryable)
    └── JudgeError                     7   the language model gave no usable answer (retryable)

The number is the exit code of the command line.
"""

from typing import ClassVar


class MemoryCoreError(Exception):
    """Root of every fault; `code` is stable for programs, the message is for people."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1


class InvalidInputError(MemoryCoreError):
    """The caller's text or argument cannot be used; the message says what to change."""

    code = "invalid_input"
    exit_code = 2


class UnknownMemoryError(InvalidInputError):
    """No memory, live or trashed, has the id that was given."""

    code = "unknown_memory"


class AmbiguousEntryError(InvalidInputError):
    """Several hot entries answer to the text given; nothing was changed."""

    code = "ambiguous_entry"


class ConfigurationError(MemoryCoreError):
    """A setting is wrong, missing or contradicts another; the message names the setting."""

    code = "configuration"
    exit_code = 3


class HotTierError(MemoryCoreError):
    """A fault of the Markdown files."""

    code = "hot_tier"
    exit_code = 4


class CorruptHotFileError(HotTierError):
    """The file's bytes do not decode as UTF-8; it was backed up and is not written over."""

    code = "hot_file_corrupt"


class HotFileUnavailableError(HotTierError):
    """The file cannot be read or written: permission, a full or read-only disk, a folder in its place."""

    code = "hot_file_unavailable"


class HotConflictError(HotTierError):
    """The file changed between the read and the write; read again and repeat."""

    code = "hot_conflict"
    retryable = True


class HotLockTimeoutError(HotTierError):
    """Another process held the file's lock for longer than the timeout."""

    code = "hot_lock_timeout"
    retryable = True


class ColdTierError(MemoryCoreError):
    """A fault of the cold store."""

    code = "cold_tier"
    exit_code = 5


class ColdUnavailableError(ColdTierError):
    """The store cannot be opened or the remote does not answer."""

    code = "cold_unavailable"
    retryable = True


class ColdBusyError(ColdTierError):
    """Another process held the database for longer than the busy timeout."""

    code = "cold_busy"
    retryable = True


class ColdConflictError(ColdTierError):
    """A row changed between the read and the write; read again and repeat."""

    code = "cold_conflict"
    retryable = True


class ColdCorruptError(ColdTierError):
    """The database is damaged; the file is kept as it is for rescue."""

    code = "cold_corrupt"


class SchemaTooNewError(ColdTierError):
    """The database was written by a newer release of MemoryCore; upgrade this one."""

    code = "schema_too_new"


class ContractError(ColdTierError):
    """A remote service answered outside the cold-store contract."""

    code = "contract"


class EmbedderError(MemoryCoreError):
    """No vector can be made now: the model is missing, wrong or failing."""

    code = "embedder"
    retryable = True
    exit_code = 6


class JudgeError(MemoryCoreError):
    """The language model gave no usable answer in time."""

    code = "judge"
    retryable = True
    exit_code = 7
