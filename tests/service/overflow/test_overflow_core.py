"""Overflow through the whole core: the governed cold store, the real rules, the real files."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycore.bootstrap import open_core
from memorycore.model.results import StoreStatus
from memorycore.policy.overflow.anchor import ANCHOR_TITLE
from memorycore.service.core import MemoryCore
from memorycore.settings import Settings
from memorycore.testing import CountingIds, FakeClock, HashEmbedder

LIMIT = 900
USER_LIMIT = 600
HOT = "User prefers tea in meetings, not coffee."
COLD = "The backup host quokka listens on port 4411, data in /srv/quokka."
TASTES = [
    "User prefers short answers with the verdict in the first line.",
    "User likes tables better than long lists when things are compared.",
    "User wants to be asked one question at a time, never five.",
    "User prefers the command line to any graphical tool.",
    "User dislikes emojis and praise in written reports.",
    "User likes to see the failing test before the fix.",
    "User prefers metric units and a 24-hour clock.",
    "User wants every claim checked before it is called done.",
    "User likes plain words and dislikes marketing phrases in drafts.",
    "User prefers branches with short names and squashed commits.",
    "User wants summaries to end with the open points.",
    "User likes code comments that say why and not what.",
    "User prefers dark diagrams with few colours.",
    "User wants dates written as year, month, day.",
    "User likes reviews that begin with the worst problem.",
]
FACTS = [
    "Host larkspur listens on port 8410; its logs are in /var/log/larkspur.",
    "El servidor cobalto usa el puerto 7311 y guarda copias en /srv/cobalto.",
    "测试服务器 heron 的端口是 8125，配置在 /etc/heron/heron.conf。",
    "Сервер ольха слушает порт 9100, журналы лежат в /var/log/alder.",
    "Máy chủ sếu dùng cổng 6007, nhật ký ở /opt/seu/logs.",
    "Servidor juniper na porta 5544, dados em /srv/juniper/dados.",
    "Der Rechner Wacholder hat 16 GB und die Adresse 192.0.2.31.",
    "ビルド用の機械 tanuki は 192.0.2.77、ログは /var/log/tanuki にある。",
    "빌드 서버 호랑이는 192.0.2.90 이고 로그는 /var/log/tiger 에 있다.",
    "Cron 7c1e90aa runs scripts/ledger_snapshot.py at 02:40 UTC every night.",
    "Release tags look like v2026.14.3; the changelog is docs/CHANGELOG.md.",
    "The Grafana folder Kestrel/Queues has the dashboards q-depth and q-age.",
    "Postgres 16 runs in the container kestrel-db with 4 GB of memory.",
    "The notebook sandbox keeps its temporary files in /tmp/nb-larkspur.",
]


@pytest.fixture
def core(tmp_path: Path) -> Iterator[MemoryCore]:
    settings = Settings(
        memory_dir=tmp_path / "memories",
        data_dir=tmp_path / "data",
        memory_char_limit=LIMIT,
        user_char_limit=USER_LIMIT,
    )
    with open_core(
        settings, clock=FakeClock(), ids=CountingIds(), embedder=HashEmbedder()
    ) as opened:
        yield opened


def write(tmp_path: Path, name: str, texts: list[str]) -> None:
    folder = tmp_path / "memories"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n§\n".join(texts), encoding="utf-8")


def entries(tmp_path: Path, name: str) -> list[str]:
    return (tmp_path / "memories" / name).read_text(encoding="utf-8").split("\n§\n")


def cold(core: MemoryCore, tmp_path: Path) -> list[str]:
    path = tmp_path / "export.jsonl"
    core.export(path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row["content"] for row in rows if row.get("tier") == "cold"]


def test_a_file_in_ten_languages_comes_down_in_one_run_and_every_fact_is_recalled(
    core: MemoryCore, tmp_path: Path
) -> None:
    write(tmp_path, "MEMORY.md", FACTS)

    report = core.overflow("memory")["memory"]

    left = entries(tmp_path, "MEMORY.md")
    assert report.characters_after <= 0.4 * LIMIT
    for fact in set(FACTS) - set(left):
        assert any(fact in hit.content for hit in core.recall(fact).hits)


def test_preferences_that_had_to_leave_stay_each_and_in_one_digest(
    core: MemoryCore, tmp_path: Path
) -> None:
    write(tmp_path, "USER.md", TASTES)

    result = core.store_fact(HOT, target="user")
    core.maintain(full=True)

    left = entries(tmp_path, "USER.md")
    kept = cold(core, tmp_path)
    digest = next(text for text in kept if text.startswith(ANCHOR_TITLE))
    gone = [taste for taste in TASTES if taste not in left]
    assert result.usage is not None
    assert result.usage.characters <= USER_LIMIT
    assert gone
    for taste in gone:
        assert taste in digest
        assert any(taste in text for text in kept if text != digest)


def test_saying_a_digested_preference_again_leaves_the_digest_alone(
    core: MemoryCore, tmp_path: Path
) -> None:
    write(tmp_path, "USER.md", TASTES)
    core.store_fact(HOT, target="user")
    gone = next(taste for taste in TASTES if taste not in entries(tmp_path, "USER.md"))

    result = core.store_fact(gone, target="user", scope="global")

    assert result.status in {
        StoreStatus.STORED,
        StoreStatus.COLD_DUPLICATE,
        StoreStatus.COLD_STORED_FALLBACK,
    }
    assert sum(text.startswith(ANCHOR_TITLE) for text in cold(core, tmp_path)) == 1


def test_the_plan_through_the_core_writes_nothing(core: MemoryCore, tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", FACTS)
    before = (tmp_path / "memories" / "MEMORY.md").read_bytes()

    plans = core.plan_overflow()

    assert set(plans) == {"memory", "user"}
    assert plans["memory"].characters_after <= 0.4 * LIMIT
    assert (tmp_path / "memories" / "MEMORY.md").read_bytes() == before
    assert core.usage().cold.live == 0


@pytest.mark.parametrize("name", ["MEMORY.md", "USER.md"])
@pytest.mark.parametrize("texts", [TASTES, FACTS])
@pytest.mark.parametrize("new", [HOT, COLD])
def test_whatever_is_written_to_whatever_full_file_it_ends_within_its_budget(
    core: MemoryCore, tmp_path: Path, name: str, texts: list[str], new: str
) -> None:
    write(tmp_path, name, texts)
    target = name.removesuffix(".md").lower()

    result = core.store_fact(new, target=target)

    assert result.usage is not None
    assert result.usage.characters <= result.usage.limit
    known = "\n".join([*entries(tmp_path, name), *cold(core, tmp_path)])
    assert all(text in known for text in [*texts, new])
