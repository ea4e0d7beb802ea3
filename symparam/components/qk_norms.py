"""Norms of queries and keys: how wide they are, and whether heads have gains of their own.

One gain of d_head for all query heads and one for all key heads is an option of attention
(``qk_norm``); what is told here stands beside it, as a slot of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from symparam.component import Component, Dims
from symparam.dims import D_HEAD, N_HEADS, N_KV, Dim
from symparam.ledger import Index, Matrix


class _HeadNorm(Component, abstract=True):
    """Two norms, of the queries and of the keys; with a shift where it is a whole LayerNorm."""

    slot = "qk-norm"
    prefix = "self_attn."
    dims: ClassVar[tuple[Dim, ...]] = (N_HEADS, N_KV, D_HEAD)
    example = {"n_heads": 3, "n_kv": 2, "d_head": 5}
    names = {"g_Q": "q_norm.weight", "g_K": "k_norm.weight",
             "s_Q": "q_norm.bias", "s_K": "k_norm.bias"}

    shift: bool = False


class WidthNorm(_HeadNorm):
    """Norms over all heads at once: gains of n_heads·d_head and n_kv·d_head.

    Queries and keys are normalised before they are cut into heads.
    """

    name = "width"
    title = "QK norm over the width"
    source = "Team OLMo 2024, arXiv:2501.00656, section 3.2"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gains; the shifts where asked for."""
        q, kv = d.n_heads * d.d_head, d.n_kv * d.d_head
        yield Matrix("g_Q", (q,), "norm of the queries", "gain")
        yield Matrix("g_K", (kv,), "norm of the keys", "gain")
        if self.shift:
            yield Matrix("s_Q", (q,), "shift of the queries' norm", "bias")
            yield Matrix("s_K", (kv,), "shift of the keys' norm", "bias")


class HeadsNorm(_HeadNorm):
    """A norm a head, with gains of its own: one tensor (n_heads, d_head), one (n_kv, d_head)."""

    name = "heads"
    title = "QK norm, gains of each head"
    source = "transformers, models/cohere (Command R+)"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gains; the shifts where asked for."""
        yield Matrix("g_Q", (d.n_heads, d.d_head), "norms of the query heads", "gain")
        yield Matrix("g_K", (d.n_kv, d.d_head), "norms of the key heads", "gain")
        if self.shift:
            yield Matrix("s_Q", (d.n_heads, d.d_head), "shifts of the query heads' norms", "bias")
            yield Matrix("s_K", (d.n_kv, d.d_head), "shifts of the key heads' norms", "bias")


class HeadListNorm(_HeadNorm):
    """A norm a head, each stored by itself: n_heads tensors of d_head, and n_kv tensors of it."""

    name = "head-list"
    title = "QK norm, a tensor for each head"
    source = "transformers, models/stablelm (Stable LM 2 12B)"
    names = {"g_Q": "q_layernorm.norms.*.weight", "g_K": "k_layernorm.norms.*.weight",
             "s_Q": "q_layernorm.norms.*.bias", "s_K": "k_layernorm.norms.*.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gains; the shifts where asked for."""
        query = (Index("head", d.n_heads, d.n_heads, d.n_heads),)
        key = (Index("head", d.n_kv, d.n_kv, d.n_kv),)
        yield Matrix("g_Q", (d.d_head,), "norm of a query head", "gain", indices=query)
        yield Matrix("g_K", (d.d_head,), "norm of a key head", "gain", indices=key)
        if self.shift:
            yield Matrix("s_Q", (d.d_head,), "shift of a query head's norm", "bias", indices=query)
            yield Matrix("s_K", (d.d_head,), "shift of a key head's norm", "bias", indices=key)


class SharedNorm(_HeadNorm):
    """One norm for all query heads and one for all key heads: gains of d_head each.

    With a shift it is a LayerNorm (Persimmon); without, attention's own ``qk_norm`` says the same.
    """

    name = "shared"
    title = "QK norm, gains shared by the heads"
    source = "Dehghani et al. 2023, arXiv:2302.05442, section 2; transformers, models/persimmon"
    dims = (D_HEAD,)
    example = {"d_head": 5}
    names = {"g_Q": "q_layernorm.weight", "g_K": "k_layernorm.weight",
             "s_Q": "q_layernorm.bias", "s_K": "k_layernorm.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gains; the shifts where asked for."""
        yield Matrix("g_Q", (d.d_head,), "norm of each query head", "gain")
        yield Matrix("g_K", (d.d_head,), "norm of each key head", "gain")
        if self.shift:
            yield Matrix("s_Q", (d.d_head,), "shift of the query heads' norm", "bias")
            yield Matrix("s_K", (d.d_head,), "shift of the key heads' norm", "bias")
