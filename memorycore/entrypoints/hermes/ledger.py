"""What went wrong and how prefetch fares, counted for `hermes memory status`."""

import json
import logging
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from memorycore.ports.ambient import Clock

_log = logging.getLogger(__name__)

STATUS_FILE = "hermes-plugin.json"
"""Where another process, such as `hermes memory status`, reads the counts; it holds no text of a memory."""


@dataclass(slots=True)
class _Counts:
    faults: dict[str, int] = field(default_factory=dict)
    last_fault: str = ""
    last_fault_at: str = ""
    prefetches: int = 0
    injected: int = 0


class Ledger:
    """Counts of one home; written to `path` when `save` is called."""

    def __init__(self, path: Path, *, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._counts = _Counts()
        self._seconds: deque[float] = deque(maxlen=200)

    @property
    def faults(self) -> int:
        """Faults since the home was opened."""
        return sum(self._counts.faults.values())

    def fault(self, where: str, fault: BaseException) -> None:
        """Count a fault; the first of its kind is logged with its trace, later ones quietly."""
        kind = f"{where}: {type(fault).__name__}"
        with self._lock:
            known = self._counts.faults.get(kind, 0)
            self._counts.faults[kind] = known + 1
            self._counts.last_fault = f"{where}: {fault}"
            self._counts.last_fault_at = self._clock.now().isoformat(timespec="seconds")
        if known:
            _log.debug("fault again kind=%s", kind)
            return
        _log.warning("fault kind=%s", kind, exc_info=fault)
        self.save()

    def prefetched(self, seconds: float, *, injected: int) -> None:
        """Count one prefetch."""
        with self._lock:
            self._counts.prefetches += 1
            self._counts.injected += injected
            self._seconds.append(seconds)

    def summary(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        with self._lock:
            counts = self._counts
            return {
                "faults": dict(counts.faults),
                "last_fault": counts.last_fault,
                "last_fault_at": counts.last_fault_at,
                "prefetches": counts.prefetches,
                "injected": counts.injected,
                "prefetch_median_ms": round(median(self._seconds) * 1000, 1)
                if self._seconds
                else None,
                "written_at": self._clock.now().isoformat(timespec="seconds"),
            }

    def save(self) -> None:
        """Write the counts; a folder that cannot be written is only logged."""
        temporary = self._path.with_name(f".{self._path.name}.tmp")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_text(json.dumps(self.summary(), ensure_ascii=False), encoding="utf-8")
            temporary.replace(self._path)
        except OSError as fault:
            _log.debug("status not written path=%s cause=%s", self._path, fault)


def read_summary(path: Path) -> Mapping[str, Any]:
    """Return the counts another process left at `path`; empty when there are none."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}
