"""The server seen by the client library that real agents use."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).parents[2]


def environment(folder: Path) -> dict[str, str]:
    return {
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "MEMORYCORE_MEMORY_DIR": str(folder / "memory"),
        "MEMORYCORE_DATA_DIR": str(folder / "data"),
        "MEMORYCORE_EMBEDDER": "none",
    }


def test_the_client_accepts_every_result_and_hears_of_progress(tmp_path: Path) -> None:
    heard: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async def talk() -> dict[str, Any]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "memorycore.server"],
            env=environment(tmp_path),
        )
        results: dict[str, Any] = {}
        async with (
            stdio_client(server) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            await session.list_tools()
            for name, arguments in CALLS:
                result = await session.call_tool(
                    f"memorycore_{name}", arguments, progress_callback=on_progress
                )
                results[name] = result.model_dump(by_alias=True)
        return results

    results = anyio.run(talk)
    assert not [name for name, result in results.items() if result["isError"]]
    hits = results["recall"]["structuredContent"]["hits"]
    assert hits[0]["content"] == "The spare keys hang in cabinet 7 on the second floor."
    assert heard == sorted(heard)


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("store_fact", {"content": "The spare keys hang in cabinet 7 on the second floor."}),
    ("recall", {"query": "spare keys cabinet"}),
    ("trigger_overflow", {"dry_run": True}),
    ("run_cold_storage_maintenance", {"full": True}),
    ("get_memory_usage", {}),
    ("memory_audit", {"target": "both"}),
    ("forget", {"what": "spare keys cabinet"}),
    ("trash", {}),
)


def test_the_example_client_runs(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "quick_client.py"), str(tmp_path)],
        env=environment(tmp_path),
        capture_output=True,
        check=True,
        timeout=180,
    )
    out = told.stdout.decode("utf-8")
    assert "? printer loses its connection" in out
    assert "Gdynia" in out
