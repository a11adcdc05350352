"""A year of an agent's memory in a minute: five writes a day in seven languages, on a clock that is told the time.

After every write the hot file must be within its budget, and at the end every accepted fact must be found in the
hot files, the cold store or the trash.

    python stress/simulated_year.py --days 365 --limit 2200 --limit 1375
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from memorycore.bootstrap import open_core
from memorycore.model.results import StoreStatus
from memorycore.model.routing import Target
from memorycore.service.core import MemoryCore
from memorycore.settings import Settings
from memorycore.testing import CountingIds, FakeClock, HashEmbedder

TEMPLATES = [
    "User prefers answers about {w} in {n} lines at most, tag {k}.",
    "Host {w}-{k} listens on port {p}; its logs are in /var/log/{w}/{k}.",
    "PR #{p} for {w} ({k}) merged and deployed, CI green.",
    "NEVER push {w}-{k} to production without my explicit approval.",
    "Waiting for the certificate of {w}-{k}, requested on day {d}.",
    "用户希望关于{w}的报告不超过{n}行，编号{k}。",
    "{w} 服务器 {k} 的端口是 {p}，配置在 /etc/{w}/{k}.conf。",
    "已完成：{w} 任务 {k} 上线并合并，测试通过。",
    "Отвечай про {w} не длиннее {n} строк, метка {k}.",
    "Сервер {w}-{k}: порт {p}, копии лежат в /srv/{w}/{k}.",
    "Người dùng thích câu trả lời về {w} trong {n} dòng, mã {k}.",
    "Máy chủ {w}-{k} dùng cổng {p}, nhật ký ở /opt/{w}/{k}.",
    "O usuário prefere relatórios de {w} com {n} linhas, código {k}.",
    "Servidor {w}-{k} na porta {p}, dados em /srv/{w}/{k}.",
    "Der Nutzer mag bei {w} höchstens {n} Zeilen, Kennung {k}.",
    "{w} の報告は {n} 行以内にする。番号 {k}。",
]
WORDS = [
    "heron",
    "kestrel",
    "larkspur",
    "alder",
    "cobalt",
    "juniper",
    "marlin",
    "osprey",
    "quartz",
    "saffron",
]
WRITES_A_DAY = 5


def fact(rng: random.Random, number: int) -> tuple[str, str]:
    """Return a text and the key that only it holds."""
    key = f"k{number:05d}"
    text = rng.choice(TEMPLATES).format(
        w=rng.choice(WORDS), k=key, n=rng.randint(2, 9), p=rng.randint(2000, 9999), d=number
    )
    return key, text


def live_through(core: MemoryCore, clock: FakeClock, days: int) -> tuple[list[str], list[str]]:
    """Write for `days`; return the keys of accepted facts and what went wrong."""
    rng = random.Random(days)
    accepted, faults = [], []
    told: Counter[str] = Counter()
    for number in range(days * WRITES_A_DAY):
        key, text = fact(rng, number)
        result = core.store_fact(text, target=rng.choice([*Target]))
        told[result.status.value] += 1
        if result.status is not StoreStatus.REJECTED:
            accepted.append(key)
        usage = result.usage
        if usage is None or usage.characters > max(usage.limit, usage.protected_characters):
            faults.append(f"above budget: {usage}")
        clock.advance(hours=24 / WRITES_A_DAY)
        if number % (WRITES_A_DAY * 2) == 0:
            core.overflow()
    print(f"  {dict(told)}")
    return accepted, faults


def everything(core: MemoryCore, folder: Path) -> str:
    """Return all texts of hot files, cold store and trash."""
    export = folder / "export.jsonl"
    core.export(export)
    lines = export.read_text(encoding="utf-8").splitlines()
    hot = [path.read_text(encoding="utf-8") for path in (folder / "memories").glob("*.md")]
    trash = [item.memory.content for item in core.trash()]
    return "\n".join([*(json.loads(line).get("content", "") for line in lines), *hot, *trash])


def run(days: int, limit: int) -> list[str]:
    clock = FakeClock()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(
            memory_dir=folder / "memories",
            data_dir=folder / "data",
            memory_char_limit=limit,
            user_char_limit=limit,
        )
        with open_core(settings, clock=clock, ids=CountingIds(), embedder=HashEmbedder()) as core:
            accepted, faults = live_through(core, clock, days)
            blob = everything(core, folder)
            faults += [f"lost: {key}" for key in accepted if key not in blob]
            for usage in core.usage().hot:
                print(f"  {usage.target.value}: {usage.characters} of {usage.limit}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--limit", type=int, action="append")
    options = parser.parse_args()
    faults = []
    for limit in options.limit or [2200, 1375]:
        begun = time.monotonic()
        print(f"{options.days} days, budget {limit}:")
        found = run(options.days, limit)
        print(f"  {len(found)} faults, {time.monotonic() - begun:.0f} s")
        faults += found
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
