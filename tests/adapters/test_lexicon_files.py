from pathlib import Path

import pytest

from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.errors import ConfigurationError

LANGUAGES = ("en", "zh", "ru", "es", "pt", "de", "fr", "ja", "ko", "vi")
SAMPLES = {
    "preference": ("prefers", "偏好", "предпочитает", "prefiere", "prefere", "bevorzugt", "préfère", "好き", "선호", "thích"),
    "redline": ("forbidden", "严禁", "запрещено", "prohibido", "proibido", "verboten", "interdit", "禁止", "금지", "cấm"),
    "completed": ("merged", "完成", "готово", "resuelto", "concluído", "erledigt", "terminé", "完了", "완료", "xong"),
    "pending": ("not yet", "尚未", "ещё не", "todavía no", "ainda não", "noch nicht", "pas encore", "まだ", "아직", "chưa"),
    "negation": ("not", "不", "не", "no", "não", "nicht", "pas", "ない", "않", "không"),
}  # fmt: skip


@pytest.mark.parametrize("section", sorted(SAMPLES))
def test_every_product_language_is_in_each_section(section: str) -> None:
    lexicon = load_lexicon()

    missing = [
        language
        for language, word in zip(LANGUAGES, SAMPLES[section], strict=True)
        if not lexicon.has(section, word)
    ]

    assert missing == []


def test_a_user_folder_adds_words_and_exclusions(tmp_path: Path) -> None:
    (tmp_path / "sv.toml").write_text(
        'redline = ["förbjudet"]\n[exclude]\nredline = ["inte förbjudet"]\n', encoding="utf-8"
    )

    lexicon = load_lexicon([tmp_path])

    assert lexicon.has("redline", "Det är förbjudet att radera")
    assert not lexicon.has("redline", "Det är inte förbjudet")
    assert lexicon.has("redline", "严禁")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"rule = [", "not valid TOML"),
        (b'rule = "always"', "'rule'"),
        (b"rule = [1, 2]", "'rule'"),
        (b"exclude = 3", "exclude"),
        (b"rule = ['\xff']", "cannot be read"),
    ],
)
def test_a_broken_user_file_is_named_with_its_fault(
    tmp_path: Path, content: bytes, named: str
) -> None:
    (tmp_path / "broken.toml").write_bytes(content)

    with pytest.raises(ConfigurationError) as fault:
        load_lexicon([tmp_path])

    assert "broken.toml" in str(fault.value)
    assert named in str(fault.value)


def test_a_missing_user_folder_is_a_configuration_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a folder"):
        load_lexicon([tmp_path / "nowhere"])
