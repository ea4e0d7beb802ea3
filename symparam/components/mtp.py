"""What a multi-token-prediction layer has around its ordinary block."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, V
from symparam.ledger import Matrix


class MultiTokenPrediction(Component):
    """The state of one token and the embedding of the next are normed, joined and projected.

    ``W_join`` is (d_model, 2·d_model). A whole layer of the model follows, then a norm. Token
    embedding and head are the main model's own: they are used once more and stored 0 times,
    though some published files hold copies of them.
    """

    name = "mtp"
    slot = "mtp"
    title = "multi-token prediction"
    source = "DeepSeek-AI 2024, arXiv:2412.19437, section 2.2"
    dims = (V, D_MODEL)
    example = {"V": 7, "d_model": 5}
    names = {"W_E": "embed_tokens.weight", "g_embed": "enorm.weight", "g_state": "hnorm.weight",
             "W_join": "eh_proj.weight", "g_out": "shared_head.norm.weight",
             "W_U": "shared_head.head.weight"}

    tied: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The embedding and the state joined, the norm before the head, the head."""
        head = "embedding.token.W_E" if self.tied else "head.lm.W_U"
        yield Matrix("W_E", (d.V, d.d_model), "token embedding of the main model", "embedding",
                     tied_to="embedding.token.W_E")
        yield Matrix("g_embed", (d.d_model,), "norm of the next token's embedding", "gain")
        yield Matrix("g_state", (d.d_model,), "norm of the state", "gain")
        yield Matrix("W_join", (d.d_model, d.d_model + d.d_model), "embedding and state joined")
        yield Matrix("g_out", (d.d_model,), "norm before the head", "gain")
        yield Matrix("W_U", (d.V, d.d_model), "output of the main model", tied_to=head)
