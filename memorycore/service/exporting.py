"""Everything that is remembered, as JSON lines that `import` reads."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from memorycore.errors import ConfigurationError, InvalidInputError
from memorycore.model.routing import Target
from memorycore.ports import ColdRepository
from memorycore.service.hot_tier import HotTier

PAGE = 1000
"""Memories read at a time."""


class Exporter:
    """Writes hot entries and live memories to a file."""

    def __init__(self, repository: ColdRepository | None, hot: HotTier) -> None:
        self._repository = repository
        self._hot = hot

    def export(self, path: Path) -> int:
        """Write one line an entry or memory, for this user alone; return how many.

        Raises:
            ConfigurationError: The store is remote and cannot be listed.
            InvalidInputError: The file cannot be written; an older one is left whole.
        """
        if self._repository is None:
            message = "a remote store cannot be listed: export on the machine that holds it"
            raise ConfigurationError(message)
        beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            count = self._write(self._repository, beside)
            beside.replace(path)
        except OSError as fault:
            beside.unlink(missing_ok=True)
            message = f"{path} cannot be written: {fault.strerror}"
            raise InvalidInputError(message) from fault
        return count

    def _write(self, repository: ColdRepository, path: Path) -> int:
        count = 0
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            for line in self._lines(repository):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                count += 1
            file.flush()
            os.fsync(handle)
        return count

    def _lines(self, repository: ColdRepository) -> Iterator[dict[str, object]]:
        for target in Target:
            for entry in self._hot.reconcile(target).entries:
                known = entry.meta.to_dict() if entry.meta else {}
                yield {**known, "tier": "hot", "target": target.value, "content": entry.text}
        after: str | None = None
        while page := repository.scan(after=after, limit=PAGE):
            for memory in page:
                yield {"tier": "cold", **memory.to_dict()}
            after = page[-1].id
