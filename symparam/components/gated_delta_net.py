"""Gated DeltaNet: linear attention that corrects what it remembers."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix, Product, State

N_KEY = Dim("n_key", r"n_{\text{key}}", "number of key heads of a linear attention", (
    "linear_num_key_heads",))
N_VALUE = Dim("n_value", r"n_{\text{value}}", "number of value heads of a linear attention", (
    "linear_num_value_heads",))
D_KEY = Dim("d_key", r"d_{\text{key}}", "width of one key head of a linear attention", (
    "linear_key_head_dim",))
D_VALUE = Dim("d_value", r"d_{\text{value}}", "width of one value head of a linear attention", (
    "linear_value_head_dim",))


class GatedDeltaNet(Component):
    """Gated DeltaNet: a state of d_key by d_value a value head, decayed and corrected a token.

    ``W_Q`` and ``W_K`` are (n_key·d_key, d_model), ``W_V`` and the output gate ``W_Z`` are
    (n_value·d_value, d_model); ``W_beta`` and ``W_alpha`` (n_value, d_model) say how much is
    written and forgotten. A convolution runs over queries, keys and values. Each value head is
    normed by one gain of d_value.
    """

    name = "gated-delta-net"
    slot = "mixer"
    title = "Gated DeltaNet"
    source = "Yang et al. 2024, arXiv:2412.06464, section 3"
    prefix = "linear_attn."
    dims = (D_MODEL, N_KEY, N_VALUE, D_KEY, D_VALUE, K_CONV)
    example = {"d_model": 13, "n_key": 3, "n_value": 5, "d_key": 7, "d_value": 11, "k_conv": 2}
    names = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
             "W_Z": "g_proj.weight", "W_beta": "b_proj.weight", "W_alpha": "a_proj.weight",
             "W_conv": "conv1d.weight", "dt": "dt_bias", "A_log": "A_log",
             "g_out": "o_norm.weight", "W_O": "o_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and gates; convolution; the state's own numbers; output."""
        keys, values = d.n_key * d.d_key, d.n_value * d.d_value
        yield Matrix("W_Q", (keys, d.d_model), "queries")
        yield Matrix("W_K", (keys, d.d_model), "keys")
        yield Matrix("W_V", (values, d.d_model), "values")
        yield Matrix("W_Z", (values, d.d_model), "gate of the output")
        yield Matrix("W_beta", (d.n_value, d.d_model), "strength of writing")
        yield Matrix("W_alpha", (d.n_value, d.d_model), "forgetting")
        yield Matrix("W_conv", (2 * keys + values, 1, d.k_conv), "convolution", "convolution")
        yield Matrix("dt", (d.n_value,), "offset of the forgetting", "state")
        yield Matrix("A_log", (d.n_value,), "decay of the state", "state")
        yield Matrix("g_out", (d.d_value,), "norm of each value head", "gain")
        yield Matrix("W_O", (d.d_model, values), "output")

    def state(self, d: Dims) -> Iterator[State]:
        """A matrix for each value head and the convolution's last inputs, once a sequence."""
        yield State("S", (d.n_value, d.d_key, d.d_value), "state of the recurrence",
                    stream="sequence")
        yield State("tail", (2 * d.n_key * d.d_key + d.n_value * d.d_value, d.k_conv),
                    "last inputs of the convolution", stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """What a key recalls, what is written in its place, what a query reads: a recurrence."""
        shape = (d.n_value, d.d_key, d.d_value)
        yield Product("recall", shape, "state with the key", over="nothing")
        yield Product("write", shape, "key with what it lacks", over="nothing")
        yield Product("read", shape, "state with the query", over="nothing")
