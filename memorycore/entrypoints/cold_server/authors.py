"""Who may speak to a cold server: one bearer token an author, and how often each may ask."""

import hashlib
import hmac
import math
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from memorycore.errors import ConfigurationError
from memorycore.model.memory import LOCAL_AUTHOR

SHORTEST = 16
"""Characters a token must have: shorter ones can be tried out."""

PEERS = 4096
"""Callers whose rate is followed at a time."""


@dataclass(frozen=True, slots=True)
class Authors:
    """Authors by the digests of their tokens; empty: everyone is the one local author."""

    digests: tuple[tuple[bytes, str], ...] = ()

    def author_of(self, authorization: str) -> str | None:
        """Return whose token an Authorization header carries, None when it is nobody's.

        Every token is compared, in constant time, so that the time taken tells nothing.
        """
        if not self.digests:
            return LOCAL_AUTHOR
        scheme, _, sent = authorization.partition(" ")
        digest = _digest(sent.strip())
        found: str | None = None
        for known, author in self.digests:
            if hmac.compare_digest(known, digest):
                found = author
        return found if scheme.casefold() == "bearer" else None


def authors_of(pairs: Sequence[str], file: Path | None) -> Authors:
    """Return the authors named as `author=token` and those in a file.

    Args:
        pairs: As given on the command line.
        file: TOML with a table `[authors]` of names and tokens; only its owner may be able to read it.

    Raises:
        ConfigurationError: A token is too short, is given twice, or the file cannot be used.
    """
    named = [_pair(pair) for pair in pairs]
    if file is not None:
        named.extend(_from_file(file).items())
    owners: dict[bytes, str] = {}
    for author, token in named:
        if len(token) < SHORTEST:
            message = f"the token of {author} has {len(token)} characters; use {SHORTEST} or more"
            raise ConfigurationError(message)
        if owners.setdefault(_digest(token), author) != author:
            message = f"{author} and {owners[_digest(token)]} have the same token"
            raise ConfigurationError(message)
    return Authors(tuple(owners.items()))


def _pair(pair: str) -> tuple[str, str]:
    author, equals, token = pair.partition("=")
    if not (author.strip() and equals and token.strip()):
        raise ConfigurationError("--token takes author=token, such as --token anna=$ANNAS_TOKEN")
    return author.strip(), token.strip()


def _from_file(file: Path) -> Mapping[str, str]:
    try:
        if file.stat().st_mode & 0o077:
            message = f"{file} can be read by other users of this machine: chmod 600 {file}"
            raise ConfigurationError(message)
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("authors")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        message = f"{file} cannot be read: {fault}"
        raise ConfigurationError(message) from fault
    if not isinstance(table, dict) or not table:
        message = f'{file} needs a table [authors] with lines such as anna = "token"'
        raise ConfigurationError(message)
    wrong = [name for name, token in table.items() if not isinstance(token, str)]
    if wrong:
        message = f"{file}: the token of {wrong[0]} must be text"
        raise ConfigurationError(message)
    return {name: token.strip() for name, token in table.items()}


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


class Rate:
    """Token buckets: `per_second` requests on average, `burst` at once, for each name."""

    def __init__(self, *, per_second: float, burst: int, monotonic: Callable[[], float]) -> None:
        self._rate = per_second
        self._burst = float(burst)
        self._monotonic = monotonic
        self._lock = Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_of(self, name: str) -> int | None:
        """Count a request; return None when it may pass, else in how many whole seconds to come back."""
        now = self._monotonic()
        with self._lock:
            left, since = self._buckets.pop(name, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._rate)
            passes = left >= 1
            self._buckets[name] = (left - 1 if passes else left, now)
            if len(self._buckets) > PEERS:
                self._buckets.popitem(last=False)
        return None if passes else max(1, math.ceil((1 - left) / self._rate))
