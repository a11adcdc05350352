"""Runs inside the host's environment: one real agent, told by JSON lines what the user says.

Input lines: {"say": text} runs a turn, {"approve": true} lets pending writes through, {"new": session id} starts
a new agent, {"end": true} ends the session.
Each is answered by one JSON line on the original standard output; everything else the host prints goes to stderr.
"""

import json
import os
import sys
import time
from typing import Any

answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

from hermes_cli.plugins import discover_plugins  # type: ignore[import-not-found]  # noqa: E402 - after the streams are parted
from hermes_cli.write_approval_commands import (  # type: ignore[import-not-found]  # noqa: E402
    handle_pending_subcommand,
)
from run_agent import AIAgent  # type: ignore[import-not-found]  # noqa: E402

MODEL_URL = sys.argv[1]


def new_agent(session: str) -> Any:
    """Return an agent as the command line builds it."""
    return AIAgent(
        base_url=MODEL_URL,
        api_key="sk-none",
        provider="custom",
        model="scripted",
        api_mode="chat_completions",
        quiet_mode=True,
        platform="cli",
        enabled_toolsets=["memory"],
        skip_context_files=True,
        max_iterations=12,
        session_id=session,
    )


def end(agent: Any, messages: list[dict[str, Any]]) -> None:
    """End a session as the command line does."""
    agent._memory_manager.flush_pending(timeout=10)
    agent.shutdown_memory_provider(messages)
    agent.close()


def main() -> None:
    """Answer until the input ends."""
    discover_plugins()
    agent = new_agent("first")
    messages: list[dict[str, Any]] = []
    for line in sys.stdin:
        order = json.loads(line)
        started = time.perf_counter()
        answer: dict[str, Any] = {}
        if "say" in order:
            before = len(messages)
            told = agent.run_conversation(order["say"], conversation_history=messages)
            messages = told["messages"]
            new = messages[before:]
            answer["final"] = told["final_response"]
            answer["tools"] = [item["content"] for item in new if item.get("role") == "tool"]
        elif "approve" in order:
            answer["told"] = handle_pending_subcommand(
                "memory", ["approve", "all"], memory_store=agent._memory_store
            )
        elif "new" in order:
            end(agent, messages)
            agent, messages = new_agent(order["new"]), []
        else:
            end(agent, messages)
        answer["seconds"] = time.perf_counter() - started
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
