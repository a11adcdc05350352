"""What is known of each entry, kept in a JSON file beside the hot file.

The sidecar is worth less than the file: it is rebuilt when it is missing or damaged, a damaged record counts
as no record, and no damage makes an entry look older than it is. Fields this release does not know are kept.
"""

import json
import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memorycore.adapters.hot_markdown.files import write_whole
from memorycore.adapters.hot_markdown.locking import locked
from memorycore.model.hot import EntryMeta, Origin
from memorycore.model.routing import EntryType

_log = logging.getLogger(__name__)

_VERSION = 1
_TAKEN_KEPT = 500
"""Keys remembered as taken out; many times what a hot file holds."""

_FIRST_PLAUSIBLE = datetime(2020, 1, 1, tzinfo=UTC)
"""No record is older than the program: an earlier moment is damage, such as a clock at zero."""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The JSON file of one hot file."""

    path: Path
    lock_timeout: float

    def read(self) -> dict[str, dict[str, Any]]:
        """Return the raw records by entry key; empty when the file is missing or damaged."""
        records = self._document().get("entries")
        if not isinstance(records, dict):
            return {}
        return {key: value for key, value in records.items() if isinstance(value, dict)}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the sidecar's own lock."""
        with locked(self.path, timeout=self.lock_timeout):
            yield

    def taken(self) -> tuple[str, ...]:
        """Return the keys of entries this program itself took out of the file, the latest last."""
        keys = self._document().get("taken")
        return tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else ()

    def merge(
        self,
        metas: Mapping[str, EntryMeta | None],
        *,
        present: Collection[str],
        taken: Collection[str] = (),
    ) -> None:
        """Write `metas` over the records and drop those of keys in neither; the caller holds the lock.

        A None marks an entry as known without saying anything of it. `taken` are keys this program is taking
        out, so that whoever misses them later knows that nobody deleted them. A sidecar that cannot be written
        is reported and otherwise ignored: the entries then count as new.
        """
        document = self._document()
        old = self.read()
        entries = {key: old[key] for key in present if key in old}
        for key, meta in metas.items():
            entries[key] = {**old.get(key, {}), **(meta.to_dict() if meta else {})}
        before = self.taken()
        gone = [key for key in before if key not in metas and key not in taken]
        log = [*gone, *taken][-_TAKEN_KEPT:]
        same = entries == old and log == list(before)
        if same and document.get("version") == _VERSION:
            return
        body = {**document, "version": _VERSION, "entries": entries, "taken": log}
        try:
            write_whole(self.path, json.dumps(body, ensure_ascii=False, indent=1).encode())
        except OSError as error:
            _log.warning("sidecar not written path=%s error=%s", self.path, error)

    def _document(self) -> dict[str, Any]:
        try:
            document = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            _log.warning(
                "sidecar unreadable, rebuilding path=%s error=%s", self.path, type(error).__name__
            )
            return {}
        return document if isinstance(document, dict) else {}


def meta_of(record: Mapping[str, Any] | None) -> EntryMeta | None:
    """Return the record as a value, None when it is missing or damaged."""
    if not record:
        return None
    try:
        return EntryMeta(
            type=EntryType(record["type"]),
            written_at=_moment(record["written_at"]),
            updated_at=_moment(record["updated_at"]),
            origin=Origin(record["origin"]),
            importance=_share(record.get("importance", 0.5)),
            protected=record.get("protected") is True,
            memory_id=_name(record.get("memory_id")),
        )
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def _moment(text: object) -> datetime:
    moment = datetime.fromisoformat(str(text))
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment < _FIRST_PLAUSIBLE:
        raise ValueError(text)
    return moment.astimezone(UTC)


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(value)
    return float(value)


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
