"""Points drawn for keys: apart from each other, so that no two dims agree by chance."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

from symparam.tracing.recording.terms import Path

#: A key of at most this base counts something (heads, layers, groups); a larger one is a width.
SMALL = 64
PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)
#: Numbers with many divisors, for what is divided or divides.
COUNTS = (1, 2, 3, 4, 6, 8, 12)

Drawing = Callable[[random.Random, Mapping[Path, int]], dict[Path, int]]


def ragged(rng: random.Random, keys: Mapping[Path, int]) -> dict[Path, int]:
    """Each key on its own: nothing divides anything, unless a constructor asks for it."""
    found = {path: rng.randint(1, 12) if base > 1 else rng.randint(1, 3)
             for path, base in keys.items() if base <= SMALL}
    widths = [path for path, base in keys.items() if base > SMALL]
    return found | dict(zip(widths, rng.sample(range(65, 1500), len(widths)), strict=True))


def multiples(rng: random.Random, keys: Mapping[Path, int]) -> dict[Path, int]:
    """Widths that every count divides, each with a prime of its own."""
    found = {path: rng.choice(COUNTS if base > 1 else (1, 1, 2, 3))
             for path, base in keys.items() if base <= SMALL}
    return found | _widths(rng, keys, found)


def chained(rng: random.Random, keys: Mapping[Path, int]) -> dict[Path, int]:
    """Counts of which the smaller divide the larger, and widths that all divide."""
    found: dict[Path, int] = {}
    step, at = {}, 1
    for base in sorted({base for base in keys.values() if 1 < base <= SMALL}):
        at *= rng.choice((1, 2, 2, 3)) if at < 24 else 1
        step[base] = at
    used: set[int] = set()
    for path, base in keys.items():
        if base <= SMALL:
            top = step.get(base, rng.choice((1, 1, 2, 3)))
            divisors = [d for d in range(1, top + 1) if top % d == 0]
            found[path] = rng.choice(divisors) if base in used else top
            used.add(base)
    return found | _widths(rng, keys, found)


def _widths(rng: random.Random, keys: Mapping[Path, int],
            counts: Mapping[Path, int]) -> dict[Path, int]:
    common = 1
    for count in counts.values():
        if math.lcm(common, count) <= 96:
            common = math.lcm(common, count)
    common = max(common, 4) * rng.choice((2, 4))
    primes = list(PRIMES)
    rng.shuffle(primes)
    widths = [path for path, base in keys.items() if base > SMALL]
    return {path: common * primes[i % len(primes)] for i, path in enumerate(widths)}


def wild(rng: random.Random, keys: Mapping[Path, int]) -> dict[Path, int]:
    """Counts above widths and widths below counts: what is the larger of two shows there."""
    return {path: round(2 ** rng.uniform(0, 10)) for path in keys}


def fresh(rng: random.Random, keys: Mapping[Path, int]) -> dict[Path, int]:
    """Points of a generator that nothing was fitted to: heads first, widths as their multiples.

    Each key is its base times a small fraction, rounded to whole numbers that one unit, drawn for
    the point, divides; so keys of one base come out apart, and in other ratios than elsewhere.
    """
    style = rng.random()
    if style < .1:
        return wild(rng, keys)
    if style < .4:
        return ragged(rng, keys)
    unit = rng.choice((1, 2, 3, 4, 5, 6, 7, 9, 10))
    found: dict[Path, int] = {}
    for path, base in keys.items():
        if base == 1:
            found[path] = rng.choice((1, 1, 2, 4))
        elif base <= SMALL:
            found[path] = unit * rng.choice((1, 1, 2, 3)) if rng.random() < .7 else (
                rng.randint(1, 2 * base))
        else:
            block = unit * rng.choice((1, 6, 12, 30))
            found[path] = block * rng.randint(max(1, 96 // block), 2400 // block + 1)
    return found


#: Sides of pictures and of patches: tables, and the loops that fill them, grow with the square.
PICTURE = re.compile(r"image|img|resolution|picture|crop|num_frames|input_size")
PATCH = re.compile(r"patch")


def tamed(drawn: Mapping[Path, int], keys: Mapping[Path, int],
          slow: bool = False) -> dict[Path, int]:
    """The same with pictures of at most two and a half of their own sides, and no tiny patches.

    Args:
        drawn: a proposal.
        keys: the base.
        slow: whether larger pictures were found to take too long: then of no more than their own.

    >>> tamed({("image_size",): 9000, ("patch_size",): 1, ("d",): 9000},
    ...       {("image_size",): 224, ("patch_size",): 16, ("d",): 768})
    {('image_size',): 152, ('patch_size',): 9, ('d',): 9000}
    """
    found = dict(drawn)
    for path, value in drawn.items():
        word, base = str(next((p for p in reversed(path) if isinstance(p, str)), "")), keys[path]
        if PICTURE.search(word) and base > SMALL and value > (base if slow else 2 * base):
            found[path] = base // 2 + value % (base // 2 if slow else 2 * base)
        elif PATCH.search(word) and 8 <= base <= SMALL and value < base // 2:
            found[path] = base // 2 + value
    return found


#: In turn while points are fitted.
STYLES: tuple[Drawing, ...] = (multiples, ragged, chained)


#: Where the target's own number of layers is at most this, larger ones are built too.
MODEST = 16


def structural(rng: random.Random, base: Any) -> int:
    """A small number for a key that layers are counted with, or one beside the target's own."""
    if 4 < base <= MODEST and rng.random() < .5:
        return rng.randint(int(base) - 3, int(base) + 4)
    return rng.randint(1, max(4, min(int(base) + 3, 7)))
