"""The rule of thumb of a published guide, kept beside the solver to show what it misses by.

Michael Brenndoerfer, Transformer Architecture Hyperparameters: Depth, Width, Heads & FFN Guide
(2025), ``suggest_architecture``. It inverts P = 0.12·d³, which is 12·L·d² with L = d/100, but
then takes L = d/80, and leaves the embedding out: so it overshoots by 23 to 50 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symparam.arithmetic import Rounding
from symparam.dataclass import dataclass
from symparam.descriptions.decoder import VOCABULARY, decoder
from symparam.descriptions.options import Options
from symparam.resolve import numbers, with_overrides

SOURCE = ("Michael Brenndoerfer, Transformer Architecture Hyperparameters: Depth, Width, Heads & "
          "FFN Guide (2025), suggest_architecture.")
HEAD, STEP = 128, 128
NARROWEST, WIDEST, SHALLOWEST, PER_LAYER = 512, 16_384, 6, 80
CUBIC = Fraction(12, 100)
GATED = Fraction(8, 3)


@dataclass(frozen=True)
class Suggestion:
    """What the guide suggests for a target.

    Attributes:
        target: the parameters wanted.
        dims: the numbers.
        total: its parameters as the guide counts them, the head tied.
    """

    target: int
    dims: Mapping[str, int]
    total: int

    @property
    def error(self) -> Fraction:
        """(total − target)/target, exactly."""
        return Fraction(self.total - self.target, self.target)

    def to_json(self) -> dict[str, Any]:
        """The suggestion as plain data."""
        return {"name": "guide", "dims": dict(self.dims), "P": self.total,
                "relative_error": float(self.error)}


def suggest(target: int, gated: bool = True) -> Suggestion:
    """The guide's suggestion.

    Args:
        target: how many parameters.
        gated: whether the FFN has three matrices (SwiGLU) or two.

    >>> found = suggest(7 * 10**9)
    >>> dict(found.dims), found.total
    ({'V': 32000, 'L': 48, 'd_model': 3840, 'n_heads': 30, 'd_head': 128, 'd_ff': 10240}, \
8616718080)
    """
    width = min(max(_width(target), NARROWEST), WIDEST)
    depth, heads = max(SHALLOWEST, width // PER_LAYER), width // HEAD
    ffn = Rounding("nearest", 256).apply(GATED * width) if gated else 4 * width
    dims = {"V": VOCABULARY, "L": depth, "d_model": width, "n_heads": heads, "d_head": HEAD,
            "d_ff": int(ffn)}
    model = with_overrides(decoder(Options(ffn="swiglu" if gated else "mlp", tied=True)), dims)
    return Suggestion(target, dims, int(model.ledger(numbers(model).values).total()))


def _width(target: int) -> int:
    """The multiple of 128 nearest to the cube root of target/0.12, exactly."""
    cube, low, high = target / CUBIC, 0, 1 << (target.bit_length() // 3 + 4)
    while low < high:  # the first multiple whose upper half-way point is beyond the root
        middle = (low + high) // 2
        if (Fraction(2 * middle + 1, 2) * STEP) ** 3 > cube:
            high = middle
        else:
            low = middle + 1
    return low * STEP
