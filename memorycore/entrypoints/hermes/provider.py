"""The memory provider as the host calls it: thin, thread-safe, and never a fault of the conversation."""

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from memorycore.entrypoints.hermes.bounded import Bounded, StillRunningError
from memorycore.entrypoints.hermes.fencing import fenced
from memorycore.entrypoints.hermes.governor import Opened
from memorycore.entrypoints.hermes.home import Home, Homes, shared_homes
from memorycore.entrypoints.hermes.host_config import PLUGIN, read_config, serves_mcp
from memorycore.entrypoints.hermes.selection import CANDIDATES, select
from memorycore.entrypoints.hermes.setup import activate
from memorycore.entrypoints.hermes.status import status_of
from memorycore.entrypoints.hermes.tools import SCHEMAS, WRITING, call_tool, failure
from memorycore.errors import MemoryCoreError
from memorycore.model.results import Hit, RecallResult
from memorycore.policy.text import entry_key

PREFETCH_BUDGET = 5.0
"""Seconds recall may take before a turn; the host itself gives up, and holds it against us, after eight."""

_MOST = 100
"""Most hits the core returns; hot entries among them are dropped here, so they get places of their own."""

PRIMARY = "primary"
"""The context in which a person is talking; in others nothing is written on the agent's own account."""

_PROMPT = """\
# Long-term memory (MemoryCore)
MEMORY.md and USER.md hold what matters every turn; older and more detailed facts are kept in a searchable store. \
Relevant ones are added to the user's message by themselves. For more, search with memorycore_recall.
Nothing you save is refused for lack of room: entries that make way go to the store and can be recalled."""

Hook = TypeVar("Hook", bound=Callable[..., Any])


def _harmless(default: object) -> Callable[[Hook], Hook]:
    """Return a decorator: a fault of the hook is counted and logged, and the host gets `default`."""

    def decorate(hook: Hook) -> Hook:
        @functools.wraps(hook)
        def call(self: "HermesMemory", *args: Any, **kwargs: Any) -> Any:
            try:
                return hook(self, *args, **kwargs)
            except Exception as fault:  # noqa: BLE001 - the plugin's hook wrapper
                self.note_fault(hook.__name__, fault)
                return default

        return cast("Hook", call)

    return decorate


class HermesMemory:
    """A `MemoryProvider` in all but its base class, which the plugin's shim adds inside the host.

    Building one has no side effects: the host makes throw-away instances for status, backup and setup.

    Args:
        homes: The homes of this process.
        current_home: Tells the host's current home where no hook names it.
        save_config: Writes the host's configuration, for `post_setup`.
    """

    name = PLUGIN

    def __init__(
        self,
        *,
        homes: Homes | None = None,
        current_home: Callable[[], Path | None] = lambda: None,
        save_config: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._homes = homes or shared_homes()
        self._current_home = current_home
        self._save_config = save_config
        self._home: Home | None = None
        self._primary = True
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        self._recall: Bounded[RecallResult] = Bounded("memorycore-recall")

    def note_fault(self, where: str, fault: BaseException) -> None:
        """Count a fault where the home is known."""
        if self._home is not None:
            self._home.ledger.fault(where, fault)

    def is_available(self) -> bool:
        """Tell that the package is there; whether the store opens shows in the status."""
        return True

    def unavailable_reason(self) -> str:
        """Say why the store cannot be used, for hosts that ask; empty when it can."""
        return self._home.trouble if self._home else ""

    @_harmless(None)
    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Join the home the host names and bring its files in order in the background."""
        path = kwargs.get("hermes_home") or self._current_home()
        if path is None:
            return
        self._primary = (kwargs.get("agent_context") or PRIMARY) == PRIMARY
        home = self._homes.attach(Path(path), session_id)
        previous, self._home = self._home, home
        if previous is not None:
            self._homes.detach(previous.path)
        home.warm_up()
        self._reconcile()

    @_harmless("")
    def system_prompt_block(self) -> str:
        """Return a static note: that there is more memory than the prompt shows, and how to reach it."""
        opened = self._home.opened if self._home else None
        if opened is None:
            return ""
        return _prompt_block(opened.index_topics)

    @_harmless("")
    def prefetch(self, query: str, *, session_id: str = "") -> str:  # noqa: ARG002 - always empty in 0.19
        """Return what is relevant to the user's words and not known to the prompt yet; often nothing."""
        home = self._home
        opened = home.opened if home else None
        if home is None or opened is None or not opened.prefetch_enabled or not query.strip():
            return ""
        if not home.breaker.allows():
            return ""
        home.turn()
        started = self._homes.clock.monotonic()
        chosen = self._choose(self._candidates(home, opened, query), home)
        home.ledger.prefetched(self._homes.clock.monotonic() - started, injected=len(chosen))
        if chosen and self._primary:
            home.note_use(query, len(chosen))
        return fenced((hit.created_at, hit.content) for hit in chosen)

    @_harmless(None)
    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        """Do nothing: recall is fast enough to run when the turn begins, on the words it is about."""

    @_harmless(None)
    def sync_turn(self, user_content: str, assistant_content: str, **kwargs: Any) -> None:
        """Do nothing: what deserves keeping is written by the tools, never scraped from the talk."""

    @_harmless(None)
    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:  # noqa: ARG002
        """Notice what was written without a hook."""
        if self._home and self._primary:
            self._home.turn()
            self._home.host_wrote()
            self._home.catch_up()

    @_harmless(None)
    def on_memory_write(
        self,
        action: str,
        target: str,  # noqa: ARG002 - the file tells
        content: str,
        metadata: Mapping[str, Any] | None = None,  # noqa: ARG002 - the file tells
    ) -> None:
        """Take the host's word as a hint; the file is the truth."""
        home = self._home
        governance = home.governance if home else None
        if home is None or governance is None or not self._primary:
            return
        home.host_wrote()
        if action in {"add", "replace"}:
            governance.written_by_host(entry_key(content))
        home.reconcile()

    @_harmless(None)
    def on_session_end(self, messages: Sequence[Mapping[str, Any]]) -> None:  # noqa: ARG002
        """Bring the files in order; also called at every compression, so it ends nothing."""
        self._reconcile()

    @_harmless(None)
    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",  # noqa: ARG002
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        """Go by another session id; what was shown counts as unseen where the host dropped it."""
        if self._home:
            self._homes.rename(new_session_id, self._home.path)
        if reset or rewound or kwargs.get("reason") in {"compression", "resume", "new_session"}:
            with self._lock:
                self._seen.clear()

    @_harmless("")
    def on_pre_compress(self, messages: Sequence[Mapping[str, Any]], **kwargs: Any) -> str:  # noqa: ARG002
        """Add nothing to the summary: the store keeps its own."""
        return ""

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return our tools, or none where the host reaches them through MCP already."""
        path = self._home.path if self._home else self._current_home()
        offered_by_mcp = path is not None and serves_mcp(read_config(path))
        return [] if offered_by_mcp else [dict(schema) for schema in SCHEMAS]

    def handle_tool_call(self, tool_name: str, args: Mapping[str, Any], **kwargs: Any) -> str:  # noqa: ARG002
        """Run one of our tools; every outcome is JSON, faults with their cause."""
        opened = self._home.opened if self._home else None
        if opened is None:
            why = self._home.trouble if self._home else "the provider was not initialised"
            return failure(f"memory is not available: {why}")
        if tool_name in WRITING and not self._primary:
            return failure("scheduled and delegated agents may read memory, not change it")
        return self._call(opened, tool_name, args)

    @_harmless(failure("the memory had a fault; `hermes memory status` tells more"))
    def _call(self, opened: Opened, tool_name: str, args: Mapping[str, Any]) -> str:
        try:
            return call_tool(opened.core, tool_name, args)
        except MemoryCoreError as fault:
            return failure(str(fault))

    def get_config_schema(self) -> list[dict[str, Any]]:
        """Return no questions: there is nothing that must be set."""
        return []

    def save_config(self, values: Mapping[str, Any], hermes_home: str) -> None:
        """Do nothing: settings live in `memorycore/config.toml` inside the home."""

    def post_setup(self, hermes_home: str, config: dict[str, Any]) -> None:  # noqa: ARG002
        """Make this plugin the provider and switch its hooks on, in the configuration the host hands over."""
        activate(config)
        if self._save_config is not None:
            self._save_config(config)

    def get_status_config(self, provider_config: object = None) -> dict[str, Any]:  # noqa: ARG002
        """Return what `hermes memory status` shows."""
        path = self._home.path if self._home else self._current_home()
        return status_of(path) if path else {"home": "unknown"}

    def backup_paths(self) -> list[str]:
        """Return nothing: all state lies inside the home, which the host's backup takes whole."""
        return []

    @_harmless(None)
    def shutdown(self) -> None:
        """Leave the home; the last agent finishes the queued work, within seconds."""
        home, self._home = self._home, None
        if home is not None:
            self._homes.detach(home.path)

    def _reconcile(self) -> None:
        if self._home and self._primary:
            self._home.reconcile()

    def _candidates(self, home: Home, opened: Opened, query: str) -> Sequence[Hit]:
        top_k = min(_MOST, CANDIDATES + len(home.watch.entries()))
        try:
            found = self._recall.call(
                lambda: opened.core.prefetch(query, top_k=top_k, budget=PREFETCH_BUDGET),
                budget=PREFETCH_BUDGET,
            )
        except (MemoryCoreError, StillRunningError):
            home.breaker.failed()
            raise
        home.breaker.succeeded()
        return () if found.abstained else found.hits

    def _choose(self, hits: Sequence[Hit], home: Home) -> list[Hit]:
        governance = home.governance
        withdrawn = governance.withdrawn if governance else ()
        with self._lock:
            chosen = select(hits, seen=self._seen, hot=home.watch.entries(), withdrawn=withdrawn)
            self._seen.update(hit.id for hit in chosen)
        return chosen


def _prompt_block(topics: Sequence[str]) -> str:
    lines = [_PROMPT]
    if topics:
        lines.append("Topics in the store: " + ", ".join(topics) + ".")
    return "\n".join(lines)
