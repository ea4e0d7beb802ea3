"""Every tensor that a model stores, by its whole name with the layer and expert numbers in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from symparam.check.header import Shape
from symparam.errors import BadValue
from symparam.layout import Layout, Tensor
from symparam.ledger import Ledger, Matrix
from symparam.model import Model
from symparam.resolve import numbers

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
    """

    layout: Layout
    tensors: dict[str, Shape]
    paths: dict[str, tuple[str, ...]]
    optional: frozenset[str]


def expected(model: Model) -> list[Expected]:
    """The model's tensors under its own layout, then with what it fuses stored apart.

    Raises:
        MissingDims: a dim has no number. BadValue: too many tensors to list.
    """
    ledger = model.ledger(numbers(model).values)
    return [_listed(model, ledger, layout) for layout in _layouts(model.layout)]


def _layouts(own: Layout) -> Iterator[Layout]:
    """The model's layout, and those in which experts or fused matrices are stored one by one."""
    yield own
    experts = [e for e in own.entries if "experts" in e.tensor]
    fused = [e for e in own.entries if len(e.matrices) > 1]
    apart = {"experts one by one": experts, "fused matrices apart": fused,
             "experts and fused matrices apart": [*experts, *fused]}
    seen = {own.entries}
    for words, gone in apart.items():
        kept = tuple(e for e in own.entries if e not in gone)
        if kept not in seen:
            seen.add(kept)
            yield Layout(f"{own.name}, {words}", kept)


def _listed(model: Model, ledger: Ledger, layout: Layout) -> Expected:
    tensors: dict[str, Shape] = {}
    paths: dict[str, tuple[str, ...]] = {}
    optional: set[str] = set()
    stacks = {stack.name: stack.numbers for stack in model.stacks}
    for row in layout.each(ledger, buffers=True):
        matrix = ledger[row.paths[0]]
        for name in _names(row, matrix, stacks[matrix.path.partition(".")[0]]):
            tensors[name], paths[name] = tuple(map(int, row.shape)), row.paths
            if matrix.status == "buffer":
                optional.add(name)
        if len(tensors) > MAX_TENSORS:
            raise BadValue("tensors", f"more than {MAX_TENSORS}", "too many to compare")
    return Expected(layout, tensors, paths, frozenset(optional))


def _names(row: Tensor, matrix: Matrix, own: tuple[int, ...]) -> Iterator[str]:
    """The names of a row's copies, the stack's own layer numbers put in where it has them."""
    indices = matrix.indices[:row.name.count("*")]
    if math.prod(index.stored for index in indices) > MAX_TENSORS:
        raise BadValue("tensors", f"more than {MAX_TENSORS}", "too many to compare")
    ranges: list[tuple[int, ...]] = []
    for index in indices:
        fits = index.name == "layer" and len(own) == index.stored
        ranges.append(own if fits else tuple(range(index.stored)))
    parts = row.name.split("*")
    for each in product(*ranges):
        filled = (*map(str, each), *("0" for _ in range(len(parts) - 1 - len(each))), "")
        yield "".join(part + number for part, number in zip(parts, filled, strict=True))
