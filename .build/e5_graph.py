"""Builds the ONNX encoder: embedding rows and a mask in, one mean-pooled vector a text out.

Weights are int8 with one scale an output. Activations are quantised to uint8 with one scale a
token, so that a text's vector does not depend on what else is in the batch; the usual quantisation
by whole tensor makes it depend (cosine 0.993 to 0.997 between a padded batch and a single run).
Apart from attention everything works on tokens as rows of one matrix.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from e5_weights import Weights, dequantised
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper

INPUT, MASK, OUTPUT = "word_embeddings", "mask", "pooled"
_MICROSOFT = "com.microsoft"

# Weights use seven of their eight bits. Processors with AVX2 but without VNNI add pairs of
# uint8 x int8 products in 16 bits with saturation: 2 * 255 * 63 fits, 2 * 255 * 127 does not.
_WEIGHT_LIMIT = 63
_ACTIVATION_LIMIT = 127
_ACTIVATION_ZERO = 128


def encoder_model(weights: Weights) -> ModelProto:
    """The encoder of `weights` as a checked ONNX model.

    Inputs: `word_embeddings`, float32 (texts, tokens, hidden); `mask`, int32 (texts, tokens), 1 for
    a token and 0 for padding after it. Output: `pooled`, float32 (texts, hidden), not normalised.
    """
    builder = _Builder(weights)
    builder.embed()
    for layer in range(weights.shape.layers):
        builder.attend(layer)
        builder.feed_forward(layer)
    builder.pool()
    return builder.model()


class _Builder:
    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._shape = weights.shape
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._state = INPUT

    def embed(self) -> None:
        """Add positions and the text type, then normalise."""
        shape = self._shape
        types = self._weights.floats("emb.type")[: shape.hidden]
        positions = self._weights.floats("emb.pos").reshape(shape.positions, shape.hidden) + types
        self._constant("positions", positions)
        self._constant("zero", np.zeros(1, dtype=np.int64))
        self._add("Shape", [INPUT], "tokens", start=1, end=2)
        self._add("Slice", ["positions", "zero", "tokens", "zero"], "positions_used")
        self._add("Add", [INPUT, "positions_used"], "embedded")
        self._parameters("emb.ln.w", "emb.ln.b")
        self._norm("embedded", "emb.ln")
        self._prepare_rows()
        self._state = self._add("Reshape", ["emb.ln.out", "rows"], "embedded_rows")

    def attend(self, layer: int) -> None:
        """Self-attention, its output projection, and the residual norm."""
        at = f"l{layer}."
        hidden = self._shape.hidden
        names = [f"{at}{part}" for part in "qkv"]
        self._matrix(f"{at}qkv", [f"{name}.w" for name in names], hidden)
        biases = [self._weights.floats(f"{name}.b") for name in names]
        self._constant(f"{at}qkv.b", np.concatenate(biases))
        self._product(f"{at}qkv", self._state)
        self._add("Reshape", [f"{at}qkv", "texts_by_triple"], f"{at}qkv_texts")
        self._add("Split", [f"{at}qkv_texts"], *names, axis=-1, num_outputs=3)
        self._add(
            "MultiHeadAttention",
            [*names, f"{at}qkv.b", MASK],
            f"{at}context_texts",
            domain=_MICROSOFT,
            num_heads=self._shape.heads,
        )
        self._add("Reshape", [f"{at}context_texts", "rows"], f"{at}context")
        self._matrix(f"{at}ao", [f"{at}ao.w"], hidden)
        self._product(f"{at}ao", f"{at}context")
        self._residual(f"{at}ao", f"{at}aln")

    def feed_forward(self, layer: int) -> None:
        """The two-layer perceptron and the residual norm."""
        at = f"l{layer}."
        hidden, inner = self._shape.hidden, self._shape.inner
        self._matrix(f"{at}fi", [f"{at}fi.w"], hidden)
        self._product(f"{at}fi", self._state)
        self._parameters(f"{at}fi.b")
        self._add("BiasGelu", [f"{at}fi", f"{at}fi.b"], f"{at}active", domain=_MICROSOFT)
        self._matrix(f"{at}fo", [f"{at}fo.w"], inner)
        self._product(f"{at}fo", f"{at}active")
        self._residual(f"{at}fo", f"{at}oln")

    def pool(self) -> None:
        """The mean of the last states over the tokens that the mask keeps."""
        self._constant("tokens_axis", np.array([1], dtype=np.int64))
        self._constant("last_axis", np.array([2], dtype=np.int64))
        self._add("Reshape", [self._state, "texts_by_hidden"], "final")
        self._add("Cast", [MASK], "weight", to=TensorProto.FLOAT)
        self._add("Unsqueeze", ["weight", "last_axis"], "weight_column")
        self._add("Mul", ["final", "weight_column"], "kept")
        self._add("ReduceSum", ["kept", "tokens_axis"], "sum", keepdims=0)
        self._add("ReduceSum", ["weight", "tokens_axis"], "count", keepdims=1)
        self._add("Div", ["sum", "count"], OUTPUT)

    def model(self) -> ModelProto:
        """The finished graph as a model of the oldest format that has all its operators."""
        hidden = self._shape.hidden
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [
                helper.make_tensor_value_info(
                    INPUT, TensorProto.FLOAT, ["texts", "tokens", hidden]
                ),
                helper.make_tensor_value_info(MASK, TensorProto.INT32, ["texts", "tokens"]),
            ],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["texts", hidden])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_MICROSOFT, 1)]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=9, producer_name="memorycore"
        )
        checker.check_model(model)
        return model

    def _residual(self, branch: str, norm: str) -> None:
        """Add bias and residual, then normalise: faster than the one fused operator for it."""
        self._parameters(f"{norm}.w", f"{norm}.b", f"{branch}.b")
        self._add("Add", [branch, f"{branch}.b"], f"{branch}.biased")
        self._add("Add", [f"{branch}.biased", self._state], f"{branch}.residual")
        self._state = self._norm(f"{branch}.residual", norm)

    def _norm(self, state: str, norm: str) -> str:
        return self._add(
            "LayerNormalization",
            [state, f"{norm}.w", f"{norm}.b"],
            f"{norm}.out",
            axis=-1,
            epsilon=self._shape.epsilon,
        )

    def _prepare_rows(self) -> None:
        """Shapes, and the zero points and limits that every quantisation shares."""
        hidden = self._shape.hidden
        self._constant("rows", np.array([-1, hidden], dtype=np.int64))
        self._constant("flat", np.array([-1], dtype=np.int64))
        self._constant("hidden", np.array([hidden], dtype=np.int64))
        self._constant("triple", np.array([3 * hidden], dtype=np.int64))
        self._constant("one", np.array(1, dtype=np.float32))
        self._constant("step", np.array(1 / _ACTIVATION_LIMIT, dtype=np.float32))
        self._constant("zero_point", np.array(_ACTIVATION_ZERO, dtype=np.uint8))
        self._add("Shape", [MASK], "texts_tokens")
        self._add("Concat", ["texts_tokens", "hidden"], "texts_by_hidden", axis=0)
        self._add("Concat", ["texts_tokens", "triple"], "texts_by_triple", axis=0)
        self._add("ReduceProd", ["texts_tokens"], "row_count", keepdims=1)
        self._add("Expand", ["zero_point", "row_count"], "row_zero_points")

    def _product(self, name: str, state: str) -> None:
        """Multiply `state` by the int8 matrix `name`: scale = largest magnitude of the row / 127."""
        self._add("Abs", [state], f"{name}.magnitude")
        self._add("ReduceMax", [f"{name}.magnitude", "flat"], f"{name}.peak", keepdims=1)
        self._add("Mul", [f"{name}.peak", "step"], f"{name}.row_scale")
        self._add("Reshape", [f"{name}.row_scale", "flat"], f"{name}.row_scale_flat")
        self._add(
            "QuantizeLinear",
            [state, f"{name}.row_scale_flat", "row_zero_points"],
            f"{name}.quantised",
            axis=0,
        )
        self._add(
            "MatMulIntegerToFloat",
            [f"{name}.quantised", f"{name}.int8", "one", f"{name}.scale", "zero_point"],
            f"{name}.unscaled",
            domain=_MICROSOFT,
        )
        self._add("Mul", [f"{name}.unscaled", f"{name}.row_scale"], name)

    def _matrix(self, name: str, parts: list[str], columns: int) -> None:
        blocks = np.concatenate([self._weights.blocks(part, columns) for part in parts])
        values = dequantised(blocks)
        scale = np.abs(values).max(axis=1, keepdims=True) / np.float32(_WEIGHT_LIMIT)
        self._constant(f"{name}.int8", np.rint(values / scale).astype(np.int8).T)
        self._constant(f"{name}.scale", scale.ravel())

    def _parameters(self, *names: str) -> None:
        for name in names:
            self._constant(name, self._weights.floats(name))

    def _constant(self, name: str, values: npt.NDArray[np.generic]) -> None:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))

    def _add(
        self, operator: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: Any
    ) -> str:
        node = helper.make_node(
            operator, inputs, list(outputs), name=outputs[0], domain=domain, **attributes
        )
        self._nodes.append(node)
        return outputs[0]
