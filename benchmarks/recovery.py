"""Is the configuration of a published model found again from its size alone?

Of every model of the catalogue its numbers are taken away, all but P, L and V (and n_ctx where
positions are learned). What is left of it is its family: which matrices there are, whether the
head is tied, whether key-value heads are as many as heads, one, or grouped. A search without a
tolerance then has to give its dims back. Run it: ``python -m benchmarks.recovery [NAME ...]``.

Two lattices: the default one, and for dense models a wider one with other head widths, heads that
need not cover the width, and finer steps. A model that a lattice does not hold cannot be found
there; whether it does is told by a test of its own (:func:`held`), so that a search that missed
one would show.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symparam.constraints import Standing
from symparam.descriptions import catalogue
from symparam.errors import SymparamError
from symparam.grammar import Rule, parse_rule
from symparam.model import Model
from symparam.resolve import numbers, resolve
from symparam.solve import Wishes, solve
from symparam.solve.requests.parsing import read_wishes

#: What is looked for; which experts a token uses does not enter the count.
SOUGHT = ("d_model", "n_heads", "n_kv", "d_head", "d_ff", "n_experts", "d_expert")
UNSEEN = ("top_k",)
#: What is given besides: these are no secret of a size.
GIVEN = ("V", "L", "n_ctx")
HEADS = (64, 80, 96, 112, 128, 160, 192, 256)
EXPERTS = (8, 16, 32, 40, 60, 64, 72, 128, 160, 192, 256, 384, 512)
LARGE = 10**9
DENSE = ("multi-head or one key-value head", "grouped queries")
OTHERS = "others, their other dims given"


@dataclass(frozen=True)
class Lattice:
    """A lattice to search, and what it holds."""

    name: str
    step: int
    small: int
    ffn: tuple[int, int]
    heads: tuple[int, ...]
    kv: tuple[int, int]
    experts: tuple[int, ...]
    covering: bool

    def wishes(self, model: Model, grouped: bool) -> Wishes:
        """The same in words; nothing where it is the default one."""
        if self.covering:
            return Wishes()
        ranges, uses = [], set(model.dims)
        if {"n_heads", "d_head"} <= uses:
            ranges += ["n_heads=1:128", f"d_head={','.join(map(str, self.heads))}"]
        if grouped:
            ranges.append(f"n_kv={','.join(map(str, range(self.kv[0], self.kv[1] + 1)))}")
        if "n_experts" in uses:
            ranges.append(f"n_experts={','.join(map(str, self.experts))}")
        steps = {"d_model": self.step, "d_ff": self.ffn[0], "d_expert": self.step}
        return read_wishes(ranges=ranges, multiples=[f"{dim}={step}" for dim, step in steps.items()
                                                     if dim in uses])


DEFAULT = Lattice("default", 128, 64, (256, 64), (64, 128), (4, 16),
                  (8, 16, 32, 64, 128, 256), True)
WIDER = Lattice("wider", 64, 64, (64, 64), HEADS, (1, 16), EXPERTS, False)


def held(lattice: Lattice, dims: Mapping[str, int], total: int, grouped: bool) -> bool:
    """Whether a configuration is a point of a lattice, told from the lattice's statement."""
    small = total < LARGE
    step, ffn = (lattice.small if small else lattice.step), lattice.ffn[small]
    width, depth = dims["d_model"], dims.get("L")
    tests = [width % step == 0, width <= 51200]
    if depth:
        tests.append(32 * depth <= width <= 256 * depth)
    if "d_head" in dims and "n_heads" in dims:
        tests.append(dims["d_head"] in lattice.heads)
        tests.append(dims["n_heads"] * dims["d_head"] == width if lattice.covering
                     else dims["n_heads"] <= 128)
    elif "n_heads" in dims:  # the lattice splits the width into heads here too
        tests.append(dims["n_heads"] * lattice.heads[0] == width
                     or dims["n_heads"] * lattice.heads[-1] == width)
    if grouped:
        tests.append(lattice.kv[0] <= dims["n_kv"] <= lattice.kv[1])
    if "d_ff" in dims:
        tests.append(dims["d_ff"] % ffn == 0 and width <= dims["d_ff"] <= 8 * width)
    if "d_expert" in dims:
        tests.append(dims["d_expert"] % step == 0 and width <= 8 * dims["d_expert"] <= 32 * width)
    if "n_experts" in dims:
        tests.append(dims["n_experts"] in lattice.experts)
    return all(tests)


@dataclass(frozen=True)
class Case:
    """A published model without its numbers."""

    name: str
    family: Model
    total: int
    given: Mapping[str, int | Rule]
    dims: Mapping[str, int]
    grouped: bool

    @property
    def kind(self) -> str:
        """The group in which it is counted."""
        if set(self.given) - {*GIVEN, "n_kv"}:
            return OTHERS
        if "n_experts" in self.dims:
            return "mixtures of experts"
        if not {"n_heads", "d_ff"} <= set(self.dims):
            return OTHERS
        return DENSE[1] if self.grouped else DENSE[0]


def cases(names: list[str]) -> Iterator[Case]:
    """Every model once; those with the same dims and count are one."""
    seen = set()
    for name in names:
        model = catalogue.published(name)
        values = resolve(model).values
        total = int(model.ledger(numbers(model).values).total())
        key = (total, tuple(sorted(values.items())))
        if key not in seen and "d_model" in values:
            seen.add(key)
            yield _case(name, model, values, total)


def _case(name: str, model: Model, values: Mapping[str, int], total: int) -> Case:
    hidden = {*SOUGHT, *UNSEEN}
    kept = tuple(e for e in model.equations
                 if e.dim not in hidden or e.standing is Standing.DEFINITION)
    family = replace(model, values={}, equations=kept)
    defined = {e.dim for e in family.all_equations() if e.standing is Standing.DEFINITION}
    given: dict[str, int | Rule] = {
        dim: values[dim] for dim in model.dims
        if dim in values and dim not in hidden and dim not in defined}
    grouped = "n_kv" in model.dims and "n_kv" not in defined
    if grouped and values["n_kv"] == values.get("n_heads"):
        given["n_kv"], grouped = parse_rule("n_heads"), False
    elif grouped and values["n_kv"] == 1:
        given["n_kv"], grouped = 1, False
    dims = {dim: values[dim] for dim in ("L", *SOUGHT) if dim in model.dims}
    return Case(name, family, total, given, dims, grouped)


def rank(case: Case, lattice: Lattice) -> int | None:
    """The place of the model among the exact solutions; None where it is not among them.

    Raises:
        SymparamError: the family cannot be searched without more numbers.
    """
    found = solve(case.family, case.total, given=case.given, tolerance=Fraction(0), limit=1000,
                  wishes=lattice.wishes(case.family, case.grouped))
    return next((place for place, c in enumerate(found.configurations, 1) if all(
        c.dims.get(dim) == value for dim, value in case.dims.items())), None)


def measure(names: list[str]) -> tuple[dict[str, Counter[str]], list[str]]:
    """The counts of every kind, and what there is to say of single models."""
    table: dict[str, Counter[str]] = {}
    remarks = []
    for case in cases(names):
        row = table.setdefault(case.kind, Counter())
        row["models"] += 1
        for lattice in (DEFAULT, WIDER):
            inside = held(lattice, case.dims, case.total, case.grouped)
            if lattice is WIDER and not (inside and case.kind in DENSE):
                continue  # nothing to be found there, or more open than is worth an hour
            try:
                place = rank(case, lattice)
            except SymparamError as error:
                remarks.append(f"{case.name}, {lattice.name}: {error}")
                continue
            row[f"{lattice.name} held"] += inside
            row[f"{lattice.name} found"] += place is not None
            row[f"{lattice.name} first"] += place == 1
            if inside != (place is not None):
                remarks.append(f"{case.name}, {lattice.name}: held {inside}, but place {place}")
            elif place != 1 and inside:
                remarks.append(f"{case.name}, {lattice.name}: place {place}")
        print(case.name, dict(row), file=sys.stderr, flush=True)
    return table, remarks


def shown(table: Mapping[str, Counter[str]]) -> str:
    """The counts as a Markdown table."""
    sides = [f"{lattice.name} {what}" for lattice in (DEFAULT, WIDER)
             for what in ("held", "found", "first")]
    rows: dict[str, Any] = {**table, "all": sum(table.values(), Counter())}
    lines = ["| family | models | " + " | ".join(sides) + " |",
             "| --- | " + " | ".join(["--:"] * (len(sides) + 1)) + " |"]
    lines += [f"| {kind} | {row['models']} | {' | '.join(str(row[s]) for s in sides)} |"
              for kind, row in sorted(rows.items(), key=lambda item: item[0] == "all")]
    return "\n".join(lines)


if __name__ == "__main__":
    counted, said = measure(sys.argv[1:] or list(catalogue.names()))
    print(shown(counted))
    print("\n".join(["", *said]))
