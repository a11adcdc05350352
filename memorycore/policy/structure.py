"""What can be seen in a text besides its meaning: words of the lexicon, form, hard facts.

The result is a list of named numbers between 0 and 1. The linear head weighs them, the guards of
routing look at some of them by name, and the reasons given to people are made from them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memorycore.model.routing import Target
from memorycore.policy.marker_scan import MarkerHit
from memorycore.policy.markers import Lexicon, fold_for_matching
from memorycore.policy.text import has_cjk, sentences

COUNTED_SECTIONS = (
    "preference", "rule", "redline", "interaction", "identity", "completed", "pending", "negation",
    "weak_negation", "destructive", "approval", "person", "agent", "machine", "lasting", "rare",
    "recurrence", "errand", "contact", "honesty", "correction", "rule_label", "noise", "event", "closure",
)  # fmt: skip
"""Sections whose number of hits is a feature."""

OPENING_SECTIONS = ("imperative", "person", "machine", "agent", "rule", "negation", "completed")
"""Sections for which it matters that a clause begins with them."""

_READ = 4000
"""Characters that are looked at: longer texts are documents, and their beginning says what they are."""

_OPENING = 2
"""Characters within which a marker opens a clause: one sign may stand before it."""

_MANY = 3.0
_LONG_WORDS = 60.0
_CLAUSE = re.compile(r"[,;:.!?。！？，；：、—–()（）\n]+|\s-\s|->|→|=>")
_NUMBER = re.compile(r"\d+")
_BREADCRUMB = re.compile(r"^(?:user profile|profile|context|note|notes|memory)\s*[:：]\s*", re.I)

FORMS: dict[str, re.Pattern[str]] = {
    "digits": re.compile(r"\d"),
    "iso_date": re.compile(r"\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12]\d|3[01]))?\b"),
    "day_date": re.compile(r"(?<!\d)(?:[0-3]?\d[./][01]?\d\.?(?!\d)|\d{1,2}\s?月\s?\d{0,2}\s?日?|\d{1,2}월)"),
    "year": re.compile(r"(?<![\d.])(?:19|20)\d\d(?!\d)"),
    "clock": re.compile(r"(?<!\d)[0-2]?\d[:h][0-5]\d\b|\b\d{1,2}\s?(?:am|pm)\b", re.I),
    "money": re.compile(r"[$€£¥₽₩]\s?\d|\d\s?(?:[$€£¥₽₩]|eur\b|usd\b|rp\b|k\b|円|元|원|руб)", re.I),
    "unit": re.compile(r"\d\s?(?:%|°|ms|kg|km|gb|mb|kb|tb|min|h\b|cm|mm|px|x\b|l\b|w\b|v\b|m²)", re.I),
    "path": re.compile(r"(?:^|[\s`'\"(«（:：,，])(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@<>*-]+)*|[A-Z]:\\|\b[\w-]+\.(?:md|py|sh|yaml|yml|json|toml|csv|sql|conf|env|ts|js|txt|log)\b"),
    "url": re.compile(r"\b(?:https?|ssh|ftp)://|\bwww\."),
    "address": re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w.+-]+@[\w-]+\.\w+|:\d{2,5}\b"),
    "reference": re.compile(r"#\s?\d+|\b[A-Z]{1,6}-\d+|№\s?\d+|\b(?:PR|MR|v)\s?\d+", re.A),
    "code": re.compile(r"`[^`]+`|\b\w+_\w+\b|--\w|\b\w+\(\)"),
    "quoted": re.compile(r"[\"“”«»「」『』„]|(?<!\w)'[^']+'(?!\w)"),
    "trigger": re.compile(r"[\"”»」』'’]\s?(?:=|:|→|->|означает|means?\b|bedeutet|heißt|signif|quiere|quer |veut|意思|指的?是|は|라는|는|은|nghĩa|artinya)|\b(?:say|says|write|mean|digo|diga|disser|dis|sage|говорю|пишу)\s[\"“«'„]|说[\"“「]|说的?[\"“「]", re.I),
    "contrast": re.compile(r"\w\s?>\s?\w|, (?:not|nie|nicht|no|não|pas|не|bukan|không)\b|而不是|не .{1,20}, а |ではなく|말고", re.I),
    "capitals": re.compile(r"\b[A-ZА-ЯÀ-Þ]{4,}\b"),
    "bracketed": re.compile(r"【|^\s*\[[^\]]{2,24}\]|^\s*\*\*|⚠|❗|🚫|⛔"),
    "label": re.compile(r"^[^\n:：]{2,48}[:：](?!//)\s*\S"),
    "breadcrumb": re.compile(r"^\w[^\n:]{1,30}\s>\s[^\n:]{1,40}:"),
    "exclaim": re.compile(r"[!！]"),
    "question": re.compile(r"[?？]"),
    "semicolons": re.compile(r"[;；].*[;；]", re.S),
    "check": re.compile(r"✅|✔|☑|\[x\]|👍|🎉", re.I),
    "blank": re.compile(r"_{3,}|\[[^\]\d]{3,30}\]\s*[·;,]|\(optional\)|<[a-z_ ]+>|\.{4,}|\[ \]", re.I),
    "empty_label": re.compile(r"(?:^|\n)[-*\s]*(?:\*\*)?[^\n:：]{2,40}[:：](?:\*\*)?\s*(?=\n|$)|\{\w+\}"),
    "bold_label": re.compile(r"^\s*(?:[-*]\s+)?\*\*[^*\n]{2,30}\*\*[:：]?\s*[^\s_(*\[{<-]"),
    "tagged_date": re.compile(r"^\s*[\[(][^\])\n]{0,40}\d{2,4}[^\])\n]{0,20}[\])]"),
    "warning": re.compile(r"[⚠❗❌🚫⛔]|^[^\n]{0,3}(?:!{2,}|！{2,})"),
    "arrow": re.compile(r"→|->|=>"),
    "hedged": re.compile(r"[~≈±]\s?\d|\b(?:about|approx|circa|ca\.|около|etwa|rund|unos|cerca de|environ|約|约|khoảng)\b", re.I),
}  # fmt: skip
"""What a text may hold besides words, by name."""

_STARTING_WITH_NUMBER = frozenset({"iso_date", "day_date", "year", "clock"})
"""Forms that can start only where a number does."""

_A_DIGIT = (r"\d",)  # no text but a name for the digits of all scripts

_SIGNS: dict[str, tuple[str, ...]] = {
    "money": _A_DIGIT, "unit": _A_DIGIT, "reference": _A_DIGIT, "address": ("@", *_A_DIGIT),
    "path": ("/", ":\\", ".md", ".py", ".sh", ".yaml", ".yml", ".json", ".toml", ".csv", ".sql", ".conf", ".env",
             ".ts", ".js", ".txt", ".log"),
    "url": ("://", "www."),
    "code": ("`", "_", "--", "()"),
    "quoted": tuple("\"“”«»„「」『』'"),
    "trigger": tuple("\"“”«»„「」』'’"),
    "contrast": (">", ", ", "而不是", "ではなく", "말고"),
    "bracketed": ("【", "[", "**", "⚠", "❗", "🚫", "⛔"),
    "blank": ("___", "[", "(", "<", "...."),
    "empty_label": (":", "：", "{"),
    "warning": ("⚠", "❗", "❌", "🚫", "⛔", "!!", "！！"),
}  # fmt: skip
"""Of a form that is slow to look for, what it cannot be without; most texts have nothing of it."""

_ALL_SIGNS = {sign for signs in _SIGNS.values() for sign in signs}

_HARD_FACTS = ("money", "unit", "path", "url", "address", "code", "hedged")


@dataclass(frozen=True, slots=True)
class Structure:
    """The named numbers of one text, and the marker hits they came from."""

    values: dict[str, float]
    hits: dict[str, tuple[MarkerHit, ...]]

    def __getitem__(self, name: str) -> float:
        """Return the feature called `name`; an unknown one is an error."""
        return self.values[name]

    def words(self, section: str) -> tuple[str, ...]:
        """Return the marker words of `section` found, each once, in order."""
        return tuple(dict.fromkeys(hit.text for hit in self.hits.get(section, ())))


def read_structure(text: str, *, target: Target, lexicon: Lexicon) -> Structure:
    """Return the features of `text`; the names are the same for every text, in the same order."""
    body = _BREADCRUMB.sub("", text.strip()[:_READ])
    folded = fold_for_matching(body)
    scan = lexicon.scan(folded)
    hits = {name: scan.hits(name) for name in COUNTED_SECTIONS}
    values = {"user_file": float(target is Target.USER)}
    values |= {f"n_{name}": min(len(found), _MANY) / _MANY for name, found in hits.items()}
    values |= {f"has_{name}": float(bool(found)) for name, found in hits.items()}
    values |= _openings(folded, lexicon)
    values |= forms_of(body)
    values |= _size(body)
    values |= _combined(values)
    return Structure(values, hits)


def forms_of(body: str) -> dict[str, float]:
    """Return for every form whether it stands in `body`, as a feature of 0 or 1."""
    numbers = [number.start() for number in _NUMBER.finditer(body)]
    seen = {sign for sign in _ALL_SIGNS if sign in body}
    seen.update(_A_DIGIT if numbers else ())
    values = {}
    for name, form in FORMS.items():
        if name in _STARTING_WITH_NUMBER:
            found = any(form.match(body, start) for start in numbers)
        else:
            signs = _SIGNS.get(name)
            found = not (signs and seen.isdisjoint(signs)) and form.search(body) is not None
        values[f"form_{name}"] = float(found)
    return values


def _openings(folded: str, lexicon: Lexicon) -> dict[str, float]:
    clauses = [clause.strip(" \t\"'“”«»「」*-•§【】[]") for clause in _CLAUSE.split(folded)]
    clauses = [clause for clause in clauses if clause]
    scans = [lexicon.scan(clause[:40], reach=_OPENING) for clause in clauses]
    values = {}
    for name in OPENING_SECTIONS:
        opens = [scan.has(name, before=_OPENING) for scan in scans]
        values[f"first_{name}"] = float(bool(opens) and opens[0])
        values[f"share_{name}"] = sum(opens) / len(opens) if opens else 0.0
    last = lexicon.scan(clauses[-1] if clauses else "")
    values["last_completed"] = float(last.has("completed"))
    values["ends_imperative"] = float(
        any(hit.end >= len(last.text) - 2 for hit in last.hits("imperative"))
    )
    return values


def _size(body: str) -> dict[str, float]:
    wide = sum(map(has_cjk, body)) if has_cjk(body) else 0
    weight = (len(body) + 1.5 * wide) / 6.0
    numbers = len(_NUMBER.findall(body))
    parts = len(sentences(body))
    return {
        "length": min(weight / _LONG_WORDS, 1.0),
        "short": float(weight < 9),
        "medium": float(9 <= weight < 20),
        "one_sentence": float(parts <= 1),
        "many_sentences": float(parts >= 3),
        "numbers": min(numbers, 4) / 4.0,
        "ends_open": float(not body.endswith((".", "。", "!", "！"))),
    }


def _combined(v: dict[str, float]) -> dict[str, float]:
    hard = float(any(v[f"form_{name}"] for name in _HARD_FACTS))
    dated = max(v["form_iso_date"], v["form_day_date"], v["form_year"])
    behaviour = max(v["has_rule"], v["has_redline"], v["has_preference"], v["has_interaction"])
    done = v["has_completed"]
    user = v["user_file"]
    rules: dict[str, float] = {
        "hard_fact": hard,
        "dated": dated,
        "red_line_form": v["has_destructive"] * max(v["has_redline"], v["has_approval"]),
        "forbids_deed": v["has_destructive"] * v["has_negation"] * max(v["first_imperative"], v["has_redline"]),
        "asks_first": v["has_destructive"] * v["has_approval"],
        "imperative_talk": v["first_imperative"] * v["has_interaction"],
        "rule_talk": v["has_rule"] * v["has_interaction"],
        "machine_rule": v["has_machine"] * v["has_rule"] * (1 - v["first_imperative"]),
        "machine_fact": v["has_machine"] * hard,
        "bare_done": done * (1 - hard) * (1 - dated) * (1 - v["has_pending"]) * (1 - behaviour),
        "short_done": done * v["short"] * (1 - v["has_rule"]),
        "done_pending": done * v["has_pending"],
        "done_lasting": done * max(v["has_lasting"], hard),
        "done_dated": done * dated,
        "pending_only": v["has_pending"] * (1 - done),
        "errand_done": done * v["has_errand"],
        "rare_rule": v["has_rare"] * max(v["has_rule"], v["first_imperative"]),
        "user_identity": user * v["has_identity"],
        "user_preference": user * v["has_preference"],
        "user_imperative": user * v["first_imperative"],
        "user_fact": user * max(v["has_contact"], hard, dated) * (1 - behaviour),
        "user_done": user * done,
        "memory_imperative": (1 - user) * v["first_imperative"],
        "person_wants": v["has_person"] * v["has_preference"],
        "no_markers": float(not (behaviour or done or v["has_pending"] or v["has_identity"])),
        "closed": v["has_closure"] * (1 - behaviour),
        "closed_done": v["has_closure"] * done,
        "identity_plain": v["has_identity"] * (1 - dated) * (1 - done),
        "forbids_plainly": v["first_negation"] * (1 - hard),
        "agent_told": v["has_agent"] * max(v["has_rule"], v["first_imperative"]),
        "plain_short": v["short"] * (1 - behaviour) * (1 - done),
        "noise_form": max(v["has_noise"], v["form_blank"], v["form_empty_label"] * v["medium"]),
        "dated_plain": dated * (1 - behaviour),
    }  # fmt: skip
    return rules


Reader = Callable[[str], Structure]
"""A way to read a text's structure with lexicon and target already chosen."""
