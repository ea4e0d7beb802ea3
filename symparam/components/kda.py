"""Kimi Delta Attention: linear attention that forgets each channel at its own pace."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix, Product, State

N_LINEAR = Dim("n_linear", r"n_{\text{linear}}", "number of heads of a linear attention",
               ("linear_num_heads",))
D_LINEAR = Dim("d_linear", r"d_{\text{linear}}", "width of one head of a linear attention",
               ("linear_head_dim",))


class _Delta(Component, abstract=True):
    """What both kinds share; they differ in the matrices of forgetting and of the output gate."""

    slot = "mixer"
    prefix = "self_attn."
    dims = (D_MODEL, N_LINEAR, D_LINEAR, K_CONV)
    example = {"d_model": 11, "n_linear": 3, "d_linear": 5, "k_conv": 2}

    @abstractmethod
    def gates(self, d: Dims) -> Iterator[Matrix]:
        """Forgetting and output gate."""

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and their convolution; gates; norm of each head; output."""
        width = d.n_linear * d.d_linear
        yield Matrix("W_Q", (width, d.d_model), "queries")
        yield Matrix("W_K", (width, d.d_model), "keys")
        yield Matrix("W_V", (width, d.d_model), "values")
        yield Matrix("W_conv", (width + width + width, 1, d.k_conv), "convolution", "convolution")
        yield from self.gates(d)
        yield Matrix("dt", (width,), "offset of the forgetting", "state")
        yield Matrix("W_beta", (d.n_linear, d.d_model), "strength of writing")
        yield Matrix("g_out", (d.d_linear,), "norm of each head", "gain")
        yield Matrix("W_O", (d.d_model, width), "output")

    def state(self, d: Dims) -> Iterator[State]:
        """A matrix for each head and the convolution's last inputs, once a sequence."""
        width = d.n_linear * d.d_linear
        yield State("S", (width, d.d_linear), "state of the recurrence", stream="sequence")
        yield State("tail", (width + width + width, d.k_conv), "last inputs of the convolution",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """What a key recalls, what is written in its place, what a query reads: a recurrence."""
        shape = (d.n_linear, d.d_linear, d.d_linear)
        yield Product("recall", shape, "state with the key", over="nothing")
        yield Product("write", shape, "key with what it lacks", over="nothing")
        yield Product("read", shape, "state with the query", over="nothing")


class KimiDeltaAttention(_Delta):
    """Kimi Delta Attention: forgetting and output gate through a rank of d_linear.

    ``W_Q``, ``W_K`` and ``W_V`` are (n_linear·d_linear, d_model), with a convolution over each
    of their channels. ``W_Fa`` and ``W_Za`` are (d_linear, d_model), ``W_Fb`` and ``W_Zb``
    (n_linear·d_linear, d_linear); ``W_beta`` (n_linear, d_model) says how much is written.
    """

    name = "kda"
    title = "Kimi Delta Attention"
    source = "Kimi Team 2025, arXiv:2510.26692, section 3"
    names = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
             "W_conv": "conv1d.weight", "W_Fa": "forget_gate.f_a_proj.weight",
             "W_Fb": "forget_gate.f_b_proj.weight", "dt": "forget_gate.dt_bias",
             "A_log": "forget_gate.A_log", "W_beta": "b_proj.weight",
             "W_Za": "g_a_proj.weight", "W_Zb": "g_b_proj.weight", "g_out": "o_norm.weight",
             "W_O": "o_proj.weight"}

    def gates(self, d: Dims) -> Iterator[Matrix]:
        """Each through the rank; the decay of a head."""
        width = d.n_linear * d.d_linear
        yield Matrix("W_Fa", (d.d_linear, d.d_model), "forgetting, down")
        yield Matrix("W_Fb", (width, d.d_linear), "forgetting, up")
        yield Matrix("A_log", (1, 1, d.n_linear, 1), "decay of the state", "state")
        yield Matrix("W_Za", (d.d_linear, d.d_model), "gate of the output, down")
        yield Matrix("W_Zb", (width, d.d_linear), "gate of the output, up")


class FullDeltaAttention(_Delta):
    """Kimi Delta Attention whose forgetting and output gate have full rank.

    ``W_F`` and ``W_Z`` are (n_linear·d_linear, d_model).
    """

    name = "kda-full"
    title = "Kimi Delta Attention with full gates"
    source = "Kimi Team 2025, arXiv:2510.26692, section 3; transformers, models/bailing_hybrid"
    names = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
             "W_conv": "conv1d.weight", "W_F": "forget_gate.f_proj.weight",
             "dt": "forget_gate.dt_bias", "A_log": "forget_gate.A_log", "W_beta": "b_proj.weight",
             "W_Z": "g_proj.weight", "g_out": "o_norm.weight", "W_O": "o_proj.weight"}

    def gates(self, d: Dims) -> Iterator[Matrix]:
        """One matrix each; the decay of a head."""
        width = d.n_linear * d.d_linear
        yield Matrix("W_F", (width, d.d_model), "forgetting")
        yield Matrix("A_log", (d.n_linear,), "decay of the state", "state")
        yield Matrix("W_Z", (width, d.d_model), "gate of the output")


class HalfDeltaAttention(_Delta):
    """Kimi Delta Attention that forgets through a rank and gates its output in full.

    ``W_Fa`` is (d_linear, d_model), ``W_Fb`` (n_linear·d_linear, d_linear), ``W_Z``
    (n_linear·d_linear, d_model); queries, keys and values are stored with a convolution each.
    """

    name = "kda-gate"
    title = "Kimi Delta Attention with a full output gate"
    source = ("Kimi Team 2025, arXiv:2510.26692, section 3; modeling_kimi_linear.py as published "
              "with moonshotai/Kimi-K3 (use_full_rank_gate)")
    names = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
             "C_Q": "q_conv1d.weight", "C_K": "k_conv1d.weight", "C_V": "v_conv1d.weight",
             "W_Fa": "f_a_proj.weight", "W_Fb": "f_b_proj.weight", "dt": "dt_bias",
             "A_log": "A_log", "W_beta": "b_proj.weight", "W_Z": "g_proj.weight",
             "g_out": "o_norm.weight", "W_O": "o_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What all kinds have, the convolution in three parts."""
        width = d.n_linear * d.d_linear
        for matrix in super().matrices(d):
            if matrix.path != "W_conv":
                yield matrix
                continue
            for letter, what in (("Q", "queries"), ("K", "keys"), ("V", "values")):
                yield Matrix(f"C_{letter}", (width, 1, d.k_conv), f"convolution of the {what}",
                             "convolution")

    def gates(self, d: Dims) -> Iterator[Matrix]:
        """Forgetting through the rank; the decay of a head; the output gate."""
        width = d.n_linear * d.d_linear
        yield Matrix("W_Fa", (d.d_linear, d.d_model), "forgetting, down")
        yield Matrix("W_Fb", (width, d.d_linear), "forgetting, up")
        yield Matrix("A_log", (d.n_linear,), "decay of the state", "state")
        yield Matrix("W_Z", (width, d.d_model), "gate of the output")
