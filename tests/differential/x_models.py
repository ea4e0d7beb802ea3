"""Models of x-transformers, as its readers write them: keys are the arguments."""

from __future__ import annotations

from typing import Any

from x_transformers import Decoder, TransformerWrapper, XTransformer


def decoder(num_tokens: int = 20000, max_seq_len: int = 1024, dim: int = 512, depth: int = 6,
            heads: int = 8) -> Any:
    """A decoder with learned positions."""
    return TransformerWrapper(num_tokens=num_tokens, max_seq_len=max_seq_len,
                              attn_layers=Decoder(dim=dim, depth=depth, heads=heads))


def gated(num_tokens: int = 20000, max_seq_len: int = 1024, dim: int = 512, depth: int = 6,
          heads: int = 8, kv_heads: int = 2, dim_head: int = 64) -> Any:
    """A decoder with gated feed-forward networks, grouped keys and rotary positions."""
    return TransformerWrapper(num_tokens=num_tokens, max_seq_len=max_seq_len, attn_layers=Decoder(
        dim=dim, depth=depth, heads=heads, attn_kv_heads=kv_heads, attn_dim_head=dim_head,
        ff_glu=True, ff_swish=True, use_rmsnorm=True, rotary_pos_emb=True, ff_no_bias=True))


def two_stacks(dim: int = 512, tokens: int = 256, depth: int = 6, heads: int = 8,
               length: int = 1024, other_tokens: int = 300, other_depth: int = 5,
               other_heads: int = 4, other_length: int = 900) -> Any:
    """An encoder and a decoder of one width."""
    return XTransformer(
        dim=dim, enc_num_tokens=tokens, enc_depth=depth, enc_heads=heads, enc_max_seq_len=length,
        dec_num_tokens=other_tokens, dec_depth=other_depth, dec_heads=other_heads,
        dec_max_seq_len=other_length)
