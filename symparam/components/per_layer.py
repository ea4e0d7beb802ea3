"""Per-layer embeddings: a small vector for each token and layer, mixed into each block."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim, L
from symparam.ledger import Matrix

V_SMALL = Dim("V_small", r"V_{\text{small}}", "rows of the table of per-layer embeddings",
              ("vocab_size_per_layer_input",))
D_SMALL = Dim("d_small", r"d_{\text{small}}", "width of a per-layer embedding",
              ("hidden_size_per_layer_input",))


class PerLayerEmbeddings(Component):
    """A table whose rows hold a vector of d_small for each layer, and one made of the embedding.

    ``W_PE`` is (V_small, L·d_small); ``W_small`` (L·d_small, d_model) makes as many numbers from
    the token's own embedding, normed over d_small and added.
    """

    name = "per-layer"
    slot = "per-layer-embedding"
    title = "per-layer embeddings"
    source = "transformers, models/gemma3n and models/gemma4"
    in_block = False
    dims = (V_SMALL, L, D_SMALL, D_MODEL)
    example = {"V_small": 7, "L": 3, "d_small": 5, "d_model": 11}
    names = {"W_PE": "embed_tokens_per_layer.weight",
             "W_small": "per_layer_model_projection.weight",
             "g_small": "per_layer_projection_norm.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table, the projection of the embedding, its norm."""
        yield Matrix("W_PE", (d.V_small, d.L * d.d_small), "per-layer embedding", "embedding")
        yield Matrix("W_small", (d.L * d.d_small, d.d_model), "embedding to per-layer inputs")
        yield Matrix("g_small", (d.d_small,), "norm of a per-layer input", "gain")


class PerLayerInput(Component):
    """How a block takes its per-layer embedding: through a gate, then up to the width, normed.

    ``W_narrow`` is (d_small, d_model), ``W_wide`` (d_model, d_small), the gain d_model.
    """

    name = "gated"
    slot = "per-layer-input"
    title = "per-layer input"
    source = "transformers, models/gemma3n and models/gemma4"
    dims = (D_MODEL, D_SMALL)
    example = {"d_model": 11, "d_small": 5}
    names = {"W_narrow": "per_layer_input_gate.weight", "W_wide": "per_layer_projection.weight",
             "g_wide": "post_per_layer_input_norm.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gate, the way up, the norm after it."""
        yield Matrix("W_narrow", (d.d_small, d.d_model), "gate of the per-layer input")
        yield Matrix("W_wide", (d.d_model, d.d_small), "per-layer input to the width")
        yield Matrix("g_wide", (d.d_model,), "norm of the per-layer input", "gain")
