"""What was answered to each idempotency key, so that a repeated request is answered and not carried out again.

Receipts live in the store's own named state, in a fixed number of buckets that keep the newest few each: any
repository carries them, several servers on one database share them, and they never grow without bound. They hold
ids and words about what happened, never a memory's text.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from memorycore.model.record import Record
from memorycore.ports import ColdRepository

BUCKETS = 1024
"""How many named states hold receipts."""

NEWEST = 32
"""Receipts kept in each: some 30,000 writes in all, far more than any outbox holds."""


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """What a write did."""

    outcome: str
    memory_id: str
    related_id: str | None = None


class Receipts:
    """Remembers what was answered; `held` keeps two requests with one key from running at the same time."""

    def __init__(self, repository: ColdRepository) -> None:
        self._repository = repository
        self._locks = tuple(Lock() for _ in range(BUCKETS))

    @contextmanager
    def held(self, author: str, key: str) -> Iterator[None]:
        """Hold the key for the length of a request."""
        with self._locks[_bucket(_digest(author, key))]:
            yield

    def find(self, author: str, key: str) -> Receipt | None:
        """Return what the request of that key did, None when it is new."""
        digest = _digest(author, key)
        kept = self._kept(_bucket(digest)).get(digest)
        return Receipt(**kept) if kept else None

    def keep(self, author: str, key: str, receipt: Receipt) -> None:
        """Remember what the request of that key did; call it while the key is held."""
        digest = _digest(author, key)
        bucket = _bucket(digest)
        kept = {**self._kept(bucket), digest: receipt.to_dict()}
        newest = dict(list(kept.items())[-NEWEST:])
        self._repository.set_state(_state(bucket), json.dumps(newest, ensure_ascii=False))

    def _kept(self, bucket: int) -> dict[str, dict[str, str]]:
        text = self._repository.state(_state(bucket))
        kept: dict[str, dict[str, str]] = json.loads(text) if text else {}
        return kept


def _digest(author: str, key: str) -> str:
    return hashlib.sha256(json.dumps([author, key]).encode("utf-8", "replace")).hexdigest()[:40]


def _bucket(digest: str) -> int:
    return int(digest[:8], 16) % BUCKETS


def _state(bucket: int) -> str:
    return f"receipts:{bucket:04d}"
