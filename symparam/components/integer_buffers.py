"""What I-BERT keeps beside its weights to work with integers: buffers, none of them trained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from symparam.component import Component, Dims
from symparam.dims import D_FF, D_MODEL, N_CTX, N_TYPES, V
from symparam.ledger import Matrix, Number

#: The range of an activation, and what a norm keeps besides.
RANGE = ("x_min", "x_max", "act_scaling_factor")
NORM = ("shift", *(f"activation.{name}" for name in RANGE))
#: Matrices of a layer, and of which width each comes out and goes in: the network's or the model's.
LINEAR = {**{f"attention.{part}": ("d", "d") for part in (
    "self.query", "self.key", "self.value", "output.dense")},
    "intermediate.dense": ("f", "d"), "output.dense": ("d", "f")}
RANGES = (*(f"attention.self.{part}" for part in (
    "query_activation", "key_activation", "value_activation", "softmax.act", "output_activation")),
    *(f"{part}.{which}" for part in ("attention.output", "output")
      for which in ("ln_input_act", "output_activation")),
    "intermediate.output_activation", "pre_intermediate_act", "pre_output_act")
TABLES = ("word", "token_type", "position")


def _below(parts: Iterable[str], names: Iterable[str]) -> list[str]:
    return [f"{part}.{name}" for part in parts for name in names]


def _names(*lists: list[str]) -> dict[str, str]:
    """What tensors are called, by the names of matrices."""
    return {name.replace(".", "_"): name for each in lists for name in each}


def _buffer(name: str, shape: tuple[Number, ...]) -> Matrix:
    return Matrix(name.replace(".", "_"), shape, "integers and their scales", "state",
                  status="buffer")


class LayerIntegers(Component):
    """Of each matrix of a layer its integers and scales, and the range of each activation."""

    name = "layer"
    slot = "integers"
    title = "integers of a layer"
    source = "Kim et al. 2021, arXiv:2101.01321, section 3; transformers, models/ibert"
    dims = (D_MODEL, D_FF)
    example = {"d_model": 5, "d_ff": 7}
    ones: ClassVar = (*_below(RANGES, RANGE),
                      *_below(("attention.output.LayerNorm", "output.LayerNorm"), NORM))
    names = _names([*ones], _below(LINEAR, ("weight_integer", "fc_scaling_factor",
                                            "bias_integer")))

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The buffers."""
        width = {"d": d.d_model, "f": d.d_ff}
        for part, (out, within) in LINEAR.items():
            yield _buffer(f"{part}.weight_integer", (width[out], width[within]))
            yield _buffer(f"{part}.fc_scaling_factor", (width[out],))
            yield _buffer(f"{part}.bias_integer", (width[out],))
        for name in self.ones:
            yield _buffer(name, (1,))


class TableIntegers(Component):
    """The same of the tables of tokens, segments and positions, and of their sum."""

    name = "tables"
    slot = "integers"
    title = "integers of the embedding"
    source = LayerIntegers.source
    in_block = False
    dims = (V, N_TYPES, N_CTX, D_MODEL)
    example = {"V": 11, "n_types": 2, "n_ctx": 7, "d_model": 5}
    ones: ClassVar = (
        *_below([f"{table}_embeddings" for table in TABLES], ["weight_scaling_factor"]),
        *_below(("embeddings_act1", "embeddings_act2", "output_activation"), RANGE),
        *_below(("LayerNorm",), NORM))
    names = _names([*ones], [f"{table}_embeddings.weight_integer" for table in TABLES])

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The buffers."""
        for table, rows in zip(TABLES, (d.V, d.n_types, d.n_ctx), strict=True):
            yield _buffer(f"{table}_embeddings.weight_integer", (rows, d.d_model))
        for name in self.ones:
            yield _buffer(name, (1,))
