"""Latent attention with a gate on its output."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Dims
from symparam.components.mla import LatentAttention
from symparam.ledger import Matrix


class GatedLatentAttention(LatentAttention):
    """Latent attention whose queries and output gate come from one matrix.

    ``W_UQG`` (n_heads·(d_nope + d_rope + d_v), 2·q_rank) reads the compressed queries before
    and after their norm, and gives each head its query and a gate of d_v on its output.
    """

    name = "gated-mla"
    title = "gated latent attention"
    source = "transformers, models/axk2; DeepSeek-AI 2024, arXiv:2405.04434, section 2.1"
    names = {**LatentAttention.names, "W_UQG": "q_gate_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What latent attention has, the one matrix in the place of the queries'."""
        for matrix in super().matrices(d):
            if matrix.path == "W_UQ":
                rows = d.n_heads * (d.d_nope + d.d_rope + d.d_v)
                yield Matrix("W_UQG", (rows, d.q_rank + d.q_rank), "queries and gate up")
            else:
                yield matrix
