"""Facts of made-up entries, from which overflow plans in these tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, Origin
from memorycore.model.plan import Keep, Merge, Plan, Retype
from memorycore.model.routing import Classification, EntryType, Route, Target
from memorycore.policy.overflow.facts import EntryFacts, OverflowView, joined_length
from memorycore.policy.overflow.ladder import Demand
from memorycore.policy.overflow.planning import Rules, plan_overflow
from memorycore.policy.text import entry_key

NOW = datetime(2026, 6, 1, tzinfo=UTC)
LIMIT = 1000


def facts(
    text: str,
    *,
    route: Route = Route.COLD,
    kind: EntryType = EntryType.RULE,
    days: float = 0,
    sure: float = 0.9,
    protected: bool = False,
    importance: float = 0.5,
    **more: object,
) -> EntryFacts:
    moment = NOW - timedelta(days=days)
    meta = EntryMeta(kind, moment, moment, Origin.HOST, importance)
    found = Classification(route, kind, protected, route is Route.HOT, sure, ("because",))
    entry = HotEntry(entry_key(text), text, meta)
    return replace(EntryFacts(entry, meta, found), **more)  # type: ignore[arg-type]


def text_of(name: str, size: int) -> str:
    return f"{name} ".ljust(size, "x")


def view(*items: EntryFacts, limit: int = LIMIT, target: Target = Target.MEMORY) -> OverflowView:
    size = joined_length([item.size for item in items])
    entries = tuple(item.entry for item in items)
    return OverflowView(HotSnapshot(target, entries, "r1", size, limit), items)


def plan(found: OverflowView, demand: Demand | None = None) -> Plan:
    return plan_overflow(found, rules=Rules(), now=NOW, demand=demand)


def leaving(result: Plan) -> list[str]:
    kept = (Keep, Retype)
    return [action.key for action in result.actions if not isinstance(action, (*kept, Merge))]


def filled(share: float, *, entries: int = 10, **more: object) -> OverflowView:
    size = int(share * LIMIT / entries) - 3
    items = [facts(text_of(f"entry {number}", size), **more) for number in range(entries)]  # type: ignore[arg-type]
    return view(*items)
