"""Inkling's encoder of pictures: matrices alone, each over a square of what the last put out.

Pixels are folded into channels step by step. The prime factors of a patch's side, then of its
frames, say which sizes there are; of these a layer takes the one that is nearest to even steps of
the logarithm.

Source: transformers, models/inkling (``plan_out_scales``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import mul
from typing import NamedTuple

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import D_OUT, linear, picture_encoder
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.model import Model

MODEL_TYPES = ("inkling_vision",)
CLASSES = {"InklingVisionModel": "base"}
SIZES = {"patch_size": 40, "temporal_patch_size": 2, "num_channels": 3}
#: No layer of it attends, or has a width that a key says.
HARMLESS = frozenset("hidden_size num_attention_heads".split())
#: Channels are a multiple of this.
MULTIPLE = 64
#: Two sizes that are as near as that cannot be told apart: transformers' rounding would.
NEAR = 1e-4


class Scale(NamedTuple):
    """A size: how many pixels have become one place, and with how many channels."""

    places: int
    channels: int


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration: a kind of layer for each step between two sizes."""
    config.task(CLASSES, "base")
    sizes = {key: config.count_of(key, default=default) for key, default in SIZES.items()}
    depth = config.count_of("num_hidden_layers", "n_layers", default=24)
    values = config.dims({"d_out": ("text_hidden_size", 6144)})
    config.close(HARMLESS)
    scales = _scales(*sizes.values())
    if depth < len(scales):
        raise config.error("num_hidden_layers", f"{depth} layers for {len(scales)} sizes to which "
                           "pixels are folded: which sizes are left out is not understood")
    chosen = _chosen(config, scales, depth, math.prod(
        (sizes["patch_size"] ** 2, sizes["temporal_patch_size"], sizes["num_channels"])))
    steps = list(pairwise(chosen))
    pattern = [_kind(*step) for step in steps[:-1]] + ["last"]
    kinds = dict(zip(pattern, steps, strict=True))
    for i in {i for step in steps for i in step}:
        values[f"d_{i}"] = scales[i].channels
    values.pop(f"d_{chosen[-1]}") if chosen[-2] != chosen[-1] else None
    folds = {f"n_fold_{kind}": scales[b].places // scales[a].places
             for kind, (a, b) in kinds.items() if a != b}
    return picture_encoder(
        config, name, values | folds,
        {kind: tuple(_block(kind, *step)) for kind, step in kinds.items()},
        "encoder_layers.*.", pattern=pattern, embeddings="", before=(),
        after=(slot("norm", "rmsnorm", "final_norm.", {"d_model": "d_out"}),),
        equations=tuple(_folded(kinds)), declared=tuple(_declared(kinds)))


def _kind(a: int, b: int) -> str:
    return f"keep_{a}" if a == b else f"fold_{a}_{b}"


def _block(kind: str, a: int, b: int) -> Block:
    """A matrix and its norm; the last leads to the width of what comes out and has no norm."""
    before = f"d_{a}" if a == b else f"d_in_{kind}"
    if kind == "last":
        return (linear("projection", "projection.", before, "d_out"),)
    return (linear("projection", "projection.", before, f"d_{b}"),
            slot("norm", "rmsnorm", "layer_norm.", {"d_model": f"d_{b}"}))


def _folded(kinds: dict[str, tuple[int, int]]) -> Iterator[Equation]:
    for kind, (a, b) in kinds.items():
        if a != b:
            yield Equation(f"d_in_{kind}", ex.Sym(f"n_fold_{kind}") * ex.Sym(f"d_{a}"),
                           "places that become one stand side by side", Standing.DEFINITION)


def _declared(kinds: dict[str, tuple[int, int]]) -> Iterator[Dim]:
    yield D_OUT
    for i in sorted({i for step in kinds.values() for i in step}):
        yield Dim(f"d_{i}", f"d_{{{i}}}", f"channels of size {i}, of which 0 is the picture")
    for kind, (a, b) in kinds.items():
        if a != b:
            yield Dim(f"n_fold_{kind}", rf"n_{{\text{{fold}},{a},{b}}}",
                      f"places that become one from size {a} to {b}")
            yield Dim(f"d_in_{kind}", rf"d_{{\text{{in}},{a},{b}}}", "width of these side by side")


def _scales(side: int, frames: int, channels: int) -> list[Scale]:
    """The sizes: first places of a side become one, then frames.

    Channels are rounded up where sides become one; where frames do, transformers multiplies.
    """
    sides = list(accumulate(_primes(side), mul))
    times = list(accumulate(_primes(frames), mul))
    whole = sides[-1] if sides else 1
    return [Scale(1, channels), *(Scale(n * n, _rounded(n * n * channels)) for n in sides),
            *(Scale(whole ** 2 * n, whole ** 2 * channels * n * MULTIPLE) for n in times)]


def _primes(number: int) -> list[int]:
    """The prime factors, the largest first."""
    found, factor = [], 2
    while factor * factor <= number:
        while number % factor == 0:
            found.append(factor)
            number //= factor
        factor += 1
    return sorted([*found, number] if number > 1 else found, reverse=True)


def _rounded(number: int) -> int:
    return -(-number // MULTIPLE) * MULTIPLE


def _chosen(config: Config, scales: Sequence[Scale], depth: int, total: int) -> list[int]:
    """The size before each layer, and after the last."""
    found = [0]
    for i in range(1, depth):
        ideal = math.log(total) * i / depth
        away = [abs(ideal - math.log(scale.places)) for scale in scales]
        nearest, *others = sorted(range(len(scales)), key=lambda j: away[j])
        if others and away[others[0]] - away[nearest] < NEAR:
            raise config.error("num_hidden_layers", f"layer {i} is as near to one size as to "
                               "another")
        found.append(nearest)
    return [*found, len(scales) - 1]
