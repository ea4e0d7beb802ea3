"""Sizes of plain decoders by a formula, and all single changes of a lattice that give a size.

Nothing here knows the package. The lattice is stated in :data:`LATTICE`: one dim is changed, to
every whole number of its range that the architecture allows; all others stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

#: Each dim with the largest number that is tried; all from 1 up are.
LATTICE = {"V": 300_000, "L": 256, "d_model": 40_000, "n_heads": 512, "n_kv": 512, "d_head": 2048,
           "d_ff": 140_000, "n_ctx": 40_000}


def size(arch: Mapping[str, Any], dims: Mapping[str, Any]) -> Any:
    """The number of parameters, over integers or arrays of them.

    Args:
        arch: ``gated``, ``norm`` (numbers in a norm for each of the width), ``norms``, ``final``,
            ``tied``, ``learned``, ``bias`` (sites).
        dims: V L d_model n_heads n_kv d_head d_ff, and n_ctx where positions are learned.
    """
    d, f = dims["d_model"], dims["d_ff"]
    q, kv = dims["n_heads"] * dims["d_head"], dims["n_kv"] * dims["d_head"]
    layer = 2 * d * q + 2 * d * kv + (3 if arch["gated"] else 2) * d * f
    layer = layer + arch["norms"] * arch["norm"] * d
    if "qkv" in arch["bias"]:
        layer = layer + q + 2 * kv
    if "attn-out" in arch["bias"]:
        layer = layer + d
    if "ffn" in arch["bias"]:
        layer = layer + f * (2 if arch["gated"] else 1) + d
    if arch["qk_norm"]:
        layer = layer + 2 * dims["d_head"]
    total = dims["V"] * d * (1 if arch["tied"] else 2) + dims["L"] * layer
    total = total + (arch["norm"] * d if arch["final"] else 0)
    return total + dims["n_ctx"] * d if arch["learned"] else total


def single_changes(arch: Mapping[str, Any], dims: Mapping[str, int],
                   wanted: int) -> set[tuple[str, int]]:
    """Every point of the lattice one dim away that has the wanted size: dim and number."""
    found = set()
    for name in dims:
        values = np.arange(1, LATTICE[name] + 1, dtype=np.int64)
        values = values[allowed(arch, dims, name, values)]
        totals = size(arch, {**dims, name: values}) + 0 * values
        found |= {(name, int(v)) for v in values[totals == wanted] if v != dims[name]}
    return found


def allowed(arch: Mapping[str, Any], dims: Mapping[str, int], name: str, values: Any) -> Any:
    """Where key-value heads divide the query heads and rotated heads are even."""
    heads = values if name == "n_heads" else np.full(values.shape, dims["n_heads"])
    kv = values if name == "n_kv" else np.full(values.shape, dims["n_kv"])
    width = values if name == "d_head" else np.full(values.shape, dims["d_head"])
    return (heads % kv == 0) & ((width % 2 == 0) | (not arch["rotary"]))
