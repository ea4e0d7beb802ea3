"""Usual sizes on the default lattice, each held against every point of it; published ones found."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from benchmarks.recovery import DEFAULT, WIDER, cases, held, rank
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.solve import solve

SIZES = {"125M": 125 * 10**6, "350M": 350 * 10**6, "1B": 10**9, "3B": 3 * 10**9, "7B": 7 * 10**9,
         "13B": 13 * 10**9, "30B": 30 * 10**9, "70B": 70 * 10**9, "405B": 405 * 10**9}
EVERYDAY = ("7B", "405B")
V = 32_000


def every_count(target: int) -> Iterator[Any]:
    """The count at every point of the default lattice of a SwiGLU decoder, in blocks."""
    small = target < 10**9
    for width in range(64 if small else 128, 51_201, 64 if small else 128):
        step = 64 if small else 256
        ffn = np.array([f for f in range(step, 8 * width + 1, step) if f >= width], dtype=np.int64)
        depth = np.array([n for n in range(1, 201) if 32 * n <= width <= 256 * n], dtype=np.int64)
        heads = [head for head in (64, 128) if width % head == 0]
        if len(depth) and heads:
            layer = 4 * width * width + 3 * width * ffn + 2 * width
            counts = 2 * V * width + width + depth[:, None] * layer
            for _ in heads:
                yield counts


@pytest.mark.parametrize("name", [
    size if size in EVERYDAY else pytest.param(size, marks=pytest.mark.slow) for size in SIZES])
def test_a_usual_size_is_met_to_a_thousandth(name: str) -> None:
    target = SIZES[name]
    found = solve(build(None, Options(ffn="swiglu"), {}), target)
    best = found.configurations[0]
    assert abs(best.error) <= Fraction(1, 1000)
    assert found.complete
    covered = within = close = 0
    for counts in every_count(target):
        off = abs(counts - target)
        covered += counts.size
        within += int((100 * off <= target).sum())
        close += int((1000 * off <= target).sum())
    assert (found.covered, found.within) == (covered, within)
    strict = solve(build(None, Options(ffn="swiglu"), {}), target, tolerance=Fraction(1, 1000),
                   limit=1)
    assert strict.within == close
    assert strict.configurations[0].dims == best.dims
    dims = best.dims
    assert dims["d_model"] % 64 == dims["d_ff"] % 64 == 0
    assert dims["n_heads"] * dims["d_head"] == dims["d_model"]


@pytest.mark.parametrize(("name", "place"), [
    ("llama-2-7b", 1), ("gpt2", 1), ("llama-3-70b", 1), ("qwen3-8b", 1), ("falcon-40b", 4)])
def test_a_published_model_is_found_from_its_size_alone(name: str, place: int) -> None:
    """As benchmarks/recovery.py does for all of them."""
    case, = cases([name])
    assert held(DEFAULT, case.dims, case.total, case.grouped)
    assert set(case.given) <= {"V", "L", "n_ctx", "n_kv"}
    assert rank(case, DEFAULT) == place


def test_a_model_outside_the_lattice_is_known_to_be() -> None:
    case, = cases(["gemma-2-9b"])
    assert not held(DEFAULT, case.dims, case.total, case.grouped)
    assert rank(case, DEFAULT) is None
    assert held(WIDER, case.dims, case.total, case.grouped)
