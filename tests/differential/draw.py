"""Random sizes and switches for configurations: no two sizes of one configuration are alike.

A dim that is taken for another then gives another shape; sizes are made of primes that nothing
else in the configuration has.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Config = dict[str, Any]
Drawing = Callable[["Draw"], Config]
_T = TypeVar("_T")

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89,
          97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179)


class Draw:
    """A source of random numbers for one configuration; the same seed gives the same one."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._left = list(PRIMES)
        self._random.shuffle(self._left)

    def prime(self, most: int = 10**9) -> int:
        """A prime that was not drawn before, the smaller ones first where a bound is given."""
        fitting = [p for p in self._left if p <= most]
        found = fitting[0] if fitting else self._random.choice([p for p in PRIMES if p <= most])
        if found in self._left:
            self._left.remove(found)
        return found

    def size(self, of: int = 1, most: int = 10**9) -> int:
        """A multiple of a number, by a prime that was not drawn before."""
        return of * self.prime(most)

    def depth(self, most: int = 5) -> int:
        """A number of layers, from 1."""
        return self._random.randint(1, most)

    def between(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self._random.randint(low, high)

    def flag(self) -> bool:
        """True or false."""
        return self._random.random() < 0.5

    def one_of(self, *values: _T) -> _T:
        """One of some values."""
        return self._random.choice(values)

    def maybe(self, config: Config, **keys: Any) -> None:
        """Add each key to a configuration, or leave it out."""
        for key, value in keys.items():
            if self.flag():
                config[key] = value

    def pattern(self, kinds: Sequence[_T], length: int) -> list[_T]:
        """A kind for each of several layers."""
        return [self._random.choice(kinds) for _ in range(length)]

    def heads(self) -> tuple[int, int]:
        """Query heads and key-value heads that divide them."""
        n_kv, group = self._random.choice((1, 2, 3, 5)), self._random.choice((1, 2, 3, 7))
        return n_kv * group, n_kv
