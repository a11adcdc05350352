"""How many threads NumPy may use in a process that is MemoryCore's own."""

import os

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What the mathematics libraries under NumPy read when they are loaded."""


def keep_to_one_thread() -> None:
    """Let NumPy compute in the calling thread, unless the environment says otherwise; to be called before its import.

    The products of a recall take less than a tenth of a millisecond. The second thread of a library waits for the
    next one by spinning, which doubles the processor time of a recall and shortens nothing.
    """
    for name in VARIABLES:
        os.environ.setdefault(name, "1")  # noqa: TID251 - told to the libraries, not read by us
