"""Griffin's recurrent block: a convolution and a gated linear recurrence."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix, Product, State

D_RNN = Dim("d_rnn", r"d_{\text{rnn}}", "width of a gated linear recurrence", ("lru_width",))
N_BLOCKS = Dim("n_blocks", r"n_{\text{blocks}}", "number of diagonal blocks of a recurrent gate")
D_BLOCK = Dim("d_block", r"d_{\text{block}}", "width of one diagonal block of a recurrent gate")


class GatedLinearRecurrence(Component):
    """The recurrent block of Griffin: two branches of d_rnn, one of them through RG-LRU.

    ``W_y`` and ``W_x`` are (d_rnn, d_model), ``W_out`` is (d_model, d_rnn), each with a bias; so
    has the convolution (d_rnn, 1, k_conv). The two gates of the recurrence are diagonal in
    n_blocks blocks of d_block, and ``Lambda`` (d_rnn) is its decay.
    """

    name = "rg-lru"
    slot = "mixer"
    title = "recurrent block with RG-LRU"
    source = "De et al. 2024, arXiv:2402.19427, sections 2.3 and 2.4"
    prefix = "temporal_block."
    dims = (D_MODEL, D_RNN, N_BLOCKS, D_BLOCK, K_CONV)
    example = {"d_model": 11, "d_rnn": 13, "n_blocks": 3, "d_block": 5, "k_conv": 2}
    equations = (equation("d_rnn", "d_model", "the recurrence is as wide as the model"),
                 equation("d_block", "d_rnn/n_blocks", "blocks split the recurrence"))
    names = {"W_y": "linear_y.weight", "b_y": "linear_y.bias", "W_x": "linear_x.weight",
             "b_x": "linear_x.bias", "W_out": "linear_out.weight", "b_out": "linear_out.bias",
             "W_conv": "conv_1d.weight", "b_conv": "conv_1d.bias",
             "Lambda": "rg_lru.recurrent_param", "W_i": "rg_lru.input_gate_weight",
             "b_i": "rg_lru.input_gate_bias", "W_r": "rg_lru.recurrent_gate_weight",
             "b_r": "rg_lru.recurrent_gate_bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Both branches, convolution, decay and gates of the recurrence, output."""
        for branch, what in (("y", "gating branch"), ("x", "recurrent branch")):
            yield Matrix(f"W_{branch}", (d.d_rnn, d.d_model), what)
            yield Matrix(f"b_{branch}", (d.d_rnn,), f"bias of the {what}", "bias")
        yield Matrix("W_conv", (d.d_rnn, 1, d.k_conv), "convolution", "convolution")
        yield Matrix("b_conv", (d.d_rnn,), "bias of the convolution", "bias")
        yield Matrix("Lambda", (d.d_rnn,), "decay of the recurrence", "state")
        for gate, what in (("i", "input gate"), ("r", "recurrence gate")):
            yield Matrix(f"W_{gate}", (d.n_blocks, d.d_block, d.d_block), what)
            yield Matrix(f"b_{gate}", (d.n_blocks, d.d_block), f"bias of the {what}", "bias")
        yield Matrix("W_out", (d.d_model, d.d_rnn), "output")
        yield Matrix("b_out", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """A number for each channel and the convolution's last inputs, once a sequence."""
        yield State("h", (d.d_rnn,), "state of the recurrence", stream="sequence")
        yield State("tail", (d.d_rnn, d.k_conv), "last inputs of the convolution",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """Decay and input of each channel."""
        yield Product("scan", (2, d.d_rnn), "decay of the state and what is added", over="nothing",
                      work="scan")
