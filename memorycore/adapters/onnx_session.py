"""ONNX Runtime as the embedders use it: on the processor, quiet, its faults in our tree."""

import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memorycore.errors import EmbedderError

_QUIET = 4


class OnnxSession:
    """A loaded model with one output.

    Args:
        path: the model file.
        threads: processor threads for one run.
        fuse: let the runtime merge operators; off for a graph that is already what it should be.

    Raises:
        EmbedderError: the file or the runtime does not load.
    """

    def __init__(self, path: Path, *, threads: int = 1, fuse: bool = True) -> None:
        with onnx_faults():
            # A quarter of a second: paid by the first embedding, not by every start.
            import onnxruntime  # noqa: PLC0415

            levels = onnxruntime.GraphOptimizationLevel
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            options.log_severity_level = _QUIET
            options.graph_optimization_level = (
                levels.ORT_ENABLE_ALL if fuse else levels.ORT_ENABLE_BASIC
            )
            # Saves a tenth of the memory: the copies made for the processor's kernels are the only ones.
            options.add_session_config_entry("session.use_device_allocator_for_initializers", "1")
            self._session = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )

    def run(self, inputs: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """The output for `inputs`, by name. May run in several threads at once.

        Raises:
            EmbedderError: the model does not take these inputs or breaks on them.
        """
        with onnx_faults():
            output: npt.NDArray[np.float32] = self._session.run(None, dict(inputs))[0]
        return output


def missing_package(*names: str) -> str | None:
    """The first of the packages that is not installed, with its remedy, or None."""
    for name in names:
        if importlib.util.find_spec(name) is None:
            return f"the package {name} is not installed: pip install {name}"
    return None


@contextmanager
def onnx_faults() -> Iterator[None]:
    """Turn what the runtime, its tokenisers and the file system raise into `EmbedderError`."""
    try:
        # The runtime's exceptions are to be had only with the runtime.
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # noqa: PLC0415
    except ImportError as fault:
        raise EmbedderError(f"onnxruntime does not load ({fault}): reinstall it") from fault
    damaged = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf)
    unusable = (state.NoSuchFile, state.NotImplemented, state.RuntimeException)
    try:
        yield
    except (*damaged, *unusable, RuntimeError, OSError, ValueError, ImportError) as fault:
        raise EmbedderError(
            f"the embedding model does not work: reinstall its package ({fault})"
        ) from fault
