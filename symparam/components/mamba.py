"""Mamba's selective state space, with its convolution."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.arithmetic import Rounding
from symparam.component import Component, Dims, equation
from symparam.constraints import Equation
from symparam.dims import D_MODEL, Dim
from symparam.expression import Num, Sym
from symparam.ledger import Matrix, Product, State

D_INNER = Dim("d_inner", r"d_{\text{inner}}", "inner width of a state-space mixer", (
    "mamba_d_inner", "mamba_d_ssm"))
D_STATE = Dim("d_state", r"d_{\text{state}}", "numbers of state that each inner channel keeps", (
    "state_size", "ssm_state_size", "mamba_d_state"))
DT_RANK = Dim("dt_rank", r"r_{\Delta}", "rank of the projection to the time steps", (
    "time_step_rank", "mamba_dt_rank"))
K_CONV = Dim("k_conv", r"k_{\text{conv}}", "length of a short convolution, in tokens", (
    "d_conv", "conv_kernel", "mamba_d_conv", "linear_conv_kernel_dim", "conv_L_cache",
    "conv1d_width"))

_RANK = Equation("dt_rank", Sym("d_model") / Num(16), "a sixteenth of the width",
                 rounding=Rounding("up", 1))


class Mamba(Component):
    """Mamba: d_inner channels, each a recurrence of d_state numbers that the input steers.

    ``W_in`` (2·d_inner, d_model) makes the channels and their gate, ``W_conv`` (d_inner, 1,
    k_conv) mixes a few neighbouring tokens a channel. ``W_x`` (dt_rank + 2·d_state, d_inner)
    makes the time steps, B and C; ``W_dt`` (d_inner, dt_rank) widens the steps. ``A_log``
    (d_inner, d_state) and ``D`` (d_inner) are learned outright. Jamba norms the three inner
    vectors.
    """

    name = "mamba"
    slot = "mixer"
    title = "Mamba"
    source = "Gu and Dao 2023, arXiv:2312.00752, section 3; Lieber et al. 2024, arXiv:2403.19887"
    prefix = "mixer."
    dims = (D_MODEL, D_INNER, D_STATE, DT_RANK, K_CONV)
    example = {"d_model": 11, "d_inner": 13, "d_state": 5, "dt_rank": 3, "k_conv": 2}
    equations = (equation("d_inner", "2*d_model", "the usual expansion of Mamba"), _RANK)
    bias_sites = ("ssm-in", "ssm-out", "conv")
    names = {"W_in": "in_proj.weight", "b_in": "in_proj.bias", "W_conv": "conv1d.weight",
             "b_conv": "conv1d.bias", "W_x": "x_proj.weight", "W_dt": "dt_proj.weight",
             "b_dt": "dt_proj.bias", "g_dt": "dt_layernorm.weight", "g_B": "b_layernorm.weight",
             "g_C": "c_layernorm.weight", "A_log": "A_log", "D": "D",
             "W_out": "out_proj.weight", "b_out": "out_proj.bias"}

    bias: frozenset[str] = frozenset()
    inner_norms: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Inwards, convolution, steps with B and C, the state's own numbers, outwards."""
        yield Matrix("W_in", (2 * d.d_inner, d.d_model), "channels and gate")
        if self.has_bias("ssm-in"):
            yield Matrix("b_in", (2 * d.d_inner,), "bias of channels and gate", "bias")
        yield Matrix("W_conv", (d.d_inner, 1, d.k_conv), "convolution", "convolution")
        if self.has_bias("conv"):
            yield Matrix("b_conv", (d.d_inner,), "bias of the convolution", "bias")
        yield Matrix("W_x", (d.dt_rank + 2 * d.d_state, d.d_inner), "time steps, B and C")
        yield Matrix("W_dt", (d.d_inner, d.dt_rank), "time steps up")
        yield Matrix("b_dt", (d.d_inner,), "bias of the time steps", "bias")
        if self.inner_norms:
            yield Matrix("g_dt", (d.dt_rank,), "norm of the time steps", "gain")
            yield Matrix("g_B", (d.d_state,), "norm of B", "gain")
            yield Matrix("g_C", (d.d_state,), "norm of C", "gain")
        yield Matrix("A_log", (d.d_inner, d.d_state), "decay of the state", "state")
        yield Matrix("D", (d.d_inner,), "skip past the state", "state")
        yield Matrix("W_out", (d.d_model, d.d_inner), "output")
        if self.has_bias("ssm-out"):
            yield Matrix("b_out", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """The recurrence's numbers and the convolution's last inputs, once a sequence."""
        yield State("S", (d.d_inner, d.d_state), "state of the recurrence", stream="sequence")
        yield State("tail", (d.d_inner, d.k_conv), "last inputs of the convolution",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """What a token writes into the state, number by number, and what it reads from it."""
        yield Product("write", (d.d_inner, d.d_state), "channels with B", over="nothing",
                      work="scan")
        yield Product("read", (d.d_inner, d.d_state), "state with C", over="nothing")
