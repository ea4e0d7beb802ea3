"""xLSTM's matrix memory."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.constraints import Divides
from symparam.dims import D_MODEL, N_HEADS, Dim
from symparam.ledger import Matrix, Product, State

D_QUERY = Dim("d_query", r"d_{\text{query}}", "width of all queries or keys of an mLSTM together")
D_QUERY_HEAD = Dim("d_query_head", r"d_{\text{query,head}}",
                   "width of one head's queries in an mLSTM")
D_MEMORY = Dim("d_memory", r"d_{\text{memory}}", "width of all values of an mLSTM together")


class MatrixLSTM(Component):
    """mLSTM: a memory matrix a head, with an input gate and a forget gate a head.

    ``W_Q`` and ``W_K`` are (d_query, d_model), ``W_V`` and the output gate ``W_G`` (d_memory,
    d_model), ``W_i`` and ``W_f`` (n_heads, d_model), each of these two with a bias. The heads are
    normed with one gain of d_memory, and ``W_O`` (d_model, d_memory) goes back.
    """

    name = "mlstm"
    slot = "mixer"
    title = "mLSTM"
    source = "Beck et al. 2024, arXiv:2405.04517, section 2.3; Beck et al. 2025, arXiv:2503.13427"
    prefix = "mlstm_layer."
    dims = (D_MODEL, N_HEADS, D_QUERY, D_MEMORY, D_QUERY_HEAD)
    example = {"d_model": 11, "n_heads": 3, "d_query": 5, "d_memory": 7, "d_query_head": 13}
    equations = (equation("d_query_head", "d_query/n_heads", "heads split the queries"),)
    checks = (Divides("n_heads", "d_query", "heads split the queries"),
              Divides("n_heads", "d_memory", "heads split the memory"))
    names = {"W_Q": "q.weight", "W_K": "k.weight", "W_V": "v.weight", "W_G": "ogate_preact.weight",
             "W_i": "igate_preact.weight", "b_i": "igate_preact.bias",
             "W_f": "fgate_preact.weight", "b_f": "fgate_preact.bias",
             "g_out": "multihead_norm.weight", "W_O": "out_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and output gate; the two gates of the memory; norm and output."""
        yield Matrix("W_Q", (d.d_query, d.d_model), "queries")
        yield Matrix("W_K", (d.d_query, d.d_model), "keys")
        yield Matrix("W_V", (d.d_memory, d.d_model), "values")
        yield Matrix("W_G", (d.d_memory, d.d_model), "gate of the output")
        yield Matrix("W_i", (d.n_heads, d.d_model), "input gate")
        yield Matrix("b_i", (d.n_heads,), "bias of the input gate", "bias")
        yield Matrix("W_f", (d.n_heads, d.d_model), "forget gate")
        yield Matrix("b_f", (d.n_heads,), "bias of the forget gate", "bias")
        yield Matrix("g_out", (d.d_memory,), "norm of the heads", "gain")
        yield Matrix("W_O", (d.d_model, d.d_memory), "output")

    def state(self, d: Dims) -> Iterator[State]:
        """A matrix, a vector and a number for each head, once a sequence."""
        yield State("C", (d.d_query_head, d.d_memory), "memory", stream="sequence")
        yield State("n", (d.d_query,), "normaliser", stream="sequence")
        yield State("m", (d.n_heads,), "largest exponent", stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """What a key writes into the memory and a query reads from it, as a recurrence."""
        yield Product("write", (d.d_query_head, d.d_memory), "keys with values", over="nothing")
        yield Product("read", (d.d_query_head, d.d_memory), "memory with the query",
                      over="nothing")
        yield Product("norm", (d.d_query,), "normaliser with the query", over="nothing")
