"""Inkling 2's attention: a gate and a sink from each token, queries whose length is bounded."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.convolved_attention import ConvolvedAttention
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

N_PATHS = Dim("n_paths", r"n_{\text{paths}}", "inputs of an attention that read blocks of layers "
              "apart")


class ClippedAttention(ConvolvedAttention):
    """Attention with convolved keys and biases by distance, whose outputs are gated.

    ``W_G`` (n_heads·d_head, d_model) is the gate, ``W_S`` (n_heads, d_model) makes the sinks.
    Queries and what mixes the biases have learned scales before their length is bounded. Where
    the convolutions are ``dynamic``, a filter of a channel is the sum of its own, ``D`` (k_conv,
    n_kv·d_head), and of one that each token makes for a head by ``W_D`` (n_kv·k_conv, d_model).
    """

    name = "clipped"
    title = "gated attention with convolved keys and queries of bounded length"
    source = "transformers, models/inkling2"
    names = {**ConvolvedAttention.names, "W_G": "gate_proj.weight", "W_S": "sink_proj.weight",
             "s_Q": "q_l2_clip.scale", "s_R": "rel_l2_clip.scale",
             **{f"D_{x}": f"{x.lower()}_sconv.static_weight" for x in "KV"},
             **{f"W_D{x}": f"{x.lower()}_sconv.weight_proj.weight" for x in "KV"}}

    dynamic: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What convolved attention has, with the gate, the sinks, the scales."""
        for matrix in super().matrices(d):
            if not (self.dynamic and matrix.role == "convolution"):
                yield matrix
        if self.dynamic:
            for part, what in (("K", "keys"), ("V", "values")):
                yield Matrix(f"D_{part}", (d.k_conv, d.n_kv * d.d_head), f"convolution of {what}",
                             "convolution")
                yield Matrix(f"W_D{part}", (d.n_kv * d.k_conv, d.d_model), f"filters of {what}")
        yield Matrix("W_G", (d.n_heads * d.d_head, d.d_model), "gate")
        yield Matrix("W_S", (d.n_heads, d.d_model), "sinks")
        yield Matrix("s_Q", (d.n_heads, d.d_head), "scale of the queries", "gain")
        yield Matrix("s_R", (d.n_heads, d.d_rel), "scale of the mix", "gain")


class BlockQueries(Component):
    """A vector of d_model for each of n_paths inputs that attends to what blocks of layers gave."""

    name = "queries"
    slot = "residual"
    title = "attention over blocks of layers"
    source = "Kimi Team 2026, Attention Residuals; transformers, models/inkling2"
    dims = (D_MODEL, N_PATHS)
    example = {"d_model": 5, "n_paths": 3}
    names = {"w_R": "query"}

    single: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The vectors, which multiply each block's sum; of a ``single`` input without an axis."""
        shape = (d.d_model,) if self.single else (d.n_paths, d.d_model)
        yield Matrix("w_R", shape, "scores of the blocks", times=0)
