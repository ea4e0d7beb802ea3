"""Parameters, active parameters and caches of decoders, layer by layer and matrix by matrix.

An architecture is a plain table as a description has it: kinds of block with their layers, windows
on some of these, mixtures with shared experts. Each layer is looked at by its number, so that a
pattern is followed by asking of every layer whether it belongs. Nothing of the package is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

Arch = Mapping[str, Any]
Dims = Mapping[str, int]

#: Rules that hold where a dim is not given.
FFN = {"mlp": Fraction(4), "swiglu": Fraction(8, 3), "geglu": Fraction(8, 3)}


class NotWhole(Exception):
    """A dim that follows would be a fraction, or contradicts what the kind of attention means."""


def belongs(pattern: Any, layer: int) -> bool:
    """Whether a layer is one of a list, or of ``{every, from, to}``."""
    if isinstance(pattern, list):
        return layer in pattern
    first, step = pattern.get("from", 0), pattern.get("every", 1)
    return layer >= first and (layer - first) % step == 0 and layer < pattern.get("to", layer + 1)


def layers(arch: Arch, depth: int) -> Iterator[Mapping[str, Any]]:
    """The block of every layer, with its window where it has one, by the layer's number."""
    for layer in range(depth):
        for block in arch["blocks"]:
            where = block.get("layers", "L")
            others = [b for b in arch["blocks"] if isinstance(b.get("layers"), (dict, list))]
            if where == "L" or (where == "rest" and not any(
                    belongs(b["layers"], layer) for b in others)) or (
                    isinstance(where, (dict, list)) and belongs(where, layer)):
                yield {**block, "window": _window(block, layer)}
                break
        else:
            raise NotWhole(f"layer {layer} is of no kind")


def _window(block: Mapping[str, Any], layer: int) -> int | None:
    window = block.get("window")
    if isinstance(window, dict):
        inside = belongs(window.get("layers", {"every": 1}), layer)
        outside = "except" in window and belongs(window["except"], layer)
        return int(window["size"]) if inside and not outside else None
    return window


def completed(arch: Arch, given: Dims) -> dict[str, int]:
    """The dims with those that follow where they were not given.

    Raises:
        NotWhole: one would be no whole number of at least 1, or is against its kind.
    """
    dims = dict(given)
    kinds = {block["attention"] for block in arch["blocks"]}
    if "mha" in kinds and dims.setdefault("n_kv", dims["n_heads"]) != dims["n_heads"]:
        raise NotWhole("n_kv")
    if "mqa" in kinds and dims.setdefault("n_kv", 1) != 1:
        raise NotWhole("n_kv")
    if "d_head" not in dims:
        if dims["d_model"] % dims["n_heads"]:
            raise NotWhole("d_head")
        dims["d_head"] = dims["d_model"] // dims["n_heads"]
    for block in arch["blocks"]:
        if block["ffn"] in FFN and "d_ff" not in dims:
            value = FFN[block["ffn"]] * dims["d_model"]
            if value.denominator != 1:
                raise NotWhole("d_ff")
            dims["d_ff"] = int(value)
    if "n_kv" not in dims or dims["n_heads"] % dims["n_kv"]:
        raise NotWhole("n_kv")
    if arch.get("positions", "rope") == "rope" and dims["d_head"] % 2:
        raise NotWhole("d_head")
    if any(block["ffn"] == "moe" for block in arch["blocks"]) and dims["top_k"] > dims["n_experts"]:
        raise NotWhole("top_k")
    return dims


def norm(kind: str, width: int) -> int:
    """What a norm learns."""
    return {"rmsnorm": width, "layernorm": 2 * width, "layernorm-gain": width, "none": 0}[kind]


def attention(block: Mapping[str, Any], d: Dims) -> int:
    """Queries, keys, values, output, biases, norms of heads."""
    width, q, kv = d["d_model"], d["n_heads"] * d["d_head"], d["n_kv"] * d["d_head"]
    found = width * q + width * kv + width * kv + q * width
    if "qkv" in block.get("bias", ()):
        found += q + kv + kv
    if "attn-out" in block.get("bias", ()):
        found += width
    return found + (2 * d["d_head"] if block.get("qk_norm") else 0)


def feed_forward(block: Mapping[str, Any], d: Dims, active: bool) -> int:
    """Two or three matrices; a router with experts, of which a token uses a few."""
    width = d["d_model"]
    if block["ffn"] == "moe":
        experts = d["top_k"] if active else d["n_experts"]
        found = d["n_experts"] * width
        for _ in range(experts):
            found += 3 * width * d["d_expert"]
        return found + 3 * width * d.get("n_shared", 0) * d["d_expert"]
    matrices = 2 if block["ffn"] == "mlp" else 3
    found = matrices * width * d["d_ff"]
    if "ffn" in block.get("bias", ()):
        found += (matrices - 1) * d["d_ff"] + width
    return found


def parameters(arch: Arch, given: Dims, *, active: bool = False) -> int:
    """All parameters, or those that a token touches."""
    d = completed(arch, given)
    found = d["V"] * d["d_model"] * (1 if arch.get("tied") else 2)
    if arch.get("positions", "rope") == "learned":
        found += d["n_ctx"] * d["d_model"]
    for block in layers(arch, d["L"]):
        found += attention(block, d) + feed_forward(block, d, active)
        found += block.get("per_block", 2) * norm(block.get("norm", "rmsnorm"), d["d_model"])
    final = arch.get("final_norm", "rmsnorm")
    return found + (norm(final, d["d_model"]) if final else 0)


def cache(arch: Arch, given: Dims, tokens: int, bytes_each: int = 2) -> int:
    """Bytes of keys and values: each layer keeps what its window lets it see."""
    d, found = completed(arch, given), 0
    for block in layers(arch, d["L"]):
        seen = tokens if block["window"] is None else min(tokens, block["window"])
        found += 2 * d["n_kv"] * d["d_head"] * seen * bytes_each
    return found


def kinds_present(arch: Arch, depth: int) -> bool:
    """Whether each kind has a layer at a depth."""
    names = {block.get("name") for block in layers(arch, depth)}
    return all(block.get("name") in names for block in arch["blocks"])


def named_beyond(arch: Arch, depth: int) -> bool:
    """Whether a layer that is named by its number is not there."""
    return any(_last(pattern) >= depth for block in arch["blocks"] for pattern in _patterns(block))


def _patterns(block: Mapping[str, Any]) -> Iterator[Any]:
    window = block.get("window")
    stated = [block.get("layers"), *([window.get("layers"), window.get("except")]
                                     if isinstance(window, dict) else [])]
    yield from (each for each in stated if isinstance(each, (dict, list)))


def _last(pattern: Any) -> int:
    """The last layer of a list, or of a pattern that ends; -1 where there is no end."""
    if isinstance(pattern, list):
        return max(pattern)
    if "to" not in pattern:
        return -1
    return max(n for n in range(pattern["to"]) if belongs(pattern, n))
