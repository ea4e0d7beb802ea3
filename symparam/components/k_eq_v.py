"""Softmax attention whose keys are its values."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Dims
from symparam.components.attention import GroupedQueryAttention
from symparam.ledger import Matrix


class KeyIsValueAttention(GroupedQueryAttention):
    """Grouped-query attention in which one projection gives both keys and values.

    There is ``W_Q``, ``W_K`` and ``W_O``, no ``W_V``; what tells keys from values, a norm and a
    rotation, has no further weights.
    """

    name = "k-eq-v"
    title = "attention with keys for values"
    source = "transformers, models/gemma4 (attention_k_eq_v)"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What grouped-query attention has, but for the values."""
        return (m for m in super().matrices(d) if m.path not in {"W_V", "b_V"})
