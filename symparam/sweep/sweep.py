"""A sweep: quantities of a model at every point of a grid, exactly, block by block."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np

from symparam import __version__
from symparam.dataclass import dataclass
from symparam.errors import BadValue, MissingDims
from symparam.model import Model
from symparam.points.table import SAFE
from symparam.quantities import find
from symparam.quantities.setting import Setting, setting_in_words
from symparam.renamed import Formerly
from symparam.resolve import with_overrides
from symparam.run import RUN, Taken
from symparam.sweep.compiled import Compiled, Reader
from symparam.sweep.dims import Dims
from symparam.sweep.grid import Grid, Here, ascending, digest
from symparam.sweep.tape import Evaluator

#: What becomes of points that the model cannot have: left out and counted, or kept and marked.
Invalid: TypeAlias = Literal["skip", "mark"]
#: The column that says why a marked point cannot be.
WHY = "invalid"


@dataclass(frozen=True)
class Column:
    """A column of the answer.

    Attributes:
        name: of a dim, a quantity, or ``invalid``.
        kind: ``int64`` where every number fits; ``integer`` where it may not; ``rational`` where
            it may be a fraction; ``text``.
        unit, convention: of a quantity.
        most: no number is larger.
    """

    name: str
    kind: Literal["int64", "integer", "rational", "text"]
    unit: str = ""
    convention: str = ""
    most: int = 0


@dataclass(frozen=True)
class Block:
    """A run of points of the grid, those that are left out taken out.

    Attributes:
        number: of the box.
        columns: the arrays of its columns, one after another as :attr:`Sweep.columns`.
        rows: how many are left.
        skipped: for each test how many points it took out first.
    """

    number: int
    columns: tuple[Any, ...]
    rows: int
    skipped: Mapping[str, int]


@dataclass(frozen=True)
class Sweep:
    """Quantities of a model over a grid.

    Attributes:
        model: the model, every override but the axes applied.
        grid: the axes.
        quantities: names of what is worked out.
        setting: number formats and the like.
        invalid: what becomes of points that the model cannot have.

    >>> from symparam.descriptions.load import load
    >>> found = sweep(load("llama-2-7b"), {"L": [16, 32], "n_kv": [8, 32]}, ["P"])
    >>> found.arrays()["P"].tolist()
    [3097628672, 3500281856, 5933109248, 6738415616]
    """

    model: Model
    grid: Grid
    quantities: tuple[str, ...] = ("P",)
    setting: Setting = field(default_factory=Setting)
    invalid: Invalid = "skip"

    @property
    def _at_work(self) -> bool:
        return any(find(name).at_work for name in self.quantities)

    @cached_property
    def dims(self) -> Dims:
        """Dims that are fixed, axes, or follow."""
        model = self.model
        work = self._at_work
        literal = {name for each in self.quantities for name in find(each).dims}
        wanted = (*model.dims_at_work, *RUN, *sorted(literal)) if work else model.dims
        found = Dims.of(model, list(self.grid.values), wanted)
        needed = model.dims_at_work if work else model.dims
        if missing := [name for name in needed if name not in found.known]:
            raise MissingDims(missing, model.name)
        return found

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.model, self.dims.fixed, self.dims.axes, self.setting)

    @property
    def assumed(self) -> Mapping[str, Taken]:
        """What the quantities need of what the model is run with, and nobody said."""
        needed = {need for name in self.quantities for need in find(name).needs}
        return {name: taken for name, taken in self._reader.taken.items() if name in needed}

    @property
    def assumed_in_words(self) -> list[str]:
        """The same in words, with why."""
        return [f"{name} = {each.dim or each.value} ({each.why})"
                for name, each in self.assumed.items()]

    said = Formerly("assumed_in_words")

    @cached_property
    def compiled(self) -> tuple[Compiled, ...]:
        """The quantities as polynomials."""
        return tuple(self._reader.read(name) for name in self.quantities)

    @cached_property
    def _left_over(self) -> tuple[Compiled, ...]:
        return tuple(self._reader.left_over()) if self._at_work else ()

    @cached_property
    def bounds(self) -> dict[str, int]:
        """A bound for every dim."""
        return self.dims.most({name: (int(values[0]), int(values[-1]))
                               for name, values in self.grid.values.items()})

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns: axes, dims that follow from them, quantities, and what is wrong."""
        found = [Column(name, "int64", most=self.bounds[name])
                 for name in (*self.grid.values, *self.dims.rules)]
        for each in self.compiled:
            most = each.most(self.bounds)
            kind: Any = "rational" if not each.whole else "int64" if most <= SAFE else "integer"
            own = find(each.name)
            words = "; ".join((own.convention, *setting_in_words(self.setting, own.needs)))
            found.append(Column(each.name, kind, own.unit, words, most))
        return (*found, *([Column(WHY, "text")] if self.invalid == "mark" else []))

    @property
    def fingerprint(self) -> str:
        """What tells this sweep from any other one, down to the bytes that it writes."""
        said = {"version": __version__, "axes": {name: digest(values) for name, values
                                                 in self.grid.values.items()},
                "block": self.grid.block, "fixed": dict(sorted(self.dims.fixed.items())),
                "columns": [repr(column) for column in self.columns], "invalid": self.invalid,
                "compiled": [repr(each) for each in (*self.compiled, *self._left_over)],
                "tests": [test.text for test in self.dims.tests]}
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def blocks(self, first: int = 0) -> Iterator[Block]:
        """The blocks in the order of the points.

        Args:
            first: the number of the block to begin with.
        """
        here, made = self._begun()
        for number, box in enumerate(self.grid.each(first), first):
            here.move(box)
            yield self._block(here, number, made)

    def values(self) -> Iterator[tuple[Any, ...]]:
        """The quantities of each box as arrays that broadcast to its shape, each until the next.

        What is skipped or marked is not looked at: this is the bare evaluation, and an array is
        written over when the next one is asked for.
        """
        here, made = self._begun()
        room = [np.empty(here.points, dtype=np.int64) for _ in made]  # no box is larger
        views: dict[tuple[int, ...], list[Any]] = {}
        for box in self.grid.each():
            here.move(box)
            if (shape := here.shape) not in views:
                views[shape] = [out[:here.points].reshape(shape) for out in room]
            yield tuple([each.value(out) for each, out in zip(made, views[shape], strict=False)])

    def _begun(self) -> tuple[Here, list[Evaluator]]:
        here = Here(self.grid)
        return here, [Evaluator(each, self.dims, self.grid, here, self.bounds)
                      for each in self.compiled]

    def arrays(self) -> dict[str, Any]:
        """All columns of the whole grid, by name."""
        parts = [block.columns for block in self.blocks()]
        return {column.name: np.concatenate([part[i] for part in parts])
                for i, column in enumerate(self.columns)}

    def _block(self, here: Here, number: int, made: list[Evaluator]) -> Block:
        wrong, skipped, why = self._wrong(here)
        keep = None if wrong is None else ~wrong.ravel()
        rows = here.points if keep is None else int(keep.sum())
        mark = self.invalid == "mark"
        if mark:
            rows = here.points

        def taken(array: Any, blank: bool) -> Any:
            flat = np.broadcast_to(array, here.shape).ravel()
            if keep is None or (mark and not blank):
                return flat
            if not mark:
                return flat[keep]
            flat = flat.astype(object)
            flat[~keep] = None
            return flat

        found = [taken(self.dims.value(here, name), name in self.dims.rules)
                 for name in (*self.grid.values, *self.dims.rules)]
        found += [taken(each.value(), True) for each in made]
        if mark:
            found.append(np.full(rows, "", dtype=object) if why is None else why.ravel())
        return Block(number, tuple(found), rows, {} if mark else skipped)

    def _wrong(self, here: Here) -> tuple[Any, dict[str, int], Any]:
        """Where a point cannot be, how many each test finds first, and what is wrong with each."""
        wrong: Any = None
        why: Any = None
        counts: dict[str, int] = {}
        for test, fails in self._fails(here):
            full = np.broadcast_to(fails, here.shape)
            fresh = full if wrong is None else full & ~wrong
            if count := int(fresh.sum()):
                counts[test] = count
                wrong = np.array(full) if wrong is None else wrong | full
                if self.invalid == "mark":
                    why = np.full(here.shape, "", dtype=object) if why is None else why
                    why[fresh] = test
        return wrong, counts, why

    def _fails(self, here: Here) -> Iterator[tuple[str, Any]]:
        for test in self.dims.tests:
            fails = self.dims.fails(here, test)
            if fails is not None:
                yield test.text, fails
        for each in self._left_over:
            layers = each.over(partial(self.dims.value, here))
            if np.any(layers < 0):
                yield "no more layers with a window than there are", layers < 0


def sweep(model: Model, axes: Mapping[str, Sequence[int] | Any], quantities: Sequence[str] = ("P",),
          *, setting: Setting | None = None, invalid: Invalid = "skip",
          block: int | None = None) -> Sweep:
    """Quantities of a model over a grid of dims.

    Args:
        model: the model, overrides applied.
        axes: dim to its values, whole numbers from 1, or from 0 where the model may have none.
        quantities: names (:func:`symparam.quantities.everything`).
        setting: number formats and the like.
        invalid: whether points that the model cannot have are left out (``skip``) or kept with
            what is wrong (``mark``).
        block: points that are worked out at a time.

    Raises:
        BadValue: an axis without values, or with one that a dim cannot have.
        UnknownName: no such quantity. MissingDims: a dim has no number.
    """
    values = {name: ascending(name, given, model.least(name)) for name, given in axes.items()}
    quantities = [find(name).name for name in quantities]
    if len(set(quantities)) < len(quantities) or not quantities:
        raise BadValue("quantity", ", ".join(quantities) or "none", "name each once, at least one")
    first = with_overrides(model, {name: int(array[0]) for name, array in values.items()})
    grid = Grid(values) if block is None else Grid(values, block)
    found = Sweep(first, grid, tuple(quantities), setting or Setting(), invalid)
    _ = found.columns  # what cannot be worked out is said before anything is written
    return found
