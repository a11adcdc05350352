import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.learned_routing import load_routing_head
from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.model.routing import EntryType, Route, Target
from memorycore.policy.habits import tells_a_habit
from memorycore.policy.routing import Router

DATA = Path(__file__).parent.parent / "data"
LEXICON = load_lexicon()
LEARNED = Router(LEXICON, load_routing_head(None))
RULES = Router(LEXICON)
BOTH = pytest.mark.parametrize("router", [LEARNED, RULES], ids=["learned", "rules"])

RED_LINES = (
    "Never publish anything in the shop's name without asking me first.",
    "未经我同意,严禁删除生产库的数据。",
    "Запрещено отправлять письма клиентам без моего подтверждения.",
    "Nunca borres copias de seguridad sin preguntarme antes.",
    "Nunca envie pagamentos sem minha aprovação explícita.",
    "Niemals Kundendaten ohne Freigabe weitergeben.",
    "Ne supprime jamais un dossier client sans mon accord explicite.",
    "許可なく顧客データを外部に送信することは絶対に禁止。",
    "승인 없이 고객 데이터를 외부로 보내지 말 것. 절대 금지.",
    "Tuyệt đối không xóa dữ liệu khách hàng khi chưa hỏi tôi trước.",
)
FINISHED = (
    "Deploy finished, all green.",
    "部署完成,没有报错。",
    "Выкатка завершена, всё хорошо.",
    "Despliegue terminado, todo bien.",
    "Deploy concluído, tudo certo.",
    "Auslieferung erledigt, alles gut.",
    "Déploiement terminé, rien à signaler.",
    "デプロイ完了、問題なし。",
    "배포 완료, 이상 없음.",
    "Đã triển khai xong, không lỗi.",
)
STILL_OPEN = (
    "Fixed the login bug, but the export of 214 rows is still pending.",
    "登录缺陷已修复,导出的214行还没处理,待财务确认。",
    "Вход исправлен, но выгрузка 214 строк ещё не сделана, ждёт бухгалтерию.",
    "Acceso corregido, pero la exportación de 214 filas sigue pendiente.",
    "Login corrigido, mas a exportação de 214 linhas ainda está pendente.",
    "Anmeldung behoben, der Export von 214 Zeilen steht noch aus.",
    "Connexion corrigée, mais l'export des 214 lignes reste à faire.",
    "ログインは修正済み、214行の書き出しはまだ未対応。",
    "로그인은 수정됨, 214행 내보내기는 아직 보류.",
    "Đã sửa đăng nhập, nhưng xuất 214 dòng vẫn chưa xong, chờ kế toán.",
)

HABITS = (
    "The report is sent on Mondays.",
    "Deployment is completed on Fridays after review.",
    "Tests are finished by five every weekday.",
    "The cache is cleared at midnight.",
    "报告每周一发送。",
    "食堂11:45关门。",
    "Отчёты отправлены бывают по понедельникам.",
    "Los informes quedan enviados los lunes.",
    "Os relatórios são enviados às segundas.",
    "Die Sicherung ist täglich um vier fertig.",
    "Server wird sonntags neu gestartet.",
    "Les déploiements sont terminés le vendredi.",
    "レポートは毎週月曜に送信済みになる",
    "보고서는 매주 월요일에 발송 완료된다",
    "Cửa hàng đóng cửa lúc 19:00.",
)
"""What recurs, in verbs that read like a finished deed."""

REPORTS = (
    "The invoice was sent on Monday, all done.",
    "Backup finished at 03:10, all good.",
    "The nightly job is done, no errors.",
    "会议九点已结束,一切正常。",
    "Đã đóng cửa lúc 19:00, xong việc.",
    "Le déploiement du vendredi 3 est terminé, rien à signaler.",
)
"""Single events, although a day or an hour is named."""


@BOTH
@pytest.mark.parametrize("text", HABITS)
def test_what_recurs_is_kept_although_it_reads_like_a_finished_deed(
    router: Router, text: str
) -> None:
    assert router.classify(text, target=Target.MEMORY).route is not Route.STALE


@pytest.mark.parametrize("text", REPORTS)
def test_a_single_event_with_a_day_or_an_hour_is_no_habit(text: str) -> None:
    assert not tells_a_habit(text)


@BOTH
@pytest.mark.parametrize("text", RED_LINES)
def test_a_red_line_is_protected_and_hot_in_every_language(router: Router, text: str) -> None:
    got = router.classify(text, target=Target.MEMORY)

    assert (got.route, got.type, got.protected) == (Route.HOT, EntryType.RULE, True)


@BOTH
@pytest.mark.parametrize("noun", ["template", "news digest", "placeholder entry"])
def test_a_red_line_about_a_template_is_no_template_filler(router: Router, noun: str) -> None:
    text = f"Never send the {noun} to customers without asking me first."

    got = router.classify(text, target=Target.MEMORY)

    assert (got.route, got.protected) == (Route.HOT, True)


@pytest.mark.parametrize("text", FINISHED)
def test_a_bare_finished_status_is_stale(text: str) -> None:
    got = LEARNED.classify(text, target=Target.MEMORY)

    assert (got.route, got.type) == (Route.STALE, EntryType.STATE)


@BOTH
@pytest.mark.parametrize("text", STILL_OPEN)
def test_pending_beats_completion(router: Router, text: str) -> None:
    assert router.classify(text, target=Target.MEMORY).route is not Route.STALE


@BOTH
def test_importance_alone_makes_a_text_hot_and_says_so(router: Router) -> None:
    text = "The boiler was serviced on 2031-05-02 by Brandt, invoice 4471."

    ordinary = router.classify(text, target=Target.MEMORY)
    important = router.classify(text, target=Target.MEMORY, importance=0.9)

    assert ordinary.route is Route.COLD
    assert (important.route, important.behavioural) == (Route.HOT, False)
    assert "importance" in important.reasons[0]


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        "The parser must receive UTF-8, port 8443 only accepts TLS 1.2.",
        "Der Server muss auf Port 8443 laufen, sonst bricht der Dienst ab.",
        "接口必须传 tenant 字段,超时 30s,端口 8443。",
    ],
)
def test_a_must_about_a_machine_is_a_cold_fact(router: Router, text: str) -> None:
    assert router.classify(text, target=Target.MEMORY).route is Route.COLD


@BOTH
def test_template_filler_is_stale(router: Router) -> None:
    text = (
        "**Pronouns:** _(optional)_ Learn about the person you're helping. Update this as you go."
    )

    got = router.classify(text, target=Target.USER)

    assert got.route is Route.STALE
    assert "template" in got.reasons[0]


@BOTH
@pytest.mark.parametrize(
    "text", ["**Name:** Odalys", "- **What to call them:** Oda", "**Backup:** by post"]
)
def test_a_template_field_that_was_filled_in_is_kept(router: Router, text: str) -> None:
    assert router.classify(text, target=Target.USER).route is not Route.STALE


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        "Grafana is on port 3000",
        "Karl maintains the parser",
        "Der Chef heißt Olaf",
        "前端用 Svelte 写的",
        "Мы используем GitLab",
        "Tiene dos hijos",
        "息子は小学三年生",
        "우리는 슬랙을 쓴다",
        "Nhóm dùng Slack",
        "Search the log before asking what the user may have answered already.",
    ],
)
def test_a_plain_short_text_without_any_sign_of_an_end_is_never_dropped(
    router: Router, text: str
) -> None:
    assert router.classify(text, target=Target.MEMORY).route is not Route.STALE


def test_a_vector_of_another_length_falls_back_to_structure() -> None:
    router = Router(LEXICON, load_routing_head("multilingual-e5-small-int8/1"))
    text = RED_LINES[0]
    strange = np.ones(7, dtype=np.float32)

    with_strange = router.classify(text, target=Target.MEMORY, vector=strange)

    assert with_strange == router.classify(text, target=Target.MEMORY)


def test_the_structure_alone_routes_the_labelled_texts() -> None:
    rows = [
        json.loads(line) for line in (DATA / "eval/routing.jsonl").read_text("utf-8").splitlines()
    ]
    got = [LEARNED.classify(row["text"], target=Target(row["target"])) for row in rows]

    right = sum(one.route == row["route"] for one, row in zip(got, rows, strict=True))
    lasting = [(one, row) for one, row in zip(got, rows, strict=True) if row["route"] != "stale"]
    dropped = sum(one.route is Route.STALE for one, _ in lasting)
    protected = [
        one.route is Route.HOT for one, row in zip(got, rows, strict=True) if row["protected"]
    ]

    assert right / len(rows) >= 0.88
    assert dropped / len(lasting) <= 0.005
    assert sum(protected) / len(protected) >= 0.95


@BOTH
@given(text=st.text(), importance=st.floats(0, 1), target=st.sampled_from(Target))
def test_any_text_gets_a_route_a_type_and_a_reason(
    router: Router, text: str, importance: float, target: Target
) -> None:
    got = router.classify(text, target=target, importance=importance)

    assert got.reasons
    assert 0.0 <= got.confidence <= 1.0
    assert not (got.protected and got.route is not Route.HOT)
