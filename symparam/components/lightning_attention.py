"""Lightning attention: linear attention that is computed block by block."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import SPLIT
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, Dim
from symparam.ledger import Matrix, Product, State

N_BLOCK = Dim("n_block", r"n_{\text{block}}", "number of tokens in a block of lightning attention")


class LightningAttention(Component):
    """Linear attention with a fixed decay a head, normed and gated.

    Queries, keys, values and the gate ``W_G`` are (n_heads·d_head, d_model), ``W_O`` goes back;
    one gain norms all heads. The decays are not learned: checkpoints hold them as buffers, a
    number a head, one for each token of a block, and one for each pair of tokens.
    """

    name = "lightning-attention"
    slot = "mixer"
    title = "lightning attention"
    source = "Qin et al. 2024, arXiv:2401.04658; MiniMax 2025, arXiv:2501.08313, section 2.2"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, D_HEAD, N_BLOCK)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5, "n_block": 7}
    equations = (SPLIT,)
    names = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
             "W_G": "output_gate.weight", "W_O": "out_proj.weight", "g_out": "norm.weight",
             "slope": "slope_rate", "decay_Q": "query_decay", "decay_K": "key_decay",
             "decay_QK": "diagonal_decay"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values, gate, norm, output; the fixed decays."""
        heads = d.n_heads * d.d_head
        for letter, what in (("Q", "queries"), ("K", "keys"), ("V", "values"),
                             ("G", "gate of the output")):
            yield Matrix(f"W_{letter}", (heads, d.d_model), what)
        yield Matrix("g_out", (heads,), "norm of all heads", "gain")
        yield Matrix("W_O", (d.d_model, heads), "output")
        for name, sides in (("slope", (1, 1)), ("decay_Q", (d.n_block, 1)),
                            ("decay_K", (d.n_block, 1))):
            yield Matrix(name, (d.n_heads, *sides), "fixed decay", "state", status="buffer")
        yield Matrix("decay_QK", (1, d.n_heads, d.n_block, d.n_block), "fixed decay", "state",
                     status="buffer")

    def state(self, d: Dims) -> Iterator[State]:
        """A matrix of d_head by d_head for each head, once a sequence."""
        yield State("S", (d.n_heads, d.d_head, d.d_head), "state of the recurrence",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """What a key writes into the state and a query reads from it, as a recurrence."""
        shape = (d.n_heads, d.d_head, d.d_head)
        yield Product("write", shape, "keys with values", over="nothing")
        yield Product("read", shape, "state with the query", over="nothing")
