"""Networks as ONNX files, for other programs: the same weights, the same numbers. Needs the extra `onnx`.

The graph takes `inputs`, (rows, inputs) of float32, as the encoding makes them (`States.observe(encoding).dense()`), and where a network has
several sections `section`, (rows,) of int64. Its `outputs` are numbers between 0 and 1, from the view of the seat that the encoding shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ludus.errors import LudusError, NotInstalledError
from ludus.files import write_atomically
from ludus.nets import storage
from ludus.nets.dense import WEIGHTS
from ludus.nets.network import Network

OPSET = 17  # of 2022: what every runtime reads by now
IR = 8


class _Graph:
    """Nodes and constants, one after the other."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self._helper, self._numpy = helper, numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: np.ndarray) -> str:
        """A constant, by its name."""
        self.constants.append(self._numpy.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, *inputs: str, to: str | None = None) -> str:
        """What a node of these inputs comes to, by its name."""
        out = to or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(kind, list(inputs), [out]))
        return out

    def layer(self, x: str, weights: np.ndarray, bias: np.ndarray, unit: str, name: str) -> str:
        """A layer of units; `weights` go from inputs (rows) to units (columns)."""
        sums = self.node("Gemm", x, self.constant(f"w{name}", weights), self.constant(f"b{name}", bias))
        return self.node(unit, sums)


def export(source: Path, target: Path) -> None:
    """Write the network of a model's file as ONNX. LudusError if it holds none, or if onnx is not installed."""
    try:
        from onnx import TensorProto, checker, helper, numpy_helper
    except ImportError:
        raise NotInstalledError(
            "models are exported by onnx, which is not installed: pip install 'ludus[onnx]'"
        ) from None
    tensors, facts = storage.load(source)
    graph = _Graph(helper, numpy_helper)
    build = _builder(tensors, facts, source)
    sections, inputs, outputs = build(graph)
    given = [helper.make_tensor_value_info("inputs", TensorProto.FLOAT, ["rows", inputs])]
    if sections > 1:
        given.append(helper.make_tensor_value_info("section", TensorProto.INT64, ["rows"]))
    result = helper.make_tensor_value_info("outputs", TensorProto.FLOAT, ["rows", outputs])
    made = helper.make_graph(graph.nodes, "ludus", given, [result], graph.constants)
    model = helper.make_model(
        made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR, producer_name="ludus",
    )  # fmt: skip
    helper.set_model_props(model, {"ludus": json.dumps(facts, sort_keys=True)})
    checker.check_model(model, full_check=True)
    write_atomically(target, model.SerializeToString(deterministic=True))


def _builder(
    tensors: dict[str, np.ndarray], facts: dict[str, Any], source: Path
) -> Callable[[_Graph], tuple[int, int, int]]:
    names = set(tensors)
    if facts.get("player") == "td" and names == set(Network._fields):
        return lambda graph: _value_network(graph, Network(**tensors))
    if facts.get("player") == "qlnn" and names == set(WEIGHTS):
        units = facts.get("settings", {}).get("units", "relu")
        return lambda graph: _dense_network(graph, tensors, "Sigmoid" if units == "sigmoid" else "Relu")
    raise LudusError(
        f"{source} holds no network that can be exported, but what player '{facts.get('player')}' plays by: export those of td and qlnn"
    )


def _value_network(graph: _Graph, net: Network) -> tuple[int, int, int]:
    """Each section judges all rows; which one counts, `section` says."""
    sections, inputs, _, outputs = net.shape
    chosen = ""
    for k in range(sections):
        hidden = graph.layer("inputs", net.w1[k], net.b1[k], "Sigmoid", f"1_{k}")
        output = graph.layer(hidden, net.w2[k].T, net.b2[k], "Sigmoid", f"2_{k}")
        if not chosen:
            chosen = output
            continue
        here = graph.node("Equal", "section", graph.constant(f"section_{k}", np.array([k], np.int64)))
        column = graph.node("Unsqueeze", here, graph.constant(f"axis_{k}", np.array([1], np.int64)))
        chosen = graph.node("Where", column, output, chosen)
    graph.node("Identity", chosen, to="outputs")
    return sections, inputs, outputs


def _dense_network(graph: _Graph, tensors: dict[str, np.ndarray], unit: str) -> tuple[int, int, int]:
    first = graph.layer("inputs", tensors["w1"], tensors["b1"], unit, "1")
    second = graph.layer(first, tensors["w2"], tensors["b2"], unit, "2")
    graph.node("Identity", graph.layer(second, tensors["w3"], tensors["b3"], "Sigmoid", "3"), to="outputs")
    return 1, tensors["w1"].shape[0], tensors["w3"].shape[1]
