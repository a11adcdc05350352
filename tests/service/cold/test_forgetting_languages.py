"""Requests in ten languages under the bundled model: mostly right, and hardly ever wrong.

A request that finds nothing can be said in other words; one that takes the wrong memory cannot be counted on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memorycore.adapters.aboutness_file import load_aboutness_words
from memorycore.adapters.cold_sqlite import open_database
from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.learned_pairs import load_pair_scorer
from memorycore.adapters.relation_words import load_relation_words
from memorycore.errors import InvalidInputError
from memorycore.model.memory import Memory
from memorycore.policy.relation.comparing import Comparer
from memorycore.service.holdings import Held, Place
from memorycore.service.targets import Targets
from memorycore.service.vectors import Vectors
from memorycore.testing import FakeClock

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]
pytestmark = pytest.mark.parametrize("open_rows", ["sqlite"], indirect=True)

EN = (
    "Nadia works at Lumen Labs.",
    "Nadia lives in Porto.",
    "Nadia plays the bassoon.",
    "Rolf works at Lumen Labs.",
    "Rolf lives in Turku.",
    "The lift is being serviced.",
)
ZH = (
    "李娜在远山科技工作。",
    "李娜住在昆明。",
    "李娜喜欢吹巴松管。",
    "赵强在远山科技工作。",
    "赵强住在西安。",
    "电梯正在检修。",
)
RU = (
    "Надя работает в Люмен Лабс.",
    "Надя живёт в Твери.",
    "Надя играет на фаготе.",
    "Олег работает в Люмен Лабс.",
    "Олег живёт в Пскове.",
    "Лифт на ремонте.",
)
ES = (
    "Nadia trabaja en Lumen Labs.",
    "Nadia vive en Oporto.",
    "Nadia toca el fagot.",
    "Rolf trabaja en Lumen Labs.",
    "Rolf vive en Turku.",
    "El ascensor está en reparación.",
)
PT = (
    "Nadia trabalha na Lumen Labs.",
    "Nadia mora no Porto.",
    "Nadia toca fagote.",
    "Rolf trabalha na Lumen Labs.",
    "Rolf mora em Turku.",
    "O elevador está em manutenção.",
)
DE = (
    "Nadia arbeitet bei Lumen Labs.",
    "Nadia wohnt in Porto.",
    "Nadia spielt Fagott.",
    "Rolf arbeitet bei Lumen Labs.",
    "Rolf wohnt in Turku.",
    "Der Aufzug wird gerade gewartet.",
)
FR = (
    "Nadia travaille chez Lumen Labs.",
    "Nadia habite à Porto.",
    "Nadia joue du basson.",
    "Rolf travaille chez Lumen Labs.",
    "Rolf habite à Turku.",
    "L'ascenseur est en panne.",
)
JA = (
    "ナディアさんはルーメン社で働いています。",
    "ナディアさんは神戸に住んでいます。",
    "ナディアさんはファゴットを吹きます。",
    "田中さんはルーメン社で働いています。",
    "田中さんは仙台に住んでいます。",
    "エレベーターは点検中です。",
)
KO = (
    "민수는 루멘랩스에서 일한다.",
    "민수는 대구에 산다.",
    "민수는 바순을 연주한다.",
    "지영은 루멘랩스에서 일한다.",
    "지영은 부산에 산다.",
    "엘리베이터를 점검하고 있다.",
)
VI = (
    "Lan làm việc ở Lumen Labs.",
    "Lan sống ở Huế.",
    "Lan chơi kèn bassoon.",
    "Minh làm việc ở Lumen Labs.",
    "Minh sống ở Đà Nẵng.",
    "Thang máy đang được bảo trì.",
)
NOBODY: tuple[int, ...] = ()

REQUESTS = (
    (EN, "Nadia's employer", (0,)),
    (EN, "where Nadia lives", (1,)),
    (EN, "Rolf's city", (4,)),
    (EN, "forget all data on Rolf", (3, 4)),
    (EN, "Nadia allergies", NOBODY),
    (EN, "Rolf's pets", NOBODY),
    (EN, "Greta's employer", NOBODY),
    (ZH, "李娜的雇主", (0,)),
    (ZH, "李娜住在哪里", (1,)),
    (ZH, "李娜的爱好", (2,)),
    (ZH, "赵强的宠物", NOBODY),
    (ZH, "孙丽的工作", NOBODY),
    (RU, "место работы Нади", (0,)),
    (RU, "где живёт Надя", (1,)),
    (RU, "аллергии Нади", NOBODY),
    (RU, "работа Светы", NOBODY),
    (ES, "el trabajo de Nadia", (0,)),
    (ES, "dónde vive Nadia", (1,)),
    (ES, "trabajo de Greta", NOBODY),
    (PT, "emprego de Nadia", (0,)),
    (PT, "onde mora a Nadia", (1,)),
    (PT, "emprego de Greta", NOBODY),
    (DE, "Nadias Arbeitgeber", (0,)),
    (DE, "Wohnort von Nadia", (1,)),
    (DE, "Arbeitgeber von Greta", NOBODY),
    (FR, "l'employeur de Nadia", (0,)),
    (FR, "la ville de Nadia", (1,)),
    (FR, "l'employeur de Greta", NOBODY),
    (JA, "ナディアさんの勤務先", (0,)),
    (JA, "ナディアさんの住所", (1,)),
    (JA, "鈴木さんの勤務先", NOBODY),
    (KO, "민수의 직장", (0,)),
    (KO, "민수의 주소", (1,)),
    (KO, "철수의 직장", NOBODY),
    (VI, "nơi làm việc của Lan", (0,)),
    (VI, "Lan sống ở đâu", (1,)),
    (VI, "nơi làm việc của Hoa", NOBODY),
)

CORRECTIONS = (
    (EN, "Nadia's employer", "Nadia works at Brightwell now.", 0),
    (EN, "Nadia city", "Nadia moved to Riga.", 1),
    (ZH, "李娜的雇主", "李娜跳槽到明阳了。", 0),
    (ZH, "李娜的城市", "李娜搬到了西安。", 1),
    (RU, "место работы Нади", "Надя теперь в Брайтвелл.", 0),
    (RU, "город Нади", "Надя переехала в Ригу.", 1),
    (ES, "trabajo de Nadia", "Nadia ahora trabaja en Brightwell.", 0),
    (PT, "emprego de Nadia", "Nadia agora trabalha na Brightwell.", 0),
    (DE, "Wohnort von Nadia", "Nadia ist nach Riga gezogen.", 1),
    (FR, "la ville de Nadia", "Nadia a déménagé à Riga.", 1),
    (JA, "ナディアさんの勤務先", "ナディアさんはブライト社に転職した。", 0),
    (KO, "민수의 주소", "민수는 부산으로 이사했다.", 1),
    (VI, "nơi làm việc của Lan", "Lan chuyển sang Brightwell.", 0),
)


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Targets]:
    folder: Path = tmp_path_factory.mktemp("languages")
    database = open_database(folder / "memorycore.db")
    embedder = BundledEmbedder()
    yield Targets(
        database.repository,
        vectors=Vectors(embedder, clock=FakeClock()),
        words=load_aboutness_words(),
        comparer=Comparer(load_relation_words(), load_pair_scorer(embedder.model)),
    )
    database.close()


def held(bench: Bench, texts: tuple[str, ...]) -> list[Held]:
    found: list[Memory] = [bench.keep(text) for text in texts]
    return [Held(Place.LIVE, memory) for memory in found]


def meant(
    targets: Targets, kept: list[Held], query: str, *, new: str | None = None
) -> tuple[int, ...]:
    ids = [item.held.memory.id for item in targets.find(query, kept, new=new).meant]
    return tuple(at for at, one in enumerate(kept) if one.memory.id in ids)


def test_requests_are_understood_in_ten_languages_and_hardly_ever_take_the_wrong_memory(
    bench: Bench, targets: Targets
) -> None:
    stores = {texts: held(bench, texts) for texts in {texts for texts, _, _ in REQUESTS}}
    got = [(meant(targets, stores[texts], query), want) for texts, query, want in REQUESTS]
    wrong = sum(bool(set(found) - set(want)) for found, want in got)
    right = sum(found == want for found, want in got)
    assert wrong <= len(REQUESTS) // 20
    assert right >= len(REQUESTS) * 0.85


@pytest.mark.parametrize(
    "query",
    [
        "something else entirely",
        "whatever it was",
        "别的东西",
        "что-то совсем другое",
        "algo completamente distinto",
        "algo totalmente diferente",
        "etwas ganz anderes",
        "quelque chose d'autre",
        "何か他の",
        "전혀 다른 것",
        "một điều gì khác",
        "a brand new car",
        "the weather in Lisbon",
        "Olga's passport",
    ],
)
def test_a_request_that_names_nothing_stored_takes_nothing_from_a_store_of_few_texts(
    bench: Bench, targets: Targets, query: str
) -> None:
    for texts in (("New one.",), ("Test.", "Otro texto."), ("新的。", "We moved the desk.")):
        kept = held(bench, texts)
        try:
            found = meant(targets, kept, query)
        except InvalidInputError:
            found = ()
        assert found == ()


def test_corrections_replace_what_they_correct(bench: Bench, targets: Targets) -> None:
    stores = {texts: held(bench, texts) for texts in {texts for texts, *_ in CORRECTIONS}}
    got = [
        (meant(targets, stores[texts], query, new=new), (want,))
        for texts, query, new, want in CORRECTIONS
    ]
    assert sum(found == want for found, want in got) >= len(CORRECTIONS) * 0.9
