"""Residual streams that are mixed by learned weights instead of one that is added to."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix, Product

N_STREAMS = Dim("n_streams", r"n_{\text{streams}}", "number of residual streams", ("hc_mult",))


class HyperConnection(Component):
    """How n streams go into a sublayer, come out of it, and mix: n + n + n·n weights a token.

    ``W_mix`` is (2·n_streams + n_streams·n_streams, n_streams·d_model), with a bias and a scale
    for each of the three.
    """

    name = "hyper-connection"
    slot = "residual"
    title = "hyper-connection"
    source = "Zhu et al. 2024, arXiv:2409.19606; Xie et al. 2025, arXiv:2512.24880"
    dims = (D_MODEL, N_STREAMS)
    example = {"d_model": 5, "n_streams": 3}
    names = {"W_mix": "fn", "b_mix": "base", "s_mix": "scale"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The weights' matrix, bias and scales."""
        rows = d.n_streams + d.n_streams + d.n_streams * d.n_streams
        yield Matrix("W_mix", (rows, d.n_streams * d.d_model), "weights of the streams")
        yield Matrix("b_mix", (rows,), "bias of the streams' weights", "bias")
        yield Matrix("s_mix", (3,), "scales of the streams' weights", "gain")

    def products(self, d: Dims) -> Iterator[Product]:
        """The streams mixed with their weights."""
        yield Product("mixed", (d.n_streams, d.n_streams, d.d_model), "streams with their weights",
                      over="nothing")


class IndependentConnection(HyperConnection):
    """A hyper-connection whose streams are weighted, in and out, and not mixed: n + n weights.

    ``W_mix`` is (2·n_streams, n_streams·d_model), with a bias and two scales.
    """

    name = "independent-connection"
    title = "hyper-connection without mixing"
    source = "transformers, models/hy_v4 (HYV4HyperConnection); Zhu et al. 2024, arXiv:2409.19606"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The weights' matrix, bias and scales."""
        rows = d.n_streams + d.n_streams
        yield Matrix("W_mix", (rows, d.n_streams * d.d_model), "weights of the streams")
        yield Matrix("b_mix", (rows,), "bias of the streams' weights", "bias")
        yield Matrix("s_mix", (2,), "scales of the streams' weights", "gain")

    def products(self, d: Dims) -> Iterator[Product]:
        """None: streams are scaled and added."""
        return iter(())


class HyperHead(Component):
    """How the streams become one before the final norm: a weight for each.

    ``W_join`` is (n_streams, n_streams·d_model), with a bias and one scale.
    """

    name = "hyper-head"
    slot = "residual"
    title = "join of residual streams"
    source = "DeepSeek-AI 2026, arXiv:2606.19348, section 2.2; transformers, models/deepseek_v4"
    in_block = False
    prefix = "hc_head."
    dims = (D_MODEL, N_STREAMS)
    example = {"d_model": 5, "n_streams": 3}
    names = {"W_join": "hc_fn", "b_join": "hc_base", "s_join": "hc_scale"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The weights' matrix, bias and scale."""
        yield Matrix("W_join", (d.n_streams, d.n_streams * d.d_model), "weights of the streams")
        yield Matrix("b_join", (d.n_streams,), "bias of the streams' weights", "bias")
        yield Matrix("s_join", (1,), "scale of the streams' weights", "gain")
