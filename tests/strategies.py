"""Random architectures and dims for Hypothesis, from one table of options.

A new option is added to :data:`OPTIONS` alone; a test fails while the table lacks one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import combinations
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from symparam.descriptions.decoder import decoder
from symparam.descriptions.options import Options, with_switched
from symparam.model import Model
from symparam.resolve import with_overrides

Arch = dict[str, Any]
Dims = dict[str, int]

SITES = ("qkv", "attn-out", "ffn", "head")

#: Every option with every value it may have. The first is what the plain decoder has.
OPTIONS: dict[str, tuple[Any, ...]] = {
    "attention": ("mha", "gqa", "mqa", "mla"),
    "ffn": ("mlp", "swiglu", "geglu", "moe"),
    "norm": ("rmsnorm", "layernorm", "layernorm-gain", "none"),
    "norms_per_block": (2, 1, 4),
    "final_norm": (True, False),
    "bias": tuple(sites for n in range(5) for sites in combinations(SITES, n)),
    "qk_norm": (False, True),
    "positions": ("rope", "none", "learned", "relative", "alibi"),
    "tied": (False, True),
}

#: Those that may differ from one kind of block to another.
BLOCK_OPTIONS = ("attention", "ffn", "norm", "norms_per_block", "bias", "qk_norm")

#: Those of a block of one kind among several.
DENSE = {"attention": OPTIONS["attention"][:3], "ffn": OPTIONS["ffn"][:3]}

#: Dims of latent attention and of mixtures, drawn for every architecture.
SPECIAL = ("q_rank", "kv_rank", "d_nope", "d_rope", "d_v", "n_experts", "top_k", "d_expert",
           "n_shared")

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67)

#: Other examples on every run, drawn from the seed that the run prints (tests/conftest.py).
quick = settings(deadline=None, max_examples=120, print_blob=True,
                 suppress_health_check=[HealthCheck.too_slow])

#: The seed of the run, for what draws inside a test: tests themselves are given it.
SEED = int(os.environ.get("SYMPARAM_SEED", "0"))


def possible(arch: Arch) -> Arch:
    """The options without those that latent attention or a mixture does not take."""
    arch = dict(arch)
    if arch.get("attention") == "mla":  # it has norms of its own
        arch.pop("qk_norm", None)
    if arch.get("ffn") == "moe" and "bias" in arch:
        arch["bias"] = tuple(site for site in arch["bias"] if site != "ffn")
    return arch


@st.composite
def architectures(draw: st.DrawFn, dense: bool = False) -> Arch:
    """Any options, some of them left out; ``dense``: with one attention head's dims alone."""
    table = OPTIONS | DENSE if dense else OPTIONS
    arch = {name: draw(st.sampled_from(values)) for name, values in table.items()}
    left_out = draw(st.sets(st.sampled_from(sorted(OPTIONS)), max_size=4))
    return possible({name: value for name, value in arch.items() if name not in left_out})


@st.composite
def dims_for(draw: st.DrawFn, kinds: frozenset[str], positions: str, primes: bool) -> Dims:
    """Numbers that the given kinds of attention and positions allow, all together.

    With ``primes``, every dim is a prime of its own, as far as the checks leave it free: a
    shape then tells which dims it was made of.
    """
    tops = (9, 64, 200, 6, 4, 24, 300, 99, *(40,) * len(SPECIAL))
    if primes:
        size = len(tops)
        sizes = draw(st.lists(st.sampled_from(PRIMES), min_size=size, max_size=size, unique=True))
    else:
        sizes = [draw(st.integers(1, top)) for top in tops]
    depth, width, vocab, kv, group, head, hidden, context, *special = sizes
    own = dict(zip(SPECIAL, special, strict=True))
    own["n_experts"] += own["top_k"]
    n_kv, n_heads = kv, kv * group
    if "mqa" in kinds:
        n_kv, n_heads = 1, kv
    if "mha" in kinds:
        n_heads = n_kv
    return {"V": vocab, "L": depth, "d_model": width, "n_heads": n_heads, "n_kv": n_kv,
            "d_head": 2 * head if positions == "rope" else head, "d_ff": hidden,
            "n_ctx": context, **own, "d_rope": 2 * own["d_rope"]}


@st.composite
def decoders(draw: st.DrawFn, primes: bool = False, dense: bool = False) -> tuple[Arch, Dims]:
    """A decoder's options with dims that they allow."""
    arch = draw(architectures(dense))
    kinds = frozenset({arch.get("attention", "mha")})
    dims = draw(dims_for(kinds, arch.get("positions", "rope"), primes))
    if draw(st.booleans()):
        del dims["n_shared"]  # no shared experts
    return arch, dims


def switched(arch: Arch, dims: Dims) -> Dims:
    """The drawn numbers that turn a part of the architecture on: how many experts are shared."""
    return {name: dims[name] for name in ("n_shared",) if name in dims and arch.get("ffn") == "moe"}


@st.composite
def mixed(draw: st.DrawFn) -> tuple[Arch, Dims, list[list[int]]]:
    """A decoder of two or three kinds of block, dims, and each kind's layer numbers."""
    top = {name: draw(st.sampled_from(OPTIONS[name]))
           for name in ("norm", "final_norm", "positions", "tied")}
    kinds = [{name: draw(st.sampled_from(DENSE.get(name, OPTIONS[name])))
              for name in BLOCK_OPTIONS}
             for _ in range(draw(st.integers(2, 3)))]
    for kind in kinds:
        kind["bias"] = tuple(site for site in kind["bias"] if site != "head")
    attentions = frozenset(kind["attention"] for kind in kinds)
    dims = draw(dims_for(attentions, top["positions"], False))
    dims = {name: n for name, n in dims.items() if name not in SPECIAL
            and (name != "n_ctx" or top["positions"] == "learned")}
    owner = draw(st.permutations(
        [*range(len(kinds)), *draw(st.lists(st.integers(0, len(kinds) - 1), max_size=8))]))
    taken = [[n for n, kind in enumerate(owner) if kind == i] for i in range(len(kinds))]
    blocks = [{"layers": len(own), **kind} for own, kind in zip(taken, kinds, strict=True)]
    return {**top, "blocks": blocks}, {**dims, "L": len(owner)}, taken


def engine(arch: Arch, dims: Mapping[str, int]) -> Model:
    """What the package makes of the same options and dims."""
    options = {**arch, "bias": frozenset(arch["bias"])} if "bias" in arch else arch
    return with_overrides(with_switched(decoder(Options(**options)), dims), dims)
