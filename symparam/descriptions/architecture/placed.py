"""Where the kinds of layer of a description stand, and which of their layers see a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm

from symparam import expression as ex
from symparam.constraints import Check, KnownFor
from symparam.dataclass import dataclass
from symparam.descriptions.pattern import Counted, Pattern, by_pattern
from symparam.descriptions.reading.source import DataTable, shown
from symparam.stack import Window

MAX_NUMBERED = 100_000
_EVERY = Pattern((), (True,))


@dataclass(frozen=True)
class Places:
    """The layers of each kind that has layer numbers.

    Attributes:
        patterns: kind to its layers; kinds that are counted alone are not among them.
        checks: up to which depth the kinds do not overlap, and leave none out.
    """

    patterns: Mapping[str, Pattern]
    checks: tuple[Check, ...] = ()


def depth_of(table: DataTable, key: str, values: Mapping[str, int]) -> int:
    """The number of layers, which layer numbers need."""
    if "L" not in values or values["L"] > MAX_NUMBERED:
        raise table.error(key, "layer numbers need a number for L in [dims], of at "
                          f"most {MAX_NUMBERED}")
    return values["L"]


def read_pattern(table: DataTable, key: str, depth: int) -> tuple[Pattern, int | None]:
    """The layers that a list of numbers or ``{ every = 4, from = 3, to = 40 }`` names, and the
    depth up to which that is known."""
    value, high = table.raw(key), None
    if isinstance(value, dict):
        stated = table.table(key)
        step, first = stated.integer("every", 1), stated.integer("from", 0)
        end = stated.integer("to", 0) if "to" in stated else None
        stated.finish()
        if step < 1 or first < 0 or max(step, first) > MAX_NUMBERED:
            raise table.error(key, "expected every >= 1 and from >= 0")
        pattern = Pattern.every(step, first)
        if end is not None and end <= depth:
            pattern = Pattern(tuple(n in pattern for n in range(max(end, 0))), (False,))
        elif end is not None:
            high = end
    else:
        pattern = _listed(table, key, value, depth)
    if not pattern.count(depth):
        raise table.error(key, "no layer is of this kind")
    return pattern, high


def _listed(table: DataTable, key: str, value: object, depth: int) -> Pattern:
    numbers: set[int] = set()
    for n in value if isinstance(value, list) else ():
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < depth:
            raise table.error(key, f"expected numbers from 0 to {depth - 1}, found {shown(n)}")
        if n in numbers:
            raise table.error(key, f"layer {n} is taken twice")
        numbers.add(n)
    return Pattern(tuple(n in numbers for n in range(max(numbers, default=-1) + 1)), (False,))


def places(tables: Sequence[tuple[str, DataTable]], values: Mapping[str, int]) -> Places:
    """The layers of each kind, from the ``layers`` of the blocks.

    Raises:
        SpecError: a layer of two kinds or of none, a number that is none.
    """
    stated = {name: table.raw("layers", "L") for name, table in tables}
    given = [(name, table) for name, table in tables if isinstance(stated[name], (list, dict))]
    rest = [(name, table) for name, table in tables if stated[name] == "rest"]
    if len(given) + len(rest) < len(tables):
        rest = []  # the others have a number or an expression: the rest is L less those
    patterns: dict[str, Pattern] = {}
    highs: list[int] = []
    depth = 0
    for name, table in given:
        depth = depth_of(table, "layers", values)
        patterns[name], high = read_pattern(table, "layers", depth)
        highs += [] if high is None else [high]
    if not given and not rest:
        return Places({})
    for name, table in rest:
        depth = depth_of(table, "layers", values)
        patterns[name] = _others(patterns)
        if not patterns[name].count(depth):
            raise table.error("layers", "no layer is of this kind")
    every = len(given) + len(rest) == len(tables)
    return Places(patterns, tuple(_checks(given, patterns, depth, every, highs)))


def _others(patterns: Mapping[str, Pattern]) -> Pattern:
    found = _EVERY
    for pattern in patterns.values():
        found = found.also_in(pattern.others())
    return found


def _checks(given: Sequence[tuple[str, DataTable]], patterns: Mapping[str, Pattern], depth: int,
            every: bool, highs: Sequence[int]) -> list[Check]:
    """Layers are of one kind each: here, and up to a depth."""
    longest = max((len(p.head) for p in patterns.values()), default=0)
    cycle = lcm(*(len(p.cycle) for p in patterns.values()))
    ends = [*highs]
    for n in range(depth + min(longest + cycle, MAX_NUMBERED)):
        kinds = [name for name, pattern in patterns.items() if n in pattern]
        if len(kinds) > 1 or (every and not kinds):
            if n < depth:
                problem = f"layer {n} is taken twice" if kinds else (
                    f'layer {n} is of no kind; layers = "rest" takes what is left')
                raise given[-1][1].error("layers", problem)
            ends.append(n)
            break
    return [KnownFor("", "L", 1, min(ends), f"layer {min(ends)} would be of "
                     f"{'two kinds or of none'}")] if ends else []


@dataclass(frozen=True)
class Bounded:
    """A window as a block states it.

    Attributes:
        table: where.
        size: the dim that is its length.
        number: the length, where it is stated in place.
        key: ``layers`` or ``except`` where some layers have it.
    """

    table: DataTable
    size: str
    number: int | None = None
    key: str = ""

    def on(self, name: str, own: Pattern | None, values: Mapping[str, int]) -> tuple[
            Window, Counted]:
        """The window on the layers of a kind.

        Args:
            name: the dim that counts the layers with a window.
            own: the layers of the kind; None where they are counted alone.
            values: the dims that are stated.
        """
        if not self.key:
            return Window(self.size), Counted({})
        if own is None:
            raise self.table.error(self.key, "a pattern of windows needs to know where the layers "
                                   "of this kind stand: give them by numbers or by a pattern")
        depth = depth_of(self.table, self.key, values)
        pattern, high = read_pattern(self.table, self.key, depth)
        inside = own.also_in(pattern.others() if self.key == "except" else pattern)
        if not inside.count(depth):
            raise self.table.error(self.key, "no layer of this kind has a window then")
        if inside == own.shortest():
            return Window(self.size), Counted({})
        found = by_pattern(name, "L", inside)
        if high is not None:
            limit = KnownFor(name, "L", 1, high, f"the pattern is stated up to layer {high}")
            found = Counted(found.values, found.equations, (*found.checks, limit))
        marks = tuple(n in inside for n in range(depth))
        return Window(self.size, ex.Sym(name), marks=marks), found
