"""Loads the word lists of the relation rules from the package."""

import functools
import tomllib
from importlib import resources

from memorycore.policy.relation.words import RelationWords, Section, compile_words

_FOLDER = "memorycore.policy"
_HAN = "han.toml"


@functools.lru_cache(maxsize=1)
def load_relation_words() -> RelationWords:
    """Return the packaged word lists of all languages, read once a process."""
    sections: dict[str, Section] = {}
    folder = resources.files(_FOLDER).joinpath("relation_lexicon")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".toml") and file.name != _HAN:
            sections[file.name.removesuffix(".toml")] = tomllib.loads(file.read_text("utf-8"))
    han = tomllib.loads(folder.joinpath(_HAN).read_text("utf-8"))
    return compile_words(sections, traditional=han["traditional"], simplified=han["simplified"])
