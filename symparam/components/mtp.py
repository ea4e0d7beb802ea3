"""What a multi-token-prediction layer has around its ordinary block."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, V
from symparam.ledger import Matrix


class MultiTokenPrediction(Component):
    """The state of one token and the embedding of the next are normed, joined and projected.

    ``W_join`` is (d_model, 2·d_model). A whole layer of the model follows, then a norm.
    """

    name = "mtp"
    slot = "mtp"
    title = "multi-token prediction"
    source = "DeepSeek-AI 2024, arXiv:2412.19437, section 2.2"
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"g_embed": "enorm.weight", "g_state": "hnorm.weight", "W_join": "eh_proj.weight",
             "g_out": "shared_head.norm.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The norms of what is joined, the projection, the norm before the head."""
        yield Matrix("g_embed", (d.d_model,), "norm of the next token's embedding", "gain")
        yield Matrix("g_state", (d.d_model,), "norm of the state", "gain")
        yield Matrix("W_join", (d.d_model, d.d_model + d.d_model), "embedding and state joined")
        yield Matrix("g_out", (d.d_model,), "norm before the head", "gain")


class SharedEnds(Component):
    """Token embedding and head of the main model, used once more: stored 0 times.

    Some published files hold copies of both (V, d_model).
    """

    name = "ends"
    slot = "mtp"
    title = "embedding and head of the model"
    source = "DeepSeek-AI 2024, arXiv:2412.19437, section 2.2"
    dims = (V, D_MODEL)
    example = {"V": 7, "d_model": 5}
    names = {"W_E": "embed_tokens.weight", "W_U": "shared_head.head.weight"}

    tied: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The embedding and the head; both the embedding where the model ties them."""
        yield Matrix("W_E", (d.V, d.d_model), "token embedding", "embedding",
                     tied_to="embedding.token.W_E")
        yield Matrix("W_U", (d.V, d.d_model), "output",
                     tied_to="embedding.token.W_E" if self.tied else "head.lm.W_U")
