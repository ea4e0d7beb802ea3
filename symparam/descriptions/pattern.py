"""Which layers are of a kind, for any number of layers: some at the beginning, then in a cycle."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from math import lcm

from symparam import expression as ex
from symparam.constraints import Check, Equation, KnownFor, Standing
from symparam.dataclass import dataclass

#: A cycle is believed once it was gone through so often.
CYCLES = 2
#: The same where what stands before it looks like a part of it.
SURE = 4
#: A rule that needs more terms than this is no rule that anybody would state.
MAX_TERMS = 6
#: No cycle of a list is longer; one that is stated may be.
MAX_CYCLE = 128


@dataclass(frozen=True)
class Pattern:
    """Layers by their numbers from 0: those of the head, then a cycle without end.

    Attributes:
        head: for each of the first layers whether it belongs.
        cycle: the same for those that follow, again and again.

    >>> every_sixth = Pattern.every(6, 5)
    >>> every_sixth.count(26), str(every_sixth.rule("L")), str(every_sixth.others().rule("L"))
    (4, 'down(L/6)', 'L - down(L/6)')
    """

    head: tuple[bool, ...]
    cycle: tuple[bool, ...]

    @classmethod
    def every(cls, step: int, first: int) -> Pattern:
        """Each ``step``-th layer from a number on."""
        return cls((False,) * first, (True, *(False,) * (step - 1))).shortest()

    def __contains__(self, layer: int) -> bool:
        if layer < len(self.head):
            return self.head[layer]
        return self.cycle[(layer - len(self.head)) % len(self.cycle)]

    def shortest(self) -> Pattern:
        """The same layers with as short a cycle and a head as there can be."""
        head, cycle = list(self.head), list(self.cycle)
        length = next(n for n in range(1, len(cycle) + 1) if len(cycle) % n == 0
                      and cycle[n:] + cycle[:n] == cycle)
        cycle = cycle[:length]
        while head and head[-1] == cycle[-1]:
            cycle = [head.pop(), *cycle[:-1]]
        return Pattern(tuple(head), tuple(cycle))

    def others(self) -> Pattern:
        """The layers that do not belong."""
        return Pattern(tuple(not x for x in self.head), tuple(not x for x in self.cycle))

    def also_in(self, other: Pattern) -> Pattern:
        """The layers that belong to both.

        >>> both = Pattern.every(2, 1).also_in(Pattern.every(3, 2))
        >>> [n for n in range(20) if n in both]
        [5, 11, 17]
        """
        head, cycle = max(len(self.head), len(other.head)), lcm(len(self.cycle), len(other.cycle))
        belongs = [n in self and n in other for n in range(head + cycle)]
        return Pattern(tuple(belongs[:head]), tuple(belongs[head:])).shortest()

    def count(self, depth: int) -> int:
        """How many of so many layers belong."""
        first, length = min(depth, len(self.head)), len(self.cycle)
        whole, left = divmod(depth - first, length)
        return sum(self.head[:first]) + whole * sum(self.cycle) + sum(self.cycle[:left])

    @property
    def constant(self) -> int | None:
        """How many belong where there are no more after the head; None where there are."""
        return None if any(self.cycle) else sum(self.head)

    def rule(self, total: str) -> ex.Expr:
        """How many belong, in the number of all layers, which is at least the head's length."""
        if 2 * sum(self.cycle) > len(self.cycle):
            return _with_number(ex.Sym(total), -1, self.others(), total)
        return _with_number(ex.Num(0), 1, self, total)

    @property
    def terms(self) -> int:
        """How many roundings the rule has."""
        return min(sum(self.cycle), len(self.cycle) - sum(self.cycle))

    def in_words(self) -> str:
        """The layers in words.

        >>> Pattern.every(6, 5).in_words(), Pattern.every(6, 5).others().in_words()
        ('one layer in 6', 'all but one layer in 6')
        """
        inside, length = sum(self.cycle), len(self.cycle)
        words = (f"{'one layer' if inside == 1 else f'{inside} layers'} in {length}"
                 if 2 * inside <= length else
                 f"all but {'one layer' if length - inside == 1 else f'{length - inside} layers'} "
                 f"in {length}" if inside < length else "all layers")
        return f"{words} after the first {len(self.head)}" if self.head else words


def _with_number(start: ex.Expr, sign: int, pattern: Pattern, total: str) -> ex.Expr:
    """So many more, or fewer, as belong to a pattern."""
    length, before = len(pattern.cycle), len(pattern.head)
    number, found = sum(pattern.head), start
    for place in (i for i, belongs in enumerate(pattern.cycle) if belongs):
        number -= (before + place) // length
        found = found + sign * _reached(total, (before + place) % length, length)
    return found + sign * number


def _reached(total: str, first: int, step: int) -> ex.Expr:
    """How many of first, first + step, ... are below the total."""
    if first == step - 1:
        return ex.Whole(ex.Sym(total) / step, "down") if step > 1 else ex.Sym(total)
    return ex.Whole((ex.Sym(total) - first if first else ex.Sym(total)) / step, "up")


def cycle_of(kinds: Sequence[Hashable]) -> tuple[int, int] | None:
    """How many layers stand before a cycle, and its length; None where a list shows none.

    The head is one run of a kind, or of kinds that the cycle does not have, or much shorter than
    what follows: any list ends in some cycle if enough of it is taken away.

    >>> cycle_of("dddssssss"), cycle_of("aabaabaab"), cycle_of("ab"), cycle_of("ccaccacacac")
    ((3, 1), (0, 3), None, None)
    """
    best: tuple[int, int] | None = None
    for length in range(1, min(len(kinds) // CYCLES, MAX_CYCLE) + 1):
        if best is not None and length >= sum(best):
            break
        before = _start(kinds, length)
        head, cycle = kinds[:before], set(kinds[before:before + length])
        shorter = best is None or before + length < sum(best)
        if shorter and before + CYCLES * length <= len(kinds) and _stands_alone(
                head, cycle, length, len(kinds)):
            best = before, length
    return best


def _stands_alone(head: Sequence[Hashable], cycle: set[Hashable], length: int, depth: int) -> bool:
    """Whether what stands before a cycle is believed to be no part of it."""
    return all(a == b for a, b in pairwise(head)) or not cycle & set(head) or (
        len(head) < length and len(head) + SURE * length <= depth)


def _start(kinds: Sequence[Hashable], length: int) -> int:
    """The layer from which on a list repeats itself after so many."""
    place = len(kinds) - length
    while place and kinds[place - 1] == kinds[place - 1 + length]:
        place -= 1
    return place


@dataclass(frozen=True)
class Counted:
    """How many layers are of a kind: as a number or as a rule, with a check on the depth."""

    values: dict[str, int]
    equations: tuple[Equation, ...] = ()
    checks: tuple[Check, ...] = ()

    def joined(self, other: Counted) -> Counted:
        """Both."""
        return Counted({**self.values, **other.values}, (*self.equations, *other.equations),
                       (*self.checks, *other.checks))


def counted(name: str, total: str, depth: int, inside: Iterable[int],
            cycle: tuple[int, int] | None) -> Counted:
    """The number of layers of a kind whose numbers were listed for one depth.

    Args:
        name: the dim that counts them.
        total: the dim that counts all layers.
        depth: how many there are.
        inside: the numbers of the layers of the kind.
        cycle: how the list of all kinds goes on (:func:`cycle_of`).
    """
    belongs = [False] * depth
    for number in inside:
        belongs[number] = True
    if cycle is not None:
        before, length = cycle
        pattern = Pattern(tuple(belongs[:before]), tuple(belongs[before:before + length]))
        if pattern.terms <= MAX_TERMS:
            return by_pattern(name, total, pattern)
    return Counted({name: sum(belongs)}, checks=(
        KnownFor(name, total, depth, depth, "its layers are listed one by one"),))


def by_pattern(name: str, total: str, pattern: Pattern) -> Counted:
    """The number of layers that belong to a pattern."""
    pattern = pattern.shortest()
    low = len(pattern.head)
    checks: tuple[Check, ...] = ()
    if low:
        checks = (KnownFor(name, total, low, None, f"the first {low} layers stand for themselves"),)
    if pattern.constant is not None:
        return Counted({name: pattern.constant}, checks=checks)
    return Counted({}, (Equation(name, pattern.rule(total), f"a pattern: {pattern.in_words()}",
                                 Standing.PATTERN),), checks)
