"""The release of the installed package."""

from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "0+unknown"
"""What a source tree that was never installed answers."""


def release() -> str:
    """Return the installed version, such as `0.1.0`."""
    try:
        return version("memorycore")
    except PackageNotFoundError:
        return UNKNOWN
