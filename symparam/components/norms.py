"""Normalisation over the width: what is learned is a gain, a gain and a shift, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class _Norm(Component, abstract=True):
    """A gain over the width; other widths by binding d_model to them."""

    slot = "norm"
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"gain": "weight", "shift": "bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gain."""
        yield Matrix("gain", (d.d_model,), "gain", "gain")


class RMSNorm(_Norm):
    """RMSNorm: one gain of d_model, no shift."""

    name = "rmsnorm"
    title = "RMSNorm"
    source = "Zhang and Sennrich 2019, arXiv:1910.07467, section 3"


class LayerNorm(_Norm):
    """LayerNorm: a gain and a shift, 2·d_model together."""

    name = "layernorm"
    title = "LayerNorm"
    source = "Ba et al. 2016, arXiv:1607.06450, section 3"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gain and the shift."""
        yield Matrix("gain", (d.d_model,), "gain", "gain")
        yield Matrix("shift", (d.d_model,), "shift", "bias")


class LayerNormGain(_Norm):
    """LayerNorm without its shift: a gain of d_model alone (Cohere, MPT without biases)."""

    name = "layernorm-gain"
    title = "LayerNorm without shift"
    source = "Ba et al. 2016, arXiv:1607.06450, section 3, without the bias term"


class NoNorm(_Norm):
    """No learned normalisation: none at all, or one that is a function without weights.

    NanoChat's RMSNorm and OLMo's LayerNorm have no weights.
    """

    name = "none"
    title = "norm without weights"
    source = "karpathy/nanochat, nanochat/gpt.py; Groeneveld et al. 2024, arXiv:2402.00838"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Nothing."""
        yield from ()
