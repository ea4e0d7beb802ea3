"""Dense feed-forward networks: two matrices (MLP), or three with a gate (SwiGLU, GeGLU)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from symparam.component import Component, Dims, equation
from symparam.constraints import Equation
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.ledger import Matrix


class FeedForward(Component):
    """Two matrices with an activation between them: up to d_ff, down to d_model.

    ``W_up`` is (d_ff, d_model), ``W_down`` is (d_model, d_ff); ReLU, GELU and squared ReLU cost
    the same. The factor of four is a default with a name, not part of the component.
    """

    name = "mlp"
    slot = "ffn"
    title = "MLP"
    source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.3"
    prefix = "mlp."
    dims = (D_MODEL, D_FF)
    example = {"d_model": 5, "d_ff": 7}
    equations = (equation("d_ff", "4*d_model", "the usual expansion of a two-matrix FFN"),)
    bias_sites = ("ffn",)
    names = {"W_up": "up_proj.weight", "W_down": "down_proj.weight",
             "b_up": "up_proj.bias", "b_down": "down_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Up and down, with their biases where asked for."""
        yield Matrix("W_up", (d.d_ff, d.d_model), "up")
        yield Matrix("W_down", (d.d_model, d.d_ff), "down")
        if self.has_bias("ffn"):
            yield Matrix("b_up", (d.d_ff,), "bias of up", "bias")
            yield Matrix("b_down", (d.d_model,), "bias of down", "bias")


#: The usual inner width of a gated network.
TWO_THIRDS = equation("d_ff", "8/3*d_model",
                      "three matrices then cost what two of four times the width do")


def gated(d: Dims) -> Iterator[Matrix]:
    """Gate and up side by side, and down after their product."""
    yield Matrix("W_gate", (d.d_ff, d.d_model), "gate")
    yield Matrix("W_up", (d.d_ff, d.d_model), "up")
    yield Matrix("W_down", (d.d_model, d.d_ff), "down")


class Gated(Component, abstract=True):
    """Three matrices: gate and up side by side, down after their product."""

    slot = "ffn"
    source = "Shazeer 2020, arXiv:2002.05202, section 2"
    prefix = "mlp."
    dims: ClassVar[tuple[Dim, ...]] = (D_MODEL, D_FF)
    example = {"d_model": 5, "d_ff": 7}
    equations: ClassVar[tuple[Equation, ...]] = (TWO_THIRDS,)
    bias_sites = ("ffn",)
    names = {"W_gate": "gate_proj.weight", "W_up": "up_proj.weight", "W_down": "down_proj.weight",
             "b_gate": "gate_proj.bias", "b_up": "up_proj.bias", "b_down": "down_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Gate, up and down, with their biases where asked for."""
        yield from gated(d)
        if self.has_bias("ffn"):
            yield Matrix("b_gate", (d.d_ff,), "bias of the gate", "bias")
            yield Matrix("b_up", (d.d_ff,), "bias of up", "bias")
            yield Matrix("b_down", (d.d_model,), "bias of down", "bias")


class SwiGLU(Gated):
    """SwiGLU: ``down(silu(gate·x) * up·x)``, three matrices of d_model·d_ff.

    At d_ff = 8/3·d_model it costs what a two-matrix network of 4·d_model costs; models round
    d_ff to a multiple (LLaMA: up to 256), so that they meet 8/3 only nearly.
    """

    name = "swiglu"
    title = "SwiGLU"


class GeGLU(Gated):
    """GeGLU: as SwiGLU, with GELU for SiLU; the same matrices."""

    name = "geglu"
    title = "GeGLU"
