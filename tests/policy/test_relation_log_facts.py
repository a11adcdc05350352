"""Records of single events from one template: every one of them is a fact of its own."""

import itertools
import random
from collections.abc import Iterator

import pytest

from memorycore.adapters.learned_pairs import load_pair_scorer
from memorycore.adapters.relation_words import load_relation_words
from memorycore.model.relation import Relation
from memorycore.policy.relation.comparing import Comparer

TEMPLATES = (
    "{date} PR #{num} merged",
    "{person} documented the {thing}.",
    "{person} moved the {thing} from {city} to the cloud.",
    "Rolled back the {thing} to {num}.{small}.",
    "{person} renamed the branch {ident} after the review.",
    "Сервис {thing} обновлён до {num}.{small}.",
    "{cjk}把{thing}升级到了{num}.{small}。",
    "{person} reviewed {person2}'s change to the {thing} in PR {num}.",
    "p95 latency of the {thing} went from {num} ms to {num2} ms on {date}.",
    "Queue depth of the {thing} was {num} at {time}.",
    "Ticket {ident} was closed by {person}.",
    "Deployed build {num} of the {thing} to {env}.",
    "{person} is on call in week {week}.",
    "Incident {ident}: the {thing} was down for {small} minutes.",
    "Invoice {ident} from {city} over {num} euros was paid on {date}.",
    "Meeting on {date} with {person}: agreed on {num} units for {city}.",
    "The {thing} processed {num} rows in run {ident}.",
    "{person} hat am {date} die {thing} im Ticket {ident} repariert.",
    "Am {date} brauchte der Lauf {ident} genau {small} Minuten.",
    "Rechnung {ident} an {city} wurde am {date} bezahlt.",
    "El {date} {person} cerró la incidencia {ident} de {city}.",
    "El lote {num} de {thing} salió de {city} el {date}.",
    "{person} a corrigé {thing} dans la version {num}, le {date}.",
    "La commande {ident} pour {city} est partie le {date}.",
    "{person} entregou o pedido {ident} em {city} no dia {date}.",
    "O lote {num} chegou a {city} em {date}.",
    "{person} закрыла задачу {ident} {date}.",
    "Заказ {ident} для города {city} отправлен {date}.",
    "За {date} сервис {thing} обработал {num} запросов.",
    "{date} 合并了 PR #{num}。",
    "{cjk}修复了{thing}的工单{ident}。",
    "{thing} 在 {date} 处理了 {num} 条消息。",
    "{cjk}和{cjk2}在{date}讨论了{ident}。",
    "{date}に{thing}の障害{ident}が{small}分で復旧した。",
    "{cjk}さんが{date}に{ident}を承認した。",
    "{date} {thing} 배포 {num}번이 {small}분 만에 끝났다.",
    "{date} 주문 {ident} 발송 완료.",
    "Đơn {ident} gửi đi {city} ngày {date}.",
    "{person} sửa lỗi {ident} của {thing} ngày {date}.",
)
PERSONS = (
    "Mateo",
    "Ana",
    "Priya",
    "Jonas",
    "Lena",
    "Omar",
    "Sofia",
    "Viktor",
    "Yuki",
    "Elena",
    "Marek",
    "Nadia",
    "Piotr",
    "Rosa",
    "Hugo",
    "Ivo",
)
CJK = ("林涛", "陈洁", "赵敏", "孙磊", "吴倩", "郑凯", "何璐", "高远", "罗晨", "谢雨")
THINGS = (
    "image-resizer",
    "auth-proxy",
    "billing-worker",
    "search-indexer",
    "mail-relay",
    "cache-warmer",
    "feed-parser",
    "audit-log",
    "rate-limiter",
    "session-store",
    "pdf-export",
    "geo-lookup",
)
CITIES = (
    "Lyon",
    "Porto",
    "Graz",
    "Malmö",
    "Brno",
    "Gdansk",
    "Turin",
    "Gent",
    "Cork",
    "Bilbao",
    "Split",
    "Zadar",
)


def _facts(count: int) -> list[tuple[str, str]]:
    """Return `count` different (template, text) records."""
    chance = random.Random(4242)
    made: dict[str, str] = {}
    while len(made) < count:
        template = chance.choice(TEMPLATES)
        person, person2 = chance.sample(PERSONS, 2)
        cjk, cjk2 = chance.sample(CJK, 2)
        num = chance.randint(2, 9999)
        made[
            template.format(
                date=f"2026-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
                person=person, person2=person2, cjk=cjk, cjk2=cjk2, num=num,
                num2=num + chance.randint(1, 90),
                small=chance.randint(2, 59), week=chance.randint(1, 52),
                time=f"{chance.randint(0, 23):02d}:{chance.randint(1, 59):02d}",
                ident=f"{chance.choice(('OPS', 'FIN', 'WEB', 'LAB'))}-{chance.randint(100, 9999)}",
                thing=chance.choice(THINGS), city=chance.choice(CITIES),
                env=chance.choice(("prod", "staging", "dev")),
            )
        ] = template  # fmt: skip
    return [(template, text) for text, template in made.items()]


def _neighbours(facts: list[tuple[str, str]], near: int) -> Iterator[tuple[str, str]]:
    """Yield each text with the next few of its template in alphabetical order: its closest kin."""
    ordered = sorted(facts)
    for template, group in itertools.groupby(ordered, key=lambda fact: fact[0]):
        texts = [text for _, text in group]
        assert template
        for i, text in enumerate(texts):
            for other in texts[i + 1 : i + 1 + near]:
                yield text, other
                yield other, text


def _taken_for_one(
    comparer: Comparer, facts: list[tuple[str, str]], near: int, every: int = 1
) -> list[str]:
    out = []
    for older, newer in itertools.islice(_neighbours(facts, near), 0, None, every):
        match = comparer.compare(older, newer)
        if match.relation is not Relation.DISTINCT:
            out.append(f"{match.relation} {match.score:.2f}: {older} | {newer}")
    return out


@pytest.mark.parametrize("trained", [True, False], ids=["trained", "rules only"])
def test_a_thousand_records_of_few_templates_stay_a_thousand_facts(trained: bool) -> None:
    scorer = load_pair_scorer("any model") if trained else None
    comparer = Comparer(load_relation_words(), scorer)

    assert _taken_for_one(comparer, _facts(1000), near=2) == []


def test_among_ten_thousand_records_of_few_templates_the_closest_kin_stay_apart() -> None:
    comparer = Comparer(load_relation_words(), load_pair_scorer("any model"))

    assert _taken_for_one(comparer, _facts(10_000), near=1, every=7) == []
