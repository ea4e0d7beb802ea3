"""Every tensor that a model stores, by its whole name with the layer and expert numbers in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.layout import Entry, Layout, Tensor
from symparam.ledger import Ledger, Matrix
from symparam.model import Model
from symparam.resolve import numbers
from symparam.stack import Stack

#: The number of each copy of a block, or the numbers.
_Numbers: TypeAlias = tuple[int, ...] | tuple[tuple[int, ...], ...]

#: More tensors than any checkpoint has.
MAX_TENSORS = 5_000_000


@dataclass(frozen=True)
class Expected:
    """The tensors of a model under one layout.

    Attributes:
        layout: the naming scheme, its name saying what is stored otherwise than by the model's own.
        tensors: name to shape.
        paths: name to the matrices that it holds, by their paths in the ledger.
        optional: names of buffers, which a file may leave out.
        turned: names of tensors that the model's own layout has the other way round.
    """

    layout: Layout
    tensors: dict[str, Shape]
    paths: dict[str, tuple[str, ...]]
    optional: frozenset[str]
    turned: frozenset[str] = frozenset()


def expected(model: Model) -> list[Expected]:
    """The model's tensors under its own layout, then with what it fuses or turns stored otherwise.

    Raises:
        MissingDims: a dim has no number. BadValue: too many tensors to list, or layers of several
            kinds in a number for which their order is not known.
    """
    values = numbers(model).values
    ledger = model.ledger(values)
    layers = _layer_numbers(model, ledger, values)
    found: list[Expected] = []
    for layout, is_turned in _layouts(model.layout):
        listed = _listed(ledger, layers, layout)
        if is_turned:  # it follows the same layout unturned
            straight = found[-1].tensors
            listed = replace(listed, turned=frozenset(
                name for name, shape in listed.tensors.items() if shape != straight[name]))
        found.append(listed)
    return found


def _layouts(own: Layout) -> Iterator[tuple[Layout, bool]]:
    """The model's layout, and those in which experts or fused matrices are stored one by one.

    What it stores as inputs × outputs (the Conv1D of GPT-2) may stand as outputs × inputs, all of
    it: weights of one model are not written in two ways.
    """
    experts = [e for e in own.entries if "experts" in e.tensor]
    fused = [e for e in own.entries if len(e.matrices) > 1]
    apart: dict[str, list[Entry]] = {
        "": [], "experts one by one": experts, "fused matrices apart": fused,
        "experts and fused matrices apart": [*experts, *fused]}
    seen: set[tuple[Entry, ...]] = set()
    for words, gone in apart.items():
        kept = tuple(e for e in own.entries if e not in gone)
        turned = tuple(replace(e, transposed=e.transposed and e in experts) for e in kept)
        if kept in seen:
            continue
        seen.add(kept)
        name = f"{own.name}, {words}" if words else own.name
        yield Layout(name, kept), False
        if turned != kept:
            yield Layout(f"{name}, not transposed", turned), True


def _layer_numbers(model: Model, ledger: Ledger, values: Mapping[str, int]
                   ) -> dict[str, _Numbers]:
    """The layer numbers of each repeated stack: its own, or what follows where L was changed."""
    counts = {m.path.partition(".")[0]: index.stored for m in ledger
              for index in m.indices if index.name == "layer"}
    found: dict[str, _Numbers] = {}
    groups: dict[str, list[Stack]] = {}
    for stack in model.stacks:
        if stack.name in counts and stack.inner:
            found[stack.name] = tuple(divmod(i, stack.inner)
                                      for i in range(_bounded(counts[stack.name])))
        elif stack.name in counts and stack.places:
            found[stack.name] = _placed(stack, counts[stack.name])
        elif stack.name in counts and not stack.numbers:
            found[stack.name] = _in_order(stack, _bounded(counts[stack.name]), values)
        elif stack.name in counts:
            groups.setdefault(stack.prefix, []).append(stack)
    for stacks in groups.values():
        found |= _numbered(stacks, counts)
    return found


def _in_order(stack: Stack, count: int, values: Mapping[str, int]) -> tuple[int, ...]:
    found = None if stack.order is None else stack.order.first(count, values)
    if found is None or len(found) != count:
        raise BadValue(stack.name, count, "in which layers these stand is not known")
    return found


def _placed(stack: Stack, count: int) -> _Numbers:
    if len(stack.places) != count:
        raise BadValue(stack.name, count, "which of them is stored where is known for "
                       f"{len(stack.places)} alone")
    return stack.places


def _numbered(stacks: list[Stack], counts: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The numbers of kinds of layer that share names; where one of them has another count than
    its numbers say, they can be told only if the kinds stand one after the other."""
    if all(len(stack.numbers) == counts[stack.name] for stack in stacks):
        return {stack.name: stack.numbers for stack in stacks}
    found: dict[str, tuple[int, ...]] = {}
    old = new = 0
    for stack in sorted(stacks, key=lambda each: each.numbers):
        if stack.numbers != tuple(range(old, old + len(stack.numbers))):
            raise BadValue(stack.name, counts[stack.name], "kinds of layer alternate here: which "
                           f"layer is of which kind is known for {len(stack.numbers)} of it alone")
        count = _bounded(counts[stack.name])
        found[stack.name] = tuple(range(new, new + count))
        old, new = old + len(stack.numbers), new + count
    return found


def _bounded(count: int) -> int:
    if count > MAX_TENSORS:
        raise BadValue("tensors", f"more than {MAX_TENSORS}", "too many to compare")
    return count


def _listed(ledger: Ledger, layers: Mapping[str, _Numbers], layout: Layout) -> Expected:
    tensors: dict[str, Shape] = {}
    paths: dict[str, tuple[str, ...]] = {}
    optional: set[str] = set()
    for row in layout.each(ledger, buffers=True):
        matrix = ledger[row.paths[0]]
        names = list(_names(row, matrix, layers.get(matrix.path.partition(".")[0], ())))
        for name in names:
            tensors[name], paths[name] = tuple(map(int, row.shape)), row.paths
        if matrix.status == "buffer":
            optional.update(names)
        if len(tensors) > MAX_TENSORS:
            raise BadValue("tensors", f"more than {MAX_TENSORS}", "too many to compare")
    return Expected(layout, tensors, paths, frozenset(optional))


def _names(row: Tensor, matrix: Matrix, layers: _Numbers) -> Iterator[str]:
    """The names of a row's copies, the stack's own layer numbers put in where it has them."""
    indices = matrix.indices[:row.name.count("*")]
    _bounded(math.prod(index.stored for index in indices))
    ranges = [layers if index.name == "layer" else tuple(range(index.stored))
              for index in indices]
    parts = row.name.split("*")
    for each in product(*ranges):
        own = [str(n) for numbers in each
               for n in (numbers if isinstance(numbers, tuple) else (numbers,))]
        filled = (*own, *["0"] * (len(parts) - 1 - len(own)), "")
        yield "".join(part + number for part, number in zip(parts, filled, strict=True))
