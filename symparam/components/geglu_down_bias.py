"""GeGLU whose last matrix alone has a bias."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.ffn import TWO_THIRDS, gated
from symparam.dims import D_FF, D_MODEL
from symparam.ledger import Matrix


class GeGLUDownBias(Component):
    """Gate and up without a bias, down with one, as GTE has it; three matrices of d_model·d_ff."""

    name = "geglu-down-bias"
    slot = "ffn"
    title = "GeGLU with a bias after it"
    source = "Zhang et al. 2024, mGTE, arXiv:2407.19669; Shazeer 2020, arXiv:2002.05202, section 2"
    prefix = "mlp."
    dims = (D_MODEL, D_FF)
    example = {"d_model": 5, "d_ff": 7}
    equations = (TWO_THIRDS,)
    names = {"W_gate": "gate_proj.weight", "W_up": "up_proj.weight", "W_down": "down_proj.weight",
             "b_down": "down_proj.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Gate, up and down, and the bias of down."""
        yield from gated(d)
        yield Matrix("b_down", (d.d_model,), "bias of down", "bias")
