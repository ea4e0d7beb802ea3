"""Mamba in heads that do not see each other."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.components.mamba import D_INNER, D_STATE, DT_RANK, K_CONV, Mamba
from symparam.components.mamba2 import D_SSM_HEAD, N_SSM_HEADS
from symparam.dims import D_MODEL
from symparam.ledger import Matrix, Product, State


class MambaHeads(Component):
    """Zamba's Mamba: after the convolution each head is a Mamba of its own width.

    ``W_x`` is (n_ssm_heads, dt_rank + 2·d_state, d_ssm_head), ``W_dt`` (n_ssm_heads, d_ssm_head,
    dt_rank), ``A_log`` (n_ssm_heads, d_ssm_head, d_state); ``b_dt`` and ``D`` (n_ssm_heads,
    d_ssm_head). Ways in and out are Mamba's.
    """

    name = "mamba-heads"
    slot = "mixer"
    title = "Mamba in heads"
    source = "Glorioso et al. 2024, arXiv:2405.16712, section 2; transformers, models/zamba"
    prefix = "mamba."
    dims = (D_MODEL, D_INNER, D_STATE, DT_RANK, K_CONV, N_SSM_HEADS, D_SSM_HEAD)
    example = {"d_model": 11, "d_inner": 13, "d_state": 5, "dt_rank": 3, "k_conv": 2,
               "n_ssm_heads": 7, "d_ssm_head": 17}
    equations = (*Mamba.equations,
                 equation("d_ssm_head", "d_inner/n_ssm_heads", "heads split the inner width"))
    bias_sites = ("ssm-in", "ssm-out", "conv")
    names = {"W_in": "in_proj.weight", "b_in": "in_proj.bias", "W_conv": "conv1d.weight",
             "b_conv": "conv1d.bias", "W_x": "x_proj_weight", "W_dt": "dt_proj_weight",
             "b_dt": "dt_proj_bias", "A_log": "A_log", "D": "D", "W_out": "out_proj.weight",
             "b_out": "out_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Inwards, convolution, what each head has, outwards."""
        yield Matrix("W_in", (2 * d.d_inner, d.d_model), "channels and gate")
        if self.has_bias("ssm-in"):
            yield Matrix("b_in", (2 * d.d_inner,), "bias of channels and gate", "bias")
        yield Matrix("W_conv", (d.d_inner, 1, d.k_conv), "convolution", "convolution")
        if self.has_bias("conv"):
            yield Matrix("b_conv", (d.d_inner,), "bias of the convolution", "bias")
        steered = d.dt_rank + 2 * d.d_state
        yield Matrix("W_x", (d.n_ssm_heads, steered, d.d_ssm_head), "time steps, B and C")
        yield Matrix("W_dt", (d.n_ssm_heads, d.d_ssm_head, d.dt_rank), "time steps up")
        yield Matrix("b_dt", (d.n_ssm_heads, d.d_ssm_head), "bias of the time steps", "bias")
        yield Matrix("A_log", (d.n_ssm_heads, d.d_ssm_head, d.d_state), "decay of the state",
                     "state")
        yield Matrix("D", (d.n_ssm_heads, d.d_ssm_head), "skip past the state", "state")
        yield Matrix("W_out", (d.d_model, d.d_inner), "output")
        if self.has_bias("ssm-out"):
            yield Matrix("b_out", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """The recurrence's numbers and the convolution's last inputs, once a sequence."""
        yield State("S", (d.n_ssm_heads, d.d_ssm_head, d.d_state), "state of the recurrence",
                    stream="sequence")
        yield State("tail", (d.d_inner, d.k_conv), "last inputs of the convolution",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """What a token writes into the state, number by number, and what it reads from it."""
        shape = (d.n_ssm_heads, d.d_ssm_head, d.d_state)
        yield Product("write", shape, "channels with B", over="nothing", work="scan")
        yield Product("read", shape, "state with C", over="nothing")
