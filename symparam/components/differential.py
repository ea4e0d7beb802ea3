"""Differential attention: what stands beside the queries, keys and values."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.constraints import Divides
from symparam.dims import D_HEAD, N_HEADS, N_KV
from symparam.ledger import Matrix, Product


class DifferentialWeights(Component):
    """How much of a second attention is taken from the first: four vectors of d_head a layer.

    Two products of a query's vector and a key's are subtracted; the scale that comes of it is
    one number for all heads. Heads go in pairs, so n_kv is even.
    """

    name = "lambda"
    slot = "differential"
    title = "weights of differential attention"
    source = "Ye et al. 2024, arXiv:2410.05258, section 2.1; transformers, models/diffllama"
    prefix = "self_attn."
    dims = (N_HEADS, N_KV, D_HEAD)
    example = {"n_heads": 3, "n_kv": 2, "d_head": 5}
    checks = (Divides(2, "n_kv", "differential attention takes value heads in pairs"),)
    names = {"l_Q1": "lambda_q1", "l_K1": "lambda_k1", "l_Q2": "lambda_q2", "l_K2": "lambda_k2"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The four vectors."""
        for number, which in (("1", "first"), ("2", "second")):
            yield Matrix(f"l_Q{number}", (d.d_head,), f"scale of the {which}, query side", "gain")
            yield Matrix(f"l_K{number}", (d.d_head,), f"scale of the {which}, key side", "gain")

    def products(self, d: Dims) -> Iterator[Product]:
        """A query head weighs the values of a pair of heads: as much again as without."""
        yield Product("second", (d.n_heads, d.d_head), "weights with the values of the pair")
