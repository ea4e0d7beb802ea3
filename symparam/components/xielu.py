"""xIELU, an activation with weights."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.ledger import Matrix


class XIELU(Component):
    """xIELU: two learned numbers a layer shape the activation, one for each sign of its input.

    A checkpoint holds two constants beside them, as buffers; each of the four is one number, the
    constants without an axis.
    """

    name = "xielu"
    slot = "activation"
    title = "xIELU"
    source = "Huang and Schlag 2024, arXiv:2411.13010, section 3"
    prefix = "mlp.act_fn."
    names = {"alpha_p": "alpha_p", "alpha_n": "alpha_n", "beta": "beta", "eps": "eps"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The two weights, and the two constants."""
        yield Matrix("alpha_p", (1,), "shape of the activation over zero", "gain")
        yield Matrix("alpha_n", (1,), "shape of the activation under zero", "gain")
        yield Matrix("beta", (), "slope of the activation at zero", "gain", status="buffer")
        yield Matrix("eps", (), "smallest negative input", "gain", status="buffer")
