"""Texts that say what happens again and again: a time that recurs, told of no single day.

Such a text is worth keeping although its verb reads like a finished deed ("Reports are sent on Mondays"), in ten
languages. "The nightly job ran" and "le vendredi 3 mai" are single events and do not count.
"""

import re
import unicodedata

_WEEKDAYS = {
    "en": r"(?:mon|tues|wednes|thurs|fri|satur|sun)day",
    "de": r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)",
    "fr": r"(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)",
    "es": r"(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)",
    "pt": r"(?:segunda|terça|quarta|quinta|sexta|sábado|domingo)",
    "ru": r"(?:понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье)",
}

_RECURRING = re.compile(
    "|".join(
        (
            rf"\b{_WEEKDAYS['en']}s\b",
            (
                rf"\b(?:every|each)\s+(?:\w+\s+){{0,2}}?(?:{_WEEKDAYS['en']}|(?:week)?day|night|morning|evening"
                r"|afternoon|weekend|week|month|quarter|year|hour|(?:\d+\s+)?(?:minutes|hours|days|weeks))\b"
            ),
            r"\b(?:hourly|daily|nightly|weekly|monthly|yearly)\s+(?:at|on|around|before|by)\b",
            r"\b(?:first|last|second|third|fourth|\d+(?:st|nd|rd|th))\s+(?:\w+\s+)?of\s+(?:the|each|every)\s+month\b",
            r"\b(?:is|are)\s+(?:\w+\s+){1,3}at\s+(?:noon|midnight)\b",
            rf"\b(?:{_WEEKDAYS['de']}s|werktags|stündlich|täglich|wöchentlich|monatlich|jährlich)\b",
            rf"\bjede[nsr]?\s+(?:\w+\s+)?(?:{_WEEKDAYS['de']}|tag|nacht|morgen|abend|woche|monat|stunde|jahr)\b",
            rf"\b(?:les?|chaque)\s+{_WEEKDAYS['fr']}s?\b(?!\s+(?:\d|derni|proch|pass))",
            r"\b(?:chaque|tous\s+les|toutes\s+les)\s+(?:jour|nuit|matin|soir|semaine|mois|heure|an|lundi)\w*",
            rf"\b(?:los|cada)\s+{_WEEKDAYS['es']}\b(?!\s+(?:\d|pasad))",
            r"\b(?:cada|todos\s+los|todas\s+las)\s+(?:día|noche|mañana|tarde|semana|mes|hora|año)\w*",
            rf"\b(?:às|aos|cada|todas?\s+as|todos?\s+os|toda)\s+{_WEEKDAYS['pt']}s?\b(?!\s*\d)",
            r"\b(?:cada|todos?\s+os|todas\s+as|todo)\s+(?:dia|noite|manhã|tarde|semana|mês|meses|hora|ano)s?\b",
            (
                r"\bпо\s+(?:понедельникам|вторникам|средам|четвергам|пятницам|субботам|воскресеньям"
                r"|утрам|вечерам|ночам|будням|выходным)\b"
            ),
            rf"\bкажд(?:ый|ую|ое|ые)\s+(?:\w+\s+)?(?:{_WEEKDAYS['ru']}|день|ночь|утро|вечер|недел|месяц|час|год)",
            r"\bеже(?:дневно|недельно|месячно|часно|годно)\b",
            r"每[天日周週月年晚早逢隔]|每个?(?:星期|小时|工作日|季度)",
            r"毎[日週月朝晩夜年時]|曜日?(?:ごと|毎)",
            r"매(?:일|주|월|달|년|시간|일밤)|요일마다|날마다|매\s주",
            r"\b(?:hằng|hàng|mỗi)\s+(?:ngày|tuần|tháng|đêm|sáng|tối|giờ|năm|thứ)\b",
        )
    ),
    re.IGNORECASE,
)

_OPENING_HOUR = re.compile(r"\blúc\s+\d|\d{1,2}(?:[:：]\d\d|[点點])(?!\d)")
_PERFECTIVE = re.compile(r"\b(?:đã|xong|rồi|vừa)\b|[了已完过過毕畢]")
_MARKS_PERFECTIVE = re.compile(
    r"[ăđơưạ-ỹ]|^(?!.*[\u3040-\u30ff\uac00-\ud7af]).*[\u4e00-\u9fff]", re.S
)


def tells_a_habit(text: str) -> bool:
    """Tell whether a text names a time that recurs.

    Where a language marks what is over by a word of its own (Vietnamese, Chinese), a clock time without such a
    word recurs too: "the shop closes at seven" is no report.
    """
    plain = unicodedata.normalize("NFC", text)
    if _RECURRING.search(plain):
        return True
    unmarked = _MARKS_PERFECTIVE.search(plain.lower()) and not _PERFECTIVE.search(plain.lower())
    return bool(unmarked and _OPENING_HOUR.search(plain))
