"""What the model folder must hold, as the build wrote it down."""

import json
from pathlib import Path

MODEL = "multilingual-e5-small-int8/1"
DIMENSION = 384
ENCODER, TOKENIZER, WORDS = "encoder.onnx", "tokenizer.model", "words.q4"
REPAIR = "reinstall MemoryCore (in a checkout: pip install -e .)"


def defect(directory: Path) -> str | None:
    """What is wrong with the model folder and how to mend it, or None.

    Compares names, identity and sizes with the manifest; does not read the files.
    """
    try:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        expected = {name: manifest["files"][name]["bytes"] for name in (ENCODER, TOKENIZER, WORDS)}
        if manifest["model"] != MODEL:
            return f"{directory} holds {manifest['model']}, not {MODEL}: {REPAIR}"
    except OSError as fault:
        return f"no model in {directory} ({fault.strerror}): {REPAIR}"
    except (ValueError, KeyError, TypeError):
        return f"the manifest in {directory} is damaged: {REPAIR}"
    for name, size in expected.items():
        path = directory / name
        if not path.is_file():
            return f"{path} is missing: {REPAIR}"
        if path.stat().st_size != size:
            return f"{path} has {path.stat().st_size} bytes instead of {size}: {REPAIR}"
    return None
