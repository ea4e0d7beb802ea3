"""Inkling's parts: attention with biases by distance, short convolutions, scaled networks."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import GroupedQueryAttention
from symparam.components.mamba import K_CONV
from symparam.components.moe import D_EXPERT, N_EXPERTS, N_SHARED, TOP_K
from symparam.constraints import AtMost
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.ledger import Index, Matrix, State

D_REL = Dim("d_rel", r"d_{\text{rel}}", "numbers of a head that choose its biases by distance")
N_EXTENT = Dim("n_extent", r"n_{\text{extent}}", "distances that have a bias", ("rel_extent",))
_SOURCE = "transformers, models/inkling"


class ConvolvedAttention(GroupedQueryAttention):
    """Grouped-query attention with convolved keys and values, and biases that a token mixes.

    ``W_R`` (n_heads·d_rel, d_model) says how each head mixes the d_rel profiles of ``R`` (d_rel,
    n_extent), a bias for each distance; a filter of k_conv tokens goes over each number of the
    keys and of the values.
    """

    name = "convolved"
    title = "attention with convolved keys and biases by distance"
    source = _SOURCE
    dims = (*GroupedQueryAttention.dims, D_REL, N_EXTENT, K_CONV)
    example = {**GroupedQueryAttention.example, "d_rel": 13, "n_extent": 17, "k_conv": 7}
    names = {**GroupedQueryAttention.names, "W_R": "r_proj.weight", "R": "rel_logits_proj.proj",
             "C_K": "k_sconv.conv1d.weight", "C_V": "v_sconv.conv1d.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What grouped-query attention has, the biases by distance, two convolutions."""
        yield from super().matrices(d)
        yield Matrix("W_R", (d.n_heads * d.d_rel, d.d_model), "mix of the biases")
        yield Matrix("R", (d.d_rel, d.n_extent), "biases by distance", times=d.n_heads)
        yield Matrix("C_K", (d.n_kv * d.d_head, 1, d.k_conv), "convolution of keys", "convolution")
        yield Matrix("C_V", (d.n_kv * d.d_head, 1, d.k_conv), "convolution of values",
                     "convolution")

    def state(self, d: Dims) -> Iterator[State]:
        """Keys and values, and the last inputs of their convolutions, once a sequence."""
        yield from super().state(d)
        for name in "KV":
            yield State(f"tail_{name}", (d.n_kv * d.d_head, d.k_conv),
                        "last inputs of a convolution", stream="sequence")


class TokenConvolution(Component):
    """A filter of k_conv tokens over each channel: ``C`` is (d_model, 1, k_conv)."""

    name = "depthwise"
    slot = "convolution"
    title = "short convolution"
    source = _SOURCE
    prefix = "conv1d."
    dims = (D_MODEL, K_CONV)
    example = {"d_model": 5, "k_conv": 3}
    names = {"C": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters."""
        yield Matrix("C", (d.d_model, 1, d.k_conv), "convolution", "convolution")

    def state(self, d: Dims) -> Iterator[State]:
        """The convolution's last inputs, once a sequence."""
        yield State("tail", (d.d_model, d.k_conv), "last inputs of the convolution",
                    stream="sequence")


class ScaledNetwork(Component):
    """SwiGLU whose output one learned number multiplies."""

    name = "scaled-swiglu"
    slot = "ffn"
    title = "scaled SwiGLU"
    source = _SOURCE
    prefix = "mlp."
    dims = (D_MODEL, D_FF)
    example = {"d_model": 5, "d_ff": 7}
    names = {"W_gate": "gate_proj.weight", "W_up": "up_proj.weight", "W_down": "down_proj.weight",
             "g": "global_scale"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Three matrices and the number."""
        yield Matrix("W_gate", (d.d_ff, d.d_model), "gate")
        yield Matrix("W_up", (d.d_ff, d.d_model), "up")
        yield Matrix("W_down", (d.d_model, d.d_ff), "down")
        yield Matrix("g", (1,), "scale of the output", "gain")


class RoutedSharedExperts(Component):
    """Experts of which the router weighs the shared ones too: (n_experts + n_shared, d_model)."""

    name = "moe-routed-shared"
    slot = "ffn"
    title = "mixture with weighed shared experts"
    source = _SOURCE
    prefix = "mlp."
    dims = (D_MODEL, N_EXPERTS, TOP_K, D_EXPERT, N_SHARED)
    example = {"d_model": 11, "n_experts": 7, "top_k": 3, "d_expert": 5, "n_shared": 2}
    checks = (AtMost("top_k", "n_experts", "a token uses some of the experts that there are"),)
    names = {"W_router": "gate.weight", "g": "gate.global_scale",
             "balance": "gate.e_score_correction_bias",
             **{f"X_{part}": f"experts.*.{part}_proj.weight" for part in ("gate", "up", "down")},
             **{f"S_{part}": f"shared_experts.{part}_proj" for part in ("gate", "up", "down")}}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The router with its scale and balance, the routed experts, the shared ones."""
        yield Matrix("W_router", (d.n_experts + d.n_shared, d.d_model), "router")
        yield Matrix("g", (1,), "scale of the experts", "gain")
        yield Matrix("balance", (d.n_experts,), "load balance", "bias", status="buffer")
        of = (Index("expert", d.n_experts, d.top_k, d.top_k),)
        wide, narrow = (d.d_expert, d.d_model), (d.d_model, d.d_expert)
        for part, shape in (("gate", wide), ("up", wide), ("down", narrow)):
            yield Matrix(f"X_{part}", shape, f"experts' {part}", indices=of)
            yield Matrix(f"S_{part}", (d.n_shared, *shape), f"shared {part}")
