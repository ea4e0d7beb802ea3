"""A ladder of sizes, or one size by each strategy, as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from symparam.dataclass import dataclass
from symparam.documents.common.foundation import resting_on
from symparam.documents.common.view import Tabular
from symparam.documents.solutions.document import heuristic
from symparam.documents.solutions.tables import (
    configuration_tables,
    configurations_csv,
    nearness,
    per_cent,
    ratio_cell,
)
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import grouped, several, short
from symparam.solve.guide import Suggestion
from symparam.solve.solution import Configuration, Solution
from symparam.solve.suite import Suite
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Items,
    Paragraph,
    Table,
    spans,
)


@dataclass(frozen=True, repr=False)
class SuiteView(Suite, Tabular):
    """A suite that can be written in every format; in a notebook it shows itself."""

    notation: Notation = PRESETS["paper"]
    suggestions: tuple[Suggestion, ...] = ()

    @classmethod
    def wrap(cls, suite: Suite, notation: Notation,
             suggestions: Sequence[Suggestion] = ()) -> SuiteView:
        """A suite with these methods, and a rule of thumb beside each of its rows."""
        own = {f.name: getattr(suite, f.name) for f in fields(Suite)}
        return cls(**own, notation=notation, suggestions=tuple(suggestions))

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.model}: {', '.join(label for label, _ in self.rows)}>"

    def document(self) -> Document:
        """The best configurations of each row, and what was searched for them."""
        return suite_document(self, self.suggestions)

    def csv(self) -> str:
        """The configurations as comma-separated values, numbers in full."""
        return configurations_csv([((label, "yes" if solution.met else "no"), c)
                                   for label, solution in self.rows
                                   for c in solution.configurations], (_kind(self), "met"))

    def json(self) -> dict[str, Any]:
        """The suite as data."""
        beside = [each.to_json() for each in self.suggestions]
        return {**self.to_json(), "heuristic": beside or None}


def suite_document(suite: Suite, suggestions: Sequence[Suggestion] = ()) -> Document:
    """The best configurations of each row in one table, and what was searched for them."""
    blocks: list[Block] = [*_table(suite), *_missed(suite), *_shape(suite)]
    if suggestions:
        blocks += heuristic([(s, suggestion) for (_, s), suggestion in
                             zip(suite.rows, suggestions, strict=True)])
    return resting_on(Document(_title(suite), (*blocks, *_searched(suite))),
                      {s.model: s.trace for _, s in suite.rows})


def _title(suite: Suite) -> str:
    if suite.kind == "strategies":
        wanted = grouped(suite.rows[0][1].target)
        return f"{suite.model}: {wanted} parameters, deep, balanced and wide"
    return f"{suite.model}: a family of {several(len(suite.rows), 'size')}"


def _table(suite: Suite) -> Iterator[Block]:
    shown = [(_label(suite, label), c) for label, solution in suite.rows
             for c in solution.configurations if solution.met]
    if not shown:
        return
    yield Heading(spans(f"The best within {per_cent(suite.rows[0][1].tolerance)}"))
    configurations = [c for _, c in shown]
    lead: list[tuple[str, list[Cell]]] = [(_kind(suite), [label for label, _ in shown])]
    depth = suite.aspect.bottom if suite.aspect else "L"
    if all({depth, "d_model"} <= set(c.dims) for c in configurations):
        lead.append(("d/L", [ratio_cell(c, "d_model", depth, 1) for c in configurations]))
    near = suite.kind == "strategies"
    yield from configuration_tables(configurations, _varying(configurations, suite), lead,
                                    near=near)
    if near:
        yield from nearness(configurations)


def _shape(suite: Suite) -> Iterator[Block]:
    """What all sizes of a family have in common, and what a star says."""
    if not suite.held:
        return
    yield Heading(spans("What the sizes have in common"))
    yield Items(tuple(map(spans, suite.held)))
    if any(c.not_held for _, s in suite.rows if s.met for c in s.configurations):
        yield Paragraph(spans("*: not held; the nearest to it at which the size is met."))


def _varying(configurations: Sequence[Configuration], suite: Suite) -> list[str]:
    fixed = set(suite.rows[0][1].fixed)
    return [name for name in configurations[0].dims if name not in fixed or len(
        {c.dims.get(name) for c in configurations}) > 1]


def _kind(suite: Suite) -> str:
    return "wanted" if suite.kind == "ladder" else "strategy"


def _label(suite: Suite, label: str) -> str:
    return short(int(label)) if suite.kind == "ladder" else label


def _missed(suite: Suite) -> Iterator[Block]:
    """The rows without a configuration, each with its nearest miss."""
    for label, solution in suite.rows:
        if not solution.met:
            yield Paragraph(spans(f"{_label(suite, label)}: no configuration within "
                                  f"{per_cent(solution.tolerance)}{_nearest(solution)}."))


def _nearest(solution: Solution) -> str:
    if not solution.configurations:
        return ""
    near = solution.configurations[0]
    dims = " ".join(f"{name}={value}" for name, value in near.dims.items())
    return f"; the nearest has {grouped(near.total)}: {dims}"


def _searched(suite: Suite) -> Iterator[Block]:
    """The lattice, with the sizes or strategies of which a line holds where not of all."""
    yield Heading(spans("What was searched"))
    owners: dict[str, list[str]] = {}
    for label, solution in suite.rows:
        for line in solution.lattice:
            owners.setdefault(line, []).append(_label(suite, label))
    yield Items(tuple(spans(line if len(labels) == len(suite.rows) else
                            f"{', '.join(labels)}: {line}") for line, labels in owners.items()))
    rows = tuple((_label(suite, label), grouped(s.covered), grouped(s.enumerated),
                  "none left out" if s.complete else "not completely") for label, s in suite.rows)
    yield Table((Column(_kind(suite)), Column("points covered", "right"),
                 Column("of them enumerated", "right"), Column("")), rows)
