"""How widths split into heads, and what they are multiples of on the hardware.

Rules of thumb, not constraints: GPT-2 XL (25 heads of 64, width 1600) breaks several of them and
works. Sources: NVIDIA, Matrix Multiplication Background User's Guide, on tensor core sizes; OCP
Microscaling Formats 1.0 (blocks of 32); GPTQ and AWQ as they are shipped (groups of 128); GGUF's
k-quants (blocks of 256).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.resolve import whole_number

#: Multiples of widths, and what each is for.
WIDTH_MULTIPLES = ((8, "FP16 tensor cores"), (16, "INT8 tensor cores"), (64, "good"), (128, "best"))
WIDE_MULTIPLES = (*WIDTH_MULTIPLES, (256, "bandwidth"))
VOCABULARY_MULTIPLES = ((64, "good"), (128, "best"))
WIDTHS = ("d_model", "d_ff", "d_expert", "d_shared", "q_rank", "kv_rank")
#: What a head of latent attention is made of: it has no one width.
PARTS = ("d_nope", "d_rope", "d_v")
#: The dims that are looked at.
LOOKED_AT = ("V", "d_model", "n_heads", "n_kv", "d_head", *PARTS, *WIDTHS[1:])
TENSOR_PARALLEL = 8

#: Sizes of the groups of weights that share a scale, along the side that is summed over.
GROUPS = ((32, "MXFP4"), (128, "GPTQ and AWQ"), (256, "GGUF k-quants"))
HEAD_LOW, HEAD_HIGH = 64, 128


@dataclass(frozen=True)
class AlignmentCheck:
    """One rule of thumb on one set of numbers.

    Attributes:
        name: what is asked: ``d_ff multiple of 128 (best)``.
        passed: whether it holds; None where it does not apply.
        detail: the arithmetic that shows it.
        value: the number that was looked at.
    """

    name: str
    passed: bool | None
    detail: str
    value: int


def head_configurations(d_model: int, low: int = 32, high: int = 256) -> list[tuple[int, int]]:
    """All splits of a width into equal heads, as (n_heads, d_head), widest head last.

    Args:
        d_model: the width.
        low, high: the narrowest and the widest head, both included.

    Raises:
        BadValue: a width that no model has, or an empty range of head widths.

    >>> head_configurations(1024)
    [(32, 32), (16, 64), (8, 128), (4, 256)]
    >>> head_configurations(1021)
    []
    """
    whole_number("d_model", d_model)
    if not 1 <= low <= high:
        raise BadValue("d_head", f"{low} to {high}", "expected a range from 1 up")
    small = [k for k in range(1, math.isqrt(d_model) + 1) if d_model % k == 0]
    widths = sorted({*small, *(d_model // k for k in small)})
    return [(d_model // width, width) for width in widths if low <= width <= high]


def alignment_checks(dims: Mapping[str, int], tensor_parallel: int = TENSOR_PARALLEL,
                     split: bool = True) -> list[AlignmentCheck]:
    """The rules of thumb that the given dims allow to be looked at.

    Args:
        dims: any of :data:`LOOKED_AT`; others are not looked at. A head width that is not given
            is d_model/n_heads, but where parts of latent heads are given (d_nope, d_rope, d_v).
        tensor_parallel: over how many devices heads are shared out.
        split: whether heads split the width where no head width is given; False for a model
            whose heads have none.

    Raises:
        BadValue: a number that no dim can have.

    >>> all(c.passed for c in alignment_checks({"d_model": 4096, "n_heads": 32, "d_ff": 11008}))
    True
    >>> xl = alignment_checks({"d_model": 1600, "n_heads": 25, "d_ff": 6400})
    >>> [c.name for c in xl if not c.passed and "d_model" not in c.name]
    ['d_head multiple of 128 (best)', 'n_heads multiple of 8 (8-way tensor parallelism)']
    """
    whole_number("tensor_parallel", tensor_parallel)
    known = {name: whole_number(name, value) for name, value in dims.items()}
    split = split and "d_head" not in known and known.keys().isdisjoint(PARTS)
    if split and {"d_model", "n_heads"} <= set(known) and known["d_model"] % known["n_heads"] == 0:
        known["d_head"] = known["d_model"] // known["n_heads"]
    return [*_widths(known), *_heads(known, split, tensor_parallel),
            *_quantised(known), *_vocabulary(known)]


def _multiple(dims: Mapping[str, int], dim: str, of: int, why: str) -> AlignmentCheck:
    value = dims[dim]
    whole, left = divmod(value, of)
    detail = f"{value} = {whole}·{of}" + (f" + {left}" if left else "")
    return AlignmentCheck(f"{dim} multiple of {of} ({why})", left == 0, detail, value)


def _widths(dims: Mapping[str, int]) -> Iterator[AlignmentCheck]:
    kinds = {**dict.fromkeys(WIDTHS, WIDE_MULTIPLES), "d_head": WIDTH_MULTIPLES,
             **dict.fromkeys(PARTS, WIDTH_MULTIPLES[:-1])}
    for dim, multiples in kinds.items():
        if dim in dims:
            for of, why in multiples:
                yield _multiple(dims, dim, of, why)


def _heads(dims: Mapping[str, int], split: bool, ranks: int) -> Iterator[AlignmentCheck]:
    if "n_heads" in dims:
        yield _multiple(dims, "n_heads", ranks, f"{ranks}-way tensor parallelism")
        if "d_model" in dims and (split or "d_head" in dims):
            yield _split(dims, split)
    if "d_head" in dims:
        width = dims["d_head"]
        yield AlignmentCheck(f"d_head from {HEAD_LOW} to {HEAD_HIGH}",
                             HEAD_LOW <= width <= HEAD_HIGH, f"d_head = {width}", width)
        yield _multiple(dims, "d_head", 2, "even, for rotary positions")
    if "d_rope" in dims:
        yield _multiple(dims, "d_rope", 2, "even, for rotary positions")
    if {"n_heads", "n_kv"} <= set(dims):
        heads, kv = dims["n_heads"], dims["n_kv"]
        yield AlignmentCheck("n_kv divides n_heads", heads % kv == 0,
                             f"{heads} = {heads // kv}·{kv}"
                             + (f" + {heads % kv}" if heads % kv else ""), kv)
        yield _shared_out(kv, ranks)


def _shared_out(kv: int, ranks: int) -> AlignmentCheck:
    """Whether key-value heads go over devices: some to each, or each to as many of them."""
    name = f"n_kv and {ranks} ranks: one divides the other"
    if kv % ranks == 0:
        return AlignmentCheck(name, True, f"{kv // ranks} on each of {ranks}", kv)
    if ranks % kv == 0:
        return AlignmentCheck(name, True, f"each of {kv} on {ranks // kv} ranks", kv)
    return AlignmentCheck(name, False, f"{kv} and {ranks} do not divide each other", kv)


def _split(dims: Mapping[str, int], split: bool) -> AlignmentCheck:
    """Whether heads split the width; a head width given on its own need not."""
    heads, width = dims["n_heads"], dims["d_model"]
    name = "n_heads divides d_model"
    if split:
        left = width % heads
        detail = f"{width} = {heads}·{width // heads}" + (f" + {left}" if left else "")
        return AlignmentCheck(name, left == 0, detail, width)
    covered = heads * dims["d_head"]
    detail = f"{heads}·{dims['d_head']} = {covered}, d_model = {width}"
    return AlignmentCheck(name, True if covered == width else None, detail, width)


def _quantised(dims: Mapping[str, int]) -> Iterator[AlignmentCheck]:
    """Whether groups of weights come out even along each side that is summed over."""
    sides = {name: dims[name] for name in WIDTHS if name in dims}
    for head in ("d_head", "d_v"):
        if {"n_heads", head} <= set(dims):
            sides[f"n_heads·{head}"] = dims["n_heads"] * dims[head]
    if sides.get("n_heads·d_head") == dims.get("d_model"):
        sides.pop("n_heads·d_head", None)
    for name, value in sides.items():
        left = [(size, kind) for size, kind in GROUPS if value % size]
        detail = "; ".join(f"{value} = {value // size}·{size} + {value % size} ({kind})"
                           for size, kind in left) or f"{value} = {value // 256}·256"
        yield AlignmentCheck(f"{name} in quantisation groups of 32, 128 and 256", not left,
                             detail, value)


def _vocabulary(dims: Mapping[str, int]) -> Iterator[AlignmentCheck]:
    if "V" in dims:
        for of, why in VOCABULARY_MULTIPLES:
            yield _multiple(dims, "V", of, why)
