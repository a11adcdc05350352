"""The main job in seconds: a realistic memory file, copied to a throw-away folder, governed before your eyes."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType

from memorycore.bootstrap import open_core
from memorycore.entrypoints import rendering, rendering_tiers
from memorycore.entrypoints.cli.session import Session, console
from memorycore.entrypoints.views import overflow_view, texts_of
from memorycore.model.results import StoreResult
from memorycore.settings import ColdBackend, EmbedderKind, Settings

if TYPE_CHECKING:
    from memorycore.service.core import MemoryCore

MEMORY_LIMIT = 2200
USER_LIMIT = 1375
"""The budgets Hermes Agent gives the two files."""

FACTS = (
    ("memory", "Never deploy the order service on a Friday after 14:00."),
    ("user", "Marta is allergic to walnuts."),
    ("memory", "The Redis cache of the order service has 12 GB and evicts with allkeys-lru."),
    ("memory", "Der Wochenbericht geht montags um 08:30 an das Lager in Bremen."),
    ("memory", "拣货机器人的控制接口在 10.20.4.17:9100，超时设为 3 秒。"),
    ("memory", "2026-03-20: done, ticket TL-2291 closed."),
    ("memory", "The metrics page of the label printer listens on port 3300 now."),
    ("memory", "Deploy key: ghp_" + "Zt4vQ9sLk2Xw7RbN1cHd8MfY5pGj3Ua6Ee0o"),
)
QUERIES = (
    "what must never happen on Fridays",
    "picking robot address",
    "Wann wird der Wochenbericht verschickt?",
    "which port has the printer's metrics page",
    "too many requests from the supplier",
    "recipe for banana pancakes",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One step of the demo: its title, what happened, and how to draw it."""

    name: str
    title: str
    document: Any
    drawing: RenderableType


def run_demo(session: Session) -> None:
    """Play the demo; what it writes is gone afterwards."""
    shown: dict[str, Any] = {}
    with (
        tempfile.TemporaryDirectory(prefix="memorycore-demo-") as folder,
        open_core(_settings(Path(folder)), tool="demo") as core,
    ):
        for scene in _scenes(core):
            shown[scene.name] = scene.document
            if not session.as_json:
                _print(scene)
    session.show(shown, _last_words)


def _settings(folder: Path) -> Settings:
    """Copy the files and return settings that reach nothing outside `folder`, whatever the environment says."""
    memories = folder / "memories"
    memories.mkdir()
    for name in ("MEMORY.md", "USER.md"):
        text = files("memorycore.entrypoints").joinpath("demo_data", name).read_text("utf-8")
        (memories / name).write_text(text.strip(), encoding="utf-8")
    return Settings(
        memory_dir=memories,
        data_dir=folder / "data",
        memory_char_limit=MEMORY_LIMIT,
        user_char_limit=USER_LIMIT,
        cold_backend=ColdBackend.SQLITE,
        cold_url=None,
        embedder=EmbedderKind.BUNDLED,
        llm_base_url=None,
    )


def _scenes(core: "MemoryCore") -> Iterator[Scene]:
    steps: tuple[Callable[[MemoryCore], Scene], ...] = (
        _before,
        _room,
        _writes,
        _recalls,
        _after,
    )
    for step in steps:
        yield step(core)


def _before(core: "MemoryCore") -> Scene:
    usage = core.usage()
    title = "1. A memory file as agents leave it: nearly full"
    return Scene("before", title, usage.to_dict(), rendering_tiers.used(usage))


def _writes(core: "MemoryCore") -> Scene:
    results = [(text, core.store_fact(text, target=target)) for target, text in FACTS]
    made = rendering.table("went to", "fact and reason")
    for text, result in results:
        rendering.add(made, result.status.value, f"{_shown(text, result)}\n  {result.reason}")
    document = [{"fact": _shown(text, result), **result.to_dict()} for text, result in results]
    title = "3. New facts are screened, typed and routed"
    return Scene("stored", title, document, made)


def _room(core: "MemoryCore") -> Scene:
    texts = texts_of(core.audit())
    views = [overflow_view(report, texts) for report in core.overflow().values()]
    title = "2. Overflow moves what need not be in every prompt; nothing is lost"
    return Scene("overflow", title, views, rendering_tiers.overflowed(views, planned=False))


def _recalls(core: "MemoryCore") -> Scene:
    results = [core.recall(query, top_k=2) for query in QUERIES]
    made = rendering.table("query", "score", "memory")
    for result in results:
        best = result.hits[:1]
        for hit in best:
            rendering.add(made, result.query, f"{hit.score:.2f}", hit.content)
        if not best:
            rendering.add(made, result.query, "-", "(nothing relevant is stored)")
    title = "4. Recall finds it by meaning, in any language, and says when there is nothing"
    return Scene("recalled", title, [result.to_dict() for result in results], made)


def _after(core: "MemoryCore") -> Scene:
    usage = core.usage()
    return Scene("after", "5. Usage after", usage.to_dict(), rendering_tiers.used(usage))


def _shown(text: str, result: StoreResult) -> str:
    """Return the text of a fact, except for one that was refused: it may hold a secret."""
    return text if result.memory_id or result.entry_key else "(a text with an access token)"


def _print(scene: Scene) -> None:
    console().print(Group(rendering.sentence(scene.title, "bold cyan"), scene.drawing), "")


def _last_words() -> RenderableType:
    return rendering.sentence(
        "This was a throw-away copy. Next: 'memorycore init' adds the server to your MCP clients."
    )
