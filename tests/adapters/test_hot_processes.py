"""Several real processes on one hot file, and one that is killed while it writes."""

import signal
import subprocess
import sys
from pathlib import Path

from memorycore.adapters.hot_markdown.layout import SEPARATOR

PRELUDE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.errors import HotConflictError
from memorycore.model.hot import NewEntry
from memorycore.model.routing import Target

class StillClock:
    def now(self): return datetime(2026, 4, 2, tzinfo=UTC)
    def monotonic(self): return 0.0

folder, name = Path(sys.argv[1]), sys.argv[2]
store = MarkdownHotStore(folder, limits=dict.fromkeys(Target, 5000), clock=StillClock())
"""

WRITER = """
for number in range(20):
    while True:
        snapshot = store.read(Target.MEMORY)
        kept = [NewEntry(entry.text, entry.meta) for entry in snapshot.entries]
        added = NewEntry(f"{name} {number}", None)
        try:
            store.commit(Target.MEMORY, [*kept, added], expected=snapshot.revision)
            break
        except HotConflictError:
            pass
"""

FLIPPER = """
texts = ["a" * 200_000, "b" * 300_000]
print("ready", flush=True)
while True:
    for text in texts:
        revision = store.read(Target.MEMORY).revision
        store.commit(Target.MEMORY, [NewEntry(text, None)], expected=revision)
"""

HOST = """
import fcntl, os, tempfile
path = folder / "MEMORY.md"
for number in range(20):
    with open(str(path) + ".lock", "a+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        entries = [part.strip() for part in old.split("\\n§\\n") if part.strip()]
        fd, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(fd, "w", encoding="utf-8") as out:
            out.write("\\n§\\n".join([*entries, f"{name} {number}"]))
        os.replace(temporary, path)
        fcntl.flock(handle, fcntl.LOCK_UN)
"""


def start(body: str, folder: Path, name: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PRELUDE + body, str(folder), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_writers_and_a_host_lose_none_of_each_others_entries(tmp_path: Path) -> None:
    running = {
        name: start(body, tmp_path, name)
        for name, body in {"left": WRITER, "right": WRITER, "host": HOST}.items()
    }
    for process in running.values():
        with process:
            assert process.wait(timeout=60) == 0
    written = (tmp_path / "MEMORY.md").read_text(encoding="utf-8").split(SEPARATOR)
    assert sorted(written) == sorted(f"{name} {n}" for name in running for n in range(20))


def test_a_writer_killed_at_any_moment_leaves_one_whole_content(tmp_path: Path) -> None:
    for _ in range(3):
        with start(FLIPPER, tmp_path, "flipper") as process:
            assert process.stdout is not None
            process.stdout.readline()
            path = tmp_path / "MEMORY.md"
            while not path.exists():
                pass
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=60)
        raw = path.read_bytes()
        assert raw in {b"a" * 200_000, b"b" * 300_000}
