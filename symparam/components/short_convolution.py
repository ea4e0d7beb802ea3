"""A gated convolution over a few tokens."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL
from symparam.ledger import Matrix, State


class ShortConvolution(Component):
    """LFM2's operator: two gates around a convolution of k_conv tokens, a filter a channel.

    ``W_in`` (3·d_model, d_model) makes both gates and what they gate, ``W_conv`` is (d_model, 1,
    k_conv), ``W_out`` (d_model, d_model). Either all three have a bias or none has.
    """

    name = "short-convolution"
    slot = "mixer"
    title = "gated short convolution"
    source = "Liquid AI 2025, LFM2 technical report, arXiv:2511.23404; transformers, models/lfm2"
    prefix = "conv."
    dims = (D_MODEL, K_CONV)
    example = {"d_model": 5, "k_conv": 3}
    bias_sites = ("mixer",)
    names = {"W_in": "in_proj.weight", "b_in": "in_proj.bias", "W_conv": "conv.weight",
             "b_conv": "conv.bias", "W_out": "out_proj.weight", "b_out": "out_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Inwards, convolution, outwards; their biases where asked for."""
        yield Matrix("W_in", (3 * d.d_model, d.d_model), "channels and two gates")
        yield Matrix("W_conv", (d.d_model, 1, d.k_conv), "convolution", "convolution")
        yield Matrix("W_out", (d.d_model, d.d_model), "output")
        if self.has_bias("mixer"):
            yield Matrix("b_in", (3 * d.d_model,), "bias of channels and gates", "bias")
            yield Matrix("b_conv", (d.d_model,), "bias of the convolution", "bias")
            yield Matrix("b_out", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """The convolution's last inputs, once a sequence."""
        yield State("tail", (d.d_model, d.k_conv), "last inputs of the convolution",
                    stream="sequence")
