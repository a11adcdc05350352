"""Loads the words by which requests to forget are read from the package."""

import functools
import tomllib
from importlib import resources

from memorycore.policy.aboutness_words import AboutnessWords, compile_aboutness


@functools.lru_cache(maxsize=1)
def load_aboutness_words() -> AboutnessWords:
    """Return the packaged word lists of all languages, read once a process."""
    file = resources.files("memorycore.policy").joinpath("aboutness.toml")
    return compile_aboutness(tomllib.loads(file.read_text("utf-8")))
