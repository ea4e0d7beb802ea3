"""Whole steps of the dims: what each changes, counted anew, and those that there are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symparam import expression as ex
from symparam.dims import D_MODEL, order_key
from symparam.notation.numbers import grouped, percent
from symparam.sensitivity import DimRow
from symparam.sensitivity.points import FiniteStep
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Heading,
    Items,
    Math,
    Paragraph,
    Table,
    spans,
)


def step_blocks(rows: Sequence[DimRow], value: ex.Rational, level: int) -> Iterator[Block]:
    """The whole steps of some rows, and those that there are not."""
    taken = [(row, step) for row in rows for step in row.steps]
    possible = [(row, step) for row, step in taken if step.change is not None]
    if possible:
        yield Heading(spans("Whole steps (counted anew, not from the derivative)"), level + 1)
        yield Table((Column("step"), Column("held fixed"), Column("change", "right"),
                     Column("of all", "right"), Column("then")),
                    tuple(_step(row, step, value or 1) for row, step in possible))
    if moved := _moved_besides(possible):
        names = [part for name in moved for part in (", ", Math(ex.Sym(name)))]
        yield Paragraph(spans("Where these do not come out whole as they are held, a step takes "
                              "other numbers of them, heads of the model's own width: ",
                              *names[1:], "."))
    refused = tuple(
        spans(_shown_step(row.wrt, step), f" = {step.to}, {row.held.name}: there is no such "
              f"model. {step.refused}") for row, step in taken if step.change is None)
    if refused:
        yield Items(refused)


def _moved_besides(taken: Sequence[tuple[DimRow, FiniteStep]]) -> list[str]:
    """The dims that steps change though a derivative holds them or has them follow otherwise."""
    found = {name for row, step in taken for name in step.dims
             if name not in {row.wrt, *row.held.dims} or (
                 "n_heads" in step.dims and name == "n_kv" and row.wrt == D_MODEL.name)}
    return sorted(found & {"n_heads", "n_kv"}, key=order_key)


def _shown_step(name: str, step: FiniteStep) -> Math:
    return Math(ex.Sym(name) + ex.Num(step.delta))


def _step(row: DimRow, step: FiniteStep, value: ex.Rational) -> tuple[Cell, ...]:
    change: ex.Rational = 0 if step.change is None else step.change
    size: ex.Rational = -change if change < 0 else change
    there = [part for name, number in step.dims.items()
             for part in (Math(ex.Sym(name)), f"={number}, ")]
    sign = "−" if change < 0 else "+" if change > 0 else ""
    share = f"{'−' if change < 0 else ''}{percent(size, value, 3)}"
    return (_shown_step(row.wrt, step), row.held.name, f"{sign}{grouped(size)}", share,
            spans(*there[:-1], str(there[-1]).removesuffix(", ")))
