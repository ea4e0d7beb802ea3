"""Mamba-2: a selective state space in heads."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.components.mamba import D_INNER, D_STATE, K_CONV
from symparam.constraints import Standing
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix, Product, State

N_SSM_HEADS = Dim("n_ssm_heads", r"n_{\text{ssm}}", "number of heads of a state-space mixer", (
    "mamba_num_heads", "mamba_n_heads", "n_mamba_heads"))
D_SSM_HEAD = Dim("d_ssm_head", r"d_{\text{ssm}}", "width of one head of a state-space mixer", (
    "mamba_head_dim", "mamba_d_head", "mamba_headdim"))
N_GROUPS = Dim("n_groups", r"n_{\text{groups}}", "number of groups of heads that share B and C", (
    "mamba_n_groups", "mamba_ngroups"))


class Mamba2(Component):
    """Mamba-2: heads of d_inner/n_ssm_heads channels, one decay a head, one projection for all.

    ``W_in`` (2·d_inner + 2·n_groups·d_state + n_ssm_heads, d_model) makes the gate, the channels,
    B and C a group, and a time step a head. The convolution runs over channels, B and C. ``dt``,
    ``A_log`` and ``D`` have a number a head. The output is normed under its gate, except in
    Falcon-H1.
    """

    name = "mamba2"
    slot = "mixer"
    title = "Mamba-2"
    source = "Dao and Gu 2024, arXiv:2405.21060, section 7"
    prefix = "mixer."
    dims = (D_MODEL, D_INNER, D_STATE, N_SSM_HEADS, D_SSM_HEAD, N_GROUPS, K_CONV)
    example = {"d_model": 11, "d_inner": 13, "d_state": 5, "n_ssm_heads": 17, "d_ssm_head": 7,
               "n_groups": 3, "k_conv": 2}
    equations = (equation("d_inner", "2*d_model", "the usual expansion of Mamba"),
                 equation("d_inner", "n_ssm_heads*d_ssm_head", "heads make the inner width",
                          Standing.CANDIDATE))
    bias_sites = ("ssm-in", "ssm-out", "conv")
    names = {"W_in": "in_proj.weight", "b_in": "in_proj.bias", "W_conv": "conv1d.weight",
             "b_conv": "conv1d.bias", "dt": "dt_bias", "A_log": "A_log", "D": "D",
             "g_out": "norm.weight", "W_out": "out_proj.weight", "b_out": "out_proj.bias"}

    bias: frozenset[str] = frozenset()
    gated_norm: bool = True

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Inwards, convolution, the state's own numbers, norm, outwards."""
        steered = d.d_inner + 2 * d.n_groups * d.d_state
        inwards = d.d_inner + steered + d.n_ssm_heads
        yield Matrix("W_in", (inwards, d.d_model), "gate, channels, B, C and time steps")
        if self.has_bias("ssm-in"):
            yield Matrix("b_in", (inwards,), "bias of the way in", "bias")
        yield Matrix("W_conv", (steered, 1, d.k_conv), "convolution", "convolution")
        if self.has_bias("conv"):
            yield Matrix("b_conv", (steered,), "bias of the convolution", "bias")
        yield Matrix("dt", (d.n_ssm_heads,), "offset of the time steps", "state")
        yield Matrix("A_log", (d.n_ssm_heads,), "decay of the state", "state")
        yield Matrix("D", (d.n_ssm_heads,), "skip past the state", "state")
        if self.gated_norm:
            yield Matrix("g_out", (d.d_inner,), "norm under the gate", "gain")
        yield Matrix("W_out", (d.d_model, d.d_inner), "output")
        if self.has_bias("ssm-out"):
            yield Matrix("b_out", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """The recurrence's numbers and the convolution's last inputs, once a sequence."""
        yield State("S", (d.d_inner, d.d_state), "state of the recurrence", stream="sequence")
        yield State("tail", (d.d_inner + 2 * d.n_groups * d.d_state, d.k_conv),
                    "last inputs of the convolution", stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """What a token writes into the state and reads from it, as a recurrence."""
        yield Product("write", (d.d_inner, d.d_state), "channels with B", over="nothing")
        yield Product("read", (d.d_inner, d.d_state), "state with C", over="nothing")
