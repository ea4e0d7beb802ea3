"""Attention of a decoder over an encoder's output, and the dims of models that have both."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import (
    OWN_KEYS,
    PROJECTIONS,
    SPLIT,
    keys_and_values,
    scores_and_sums,
)
from symparam.constraints import Divides
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, N_KV, Dim, register
from symparam.ledger import Matrix, Product, State

D_ENCODER = Dim("d_encoder", r"d_{\text{encoder}}", "width of the encoder's output", (
    "cross_attention_hidden_size",))

#: Dims of models with an encoder and a decoder that no component uses under its own name.
SIDES = (
    Dim("L_encoder", r"L_{\text{enc}}", "number of layers of the encoder", (
        "encoder_layers", "num_encoder_layers")),
    Dim("L_decoder", r"L_{\text{dec}}", "number of layers of the decoder", (
        "decoder_layers", "num_decoder_layers")),
    Dim("n_heads_encoder", r"n_{\text{heads,enc}}", "number of query heads in the encoder", (
        "encoder_attention_heads", "num_encoder_attention_heads")),
    Dim("n_heads_decoder", r"n_{\text{heads,dec}}", "number of query heads in the decoder", (
        "decoder_attention_heads", "num_decoder_attention_heads")),
    Dim("n_kv_encoder", r"n_{\text{kv,enc}}", "number of key-value heads in the encoder"),
    Dim("n_kv_decoder", r"n_{\text{kv,dec}}", "number of key-value heads in the decoder"),
    Dim("d_head_encoder", r"d_{\text{head,enc}}", "width of one head in the encoder"),
    Dim("d_head_decoder", r"d_{\text{head,dec}}", "width of one head in the decoder"),
    Dim("d_ff_encoder", r"d_{\text{ff,enc}}", "inner width of the encoder's feed-forward network", (
        "encoder_ffn_dim",)),
    Dim("d_ff_decoder", r"d_{\text{ff,dec}}", "inner width of the decoder's feed-forward network", (
        "decoder_ffn_dim",)),
    Dim("d_model_encoder", r"d_{\text{model,enc}}", "width of the encoder's residual stream"),
    Dim("d_model_decoder", r"d_{\text{model,dec}}", "width of the decoder's residual stream"),
    Dim("n_ctx_encoder", r"n_{\text{ctx,enc}}", "rows of the encoder's position table", (
        "max_encoder_position_embeddings",)),
    Dim("n_ctx_decoder", r"n_{\text{ctx,dec}}", "rows of the decoder's position table", (
        "max_decoder_position_embeddings",)),
    Dim("V_encoder", r"V_{\text{enc}}", "vocabulary size of the encoder, where it has its own", (
        "src_vocab_size",)),
    Dim("V_decoder", r"V_{\text{dec}}", "vocabulary size of the decoder, where it has its own", (
        "decoder_vocab_size", "tgt_vocab_size")),
)
register(SIDES)


class _CrossAttention(Component, abstract=True):
    """Queries from the decoder, keys and values from the encoder."""

    slot = "cross-attention"
    prefix = "encoder_attn."
    dims = (D_MODEL, D_ENCODER, N_HEADS, N_KV, D_HEAD)
    example = {"d_model": 11, "d_encoder": 13, "n_heads": 3, "n_kv": 2, "d_head": 5}
    checks = (Divides("n_kv", "n_heads", "each key-value head serves equally many query heads"),)
    bias_sites = ("qkv", "attn-out")
    names = PROJECTIONS

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries and output on the decoder's tokens, keys and values on the encoder's."""
        q, kv = d.n_heads * d.d_head, d.n_kv * d.d_head
        yield Matrix("W_Q", (q, d.d_model), "queries")
        yield Matrix("W_K", (kv, d.d_encoder), "keys of the encoder", stream="encoder")
        yield Matrix("W_V", (kv, d.d_encoder), "values of the encoder", stream="encoder")
        yield Matrix("W_O", (d.d_model, q), "output")
        if self.has_bias("qkv"):
            yield Matrix("b_Q", (q,), "bias of the queries", "bias")
            yield Matrix("b_K", (kv,), "bias of the keys", "bias", stream="encoder")
            yield Matrix("b_V", (kv,), "bias of the values", "bias", stream="encoder")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value for each key-value head and token of the encoder."""
        return keys_and_values(d.n_kv, d.d_head, d.d_head, "encoder")

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every query head over the encoder's tokens."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head, "encoder")


class MultiHeadCrossAttention(_CrossAttention):
    """Multi-head attention over the encoder's output.

    ``W_Q`` is (n_heads·d_head, d_model), ``W_K`` and ``W_V`` are (n_heads·d_head, d_encoder) and
    act on the encoder's tokens, ``W_O`` is (d_model, n_heads·d_head).
    """

    name = "mha"
    title = "multi-head cross-attention"
    source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3"
    equations = (OWN_KEYS, SPLIT)


class GroupedQueryCrossAttention(_CrossAttention):
    """Grouped-query attention over the encoder's output: n_kv key-value heads.

    ``W_K`` and ``W_V`` shrink to (n_kv·d_head, d_encoder).
    """

    name = "gqa"
    title = "grouped-query cross-attention"
    source = ("Ainslie et al. 2023, arXiv:2305.13245, section 2.2, on Vaswani et al. 2017, "
              "arXiv:1706.03762, section 3.2.3")
    equations = (SPLIT,)


class QueryValueBiasCrossAttention(_CrossAttention):
    """Multi-head attention over the encoder's output with biases of queries and values alone.

    The matrices are those of multi-head cross-attention (Whisper).
    """

    name = "qv-bias"
    title = "multi-head cross-attention without bias of the keys"
    source = "Radford et al. 2022, arXiv:2212.04356; openai/whisper, whisper/model.py"
    equations = MultiHeadCrossAttention.equations

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """As with multi-head attention, less the bias of the keys."""
        return (matrix for matrix in super().matrices(d) if matrix.path != "b_K")
