"""Talks to the server the way an agent does: store two facts, ask two questions, look at the usage.

Run it with the Python that has MemoryCore; it writes into a folder of its own:

    python examples/quick_client.py /tmp/memorycore-example
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

FACTS = (
    "Never restart the ingest workers before 09:00.",
    "The label printer in Gdynia needs a keep-alive every 10 minutes.",
)
QUESTIONS = ("printer loses its connection", "favourite colour of the cat")


async def call(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structured result."""
    result = await session.call_tool(f"memorycore_{tool}", arguments)
    answer = result.model_dump(by_alias=True)
    if answer["isError"]:
        raise SystemExit(answer["content"][0]["text"])
    structured: dict[str, Any] = answer["structuredContent"]
    return structured


async def talk(folder: Path) -> None:
    """Store, recall, and print what came back."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memorycore.server"],
        env={
            "MEMORYCORE_MEMORY_DIR": str(folder / "memory"),
            "MEMORYCORE_DATA_DIR": str(folder / "data"),
        },
    )
    async with (
        stdio_client(server) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        for fact in FACTS:
            stored = await call(session, "store_fact", content=fact)
            print(f"{stored['status']:12} {fact}\n{'':12} {stored['reason']}")
        for question in QUESTIONS:
            found = await call(session, "recall", query=question)
            hits = [f"{hit['score']:.2f} {hit['content']}" for hit in found["hits"]]
            print(f"? {question}\n  {'; '.join(hits) or 'nothing relevant is stored'}")
        usage = await call(session, "get_memory_usage")
        print(json.dumps(usage["cold"], indent=1))


if __name__ == "__main__":
    asyncio.run(talk(Path(sys.argv[1] if len(sys.argv) > 1 else "memorycore-example").absolute()))
