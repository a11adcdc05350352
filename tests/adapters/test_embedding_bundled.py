import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from memorycore.adapters import embedding_bundled
from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.errors import EmbedderError

MODEL_FOLDER = Path(embedding_bundled.__file__).parent / "model"
REFERENCE = Path(__file__).parent.parent / "data" / "embedding"
TEXTS: list[str] = json.loads((REFERENCE / "reference_texts.json").read_text(encoding="utf-8"))
Matrix = npt.NDArray[np.float32]

ODD_TEXTS = ["", " \t\n", "\0", "\ud83d lone \udc00", "\u200b", "§", "🜁" * 40, "\u0301" * 600]


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A copy of the model folder that a test may damage; the large files are links."""
    for source in MODEL_FOLDER.iterdir():
        (tmp_path / source.name).symlink_to(source)
    yield tmp_path
    shutil.rmtree(tmp_path)


def replace(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def reference(kind: str) -> Matrix:
    with np.load(REFERENCE / "reference_vectors.npz") as stored:
        vectors = stored[kind].astype(np.float32)
    unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def test_passages_agree_with_the_engine_the_weights_come_from(embedder: BundledEmbedder) -> None:
    cosines = (embedder.embed_passages(TEXTS) * reference("passages")).sum(axis=1)
    assert len(cosines) == 30
    assert cosines.min() >= 0.997


def test_queries_agree_with_the_engine_the_weights_come_from(embedder: BundledEmbedder) -> None:
    queries = np.stack([embedder.embed_query(text) for text in TEXTS])
    assert (queries * reference("queries")).sum(axis=1).min() >= 0.997


def test_vectors_are_unit_rows_of_the_named_dimension(embedder: BundledEmbedder) -> None:
    rows = embedder.embed_passages(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dimension)
    assert embedder.embed_query(TEXTS[0]).shape == (embedder.dimension,)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)


def test_a_vector_does_not_depend_on_what_it_was_embedded_with(embedder: BundledEmbedder) -> None:
    texts = [*TEXTS, *ODD_TEXTS, "long " * 700]
    together = embedder.embed_passages(texts)
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_two_instances_give_the_same_bits(embedder: BundledEmbedder) -> None:
    np.testing.assert_array_equal(
        embedder.embed_passages(TEXTS), BundledEmbedder().embed_passages(TEXTS)
    )


def test_a_question_is_nearest_to_its_answer_across_languages(embedder: BundledEmbedder) -> None:
    questions = {
        "What food must my sister avoid?": 2,
        "Когда уходит поезд в Гданьск?": 25,
        "备份脚本在哪里？": 7,
        "¿Cuándo toma la gata su medicina?": 18,
    }
    rows = embedder.embed_passages(TEXTS)
    found = {text: int((rows @ embedder.embed_query(text)).argmax()) for text in questions}
    assert found == questions


@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_odd_text_gets_a_vector_like_any_other(embedder: BundledEmbedder, text: str) -> None:
    assert np.isfinite(embedder.embed_query(text)).all()
    assert np.isfinite(embedder.embed_passages([text])).all()


def test_no_texts_give_no_rows(embedder: BundledEmbedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)


def test_the_end_of_a_long_text_counts(embedder: BundledEmbedder) -> None:
    filler = "The weekly report lists every parcel that left the warehouse. " * 60
    ends = ["My blood group is AB negative.", "Der Garten braucht neue Zäune."]
    rows = embedder.embed_passages([filler + end for end in ends])
    assert not np.allclose(rows[0], rows[1], atol=1e-3)


@pytest.mark.slow
def test_a_text_without_end_is_read_to_a_limit(embedder: BundledEmbedder) -> None:
    rows = embedder.embed_passages(["word " * 10_000, "word " * 200_000])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)


def test_threads_share_one_embedder() -> None:
    shared = BundledEmbedder()
    rows: dict[int, Any] = {}

    def work(number: int) -> None:
        rows[number] = shared.embed_passages(TEXTS[number::4])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = shared.embed_passages(TEXTS)
    for number in range(4):
        np.testing.assert_allclose(rows[number], expected[number::4], atol=1e-6)


def test_nothing_heavy_is_imported_before_the_first_embedding() -> None:
    program = """
import sys
from memorycore.adapters.embedding_bundled import BundledEmbedder
made = BundledEmbedder()
assert made.probe() is None and made.model and made.dimension == 384
heavy = {"onnxruntime", "sentencepiece", "onnx", "tokenizers", "torch"}
print(sorted(heavy & set(sys.modules)))
made.embed_query("now")
print(sorted(heavy & set(sys.modules)))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == ["[]", "['onnxruntime', 'sentencepiece']"]


def test_the_model_folder_is_the_one_this_code_expects(embedder: BundledEmbedder) -> None:
    manifest = json.loads((MODEL_FOLDER / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["model"] == embedder.model
    assert (MODEL_FOLDER / "NOTICE.txt").read_text(encoding="utf-8").count("MIT") >= 3


@pytest.mark.parametrize("name", ["manifest.json", "encoder.onnx", "tokenizer.model", "words.q4"])
def test_a_missing_file_is_named_with_its_remedy(folder: Path, name: str) -> None:
    (folder / name).unlink()
    broken = BundledEmbedder(folder)
    assert "install" in (broken.probe() or "")
    with pytest.raises(EmbedderError, match="install"):
        broken.embed_query("where")


def test_no_folder_at_all_is_a_fault_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="install"):
        BundledEmbedder(tmp_path / "nothing").embed_query("where")


@pytest.mark.parametrize("name", ["encoder.onnx", "tokenizer.model", "words.q4"])
def test_a_cut_file_is_told_before_loading(folder: Path, name: str) -> None:
    replace(folder / name, b"short")
    assert name in (BundledEmbedder(folder).probe() or "")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"model": 1, "files": []}'])
def test_a_damaged_manifest_is_a_fault(folder: Path, content: bytes) -> None:
    replace(folder / "manifest.json", content)
    with pytest.raises(EmbedderError, match="install"):
        BundledEmbedder(folder).embed_query("where")


@pytest.mark.parametrize("name", ["encoder.onnx", "tokenizer.model", "words.q4"])
def test_damage_that_keeps_the_size_is_a_fault_when_it_is_met(folder: Path, name: str) -> None:
    replace(folder / name, b"\xff" * (MODEL_FOLDER / name).stat().st_size)
    broken = BundledEmbedder(folder)
    assert broken.probe() is None
    with pytest.raises(EmbedderError, match="install"):
        broken.embed_query("where")


def test_another_conversion_in_the_folder_is_refused(folder: Path) -> None:
    manifest = json.loads((MODEL_FOLDER / "manifest.json").read_text(encoding="utf-8"))
    replace(folder / "manifest.json", json.dumps(manifest | {"model": "other/9"}).encode())
    with pytest.raises(EmbedderError, match="other/9"):
        BundledEmbedder(folder).embed_query("where")


@pytest.mark.parametrize("package", ["onnxruntime", "sentencepiece"])
def test_a_missing_package_is_named_with_its_remedy(package: str) -> None:
    program = f"""
import sys
sys.modules[{package!r}] = None
from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.errors import EmbedderError
print(BundledEmbedder().probe())
try:
    BundledEmbedder().embed_query("now")
except EmbedderError as fault:
    print(fault)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.count(f"pip install {package}") == 2
