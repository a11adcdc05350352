"""Loads the marker words: the files of the package, then those of the user's own folders."""

import functools
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path

from memorycore.errors import ConfigurationError
from memorycore.policy.markers import Lexicon, build_lexicon

_PACKAGE = "memorycore.policy"
_FOLDER = "lexicon"
_EXCLUDE = "exclude"


def load_lexicon(extra_folders: Sequence[Path] = ()) -> Lexicon:
    """Return the lexicon of all packaged languages, widened by the `*.toml` files of `extra_folders`.

    A user's file has the form of the packaged ones: arrays of strings by section name, and an
    optional `[exclude]` table of phrases by section in which a marker does not count.

    Raises:
        ConfigurationError: a folder or file of the user cannot be read or has another form; the
            message names the file and the key.
    """
    return _load(tuple(extra_folders)) if extra_folders else _packaged_lexicon()


@functools.lru_cache(maxsize=1)
def _packaged_lexicon() -> Lexicon:
    return _load(())


def _load(folders: Sequence[Path]) -> Lexicon:
    words: dict[str, list[str]] = {}
    excluded: dict[str, list[str]] = {}
    for name, text in (*_packaged(), *_of_user(folders)):
        sections = _parse(name, text)
        _collect(name, sections.pop(_EXCLUDE, {}), into=excluded)
        _collect(name, sections, into=words)
    return build_lexicon(words, excluded)


def _packaged() -> Iterable[tuple[str, str]]:
    folder = resources.files(_PACKAGE).joinpath(_FOLDER)
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".toml"):
            yield file.name, file.read_text(encoding="utf-8")


def _of_user(folders: Sequence[Path]) -> Iterable[tuple[str, str]]:
    for folder in folders:
        if not folder.is_dir():
            raise ConfigurationError(f"lexicon folder {folder} is not a folder")
        for path in sorted(folder.glob("*.toml")):
            try:
                yield str(path), path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as fault:
                raise ConfigurationError(f"lexicon file {path} cannot be read: {fault}") from fault


def _parse(name: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise ConfigurationError(f"lexicon file {name} is not valid TOML: {fault}") from fault


def _collect(name: str, sections: object, *, into: dict[str, list[str]]) -> None:
    if not isinstance(sections, Mapping):
        raise ConfigurationError(f"lexicon file {name}: [{_EXCLUDE}] must be a table of arrays")
    for section, phrases in sections.items():
        if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
            raise ConfigurationError(
                f"lexicon file {name}: {section!r} must be an array of strings"
            )
        into.setdefault(section, []).extend(phrases)
