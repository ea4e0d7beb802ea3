"""Models side by side: each column is an expression in the names that claims have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from symparam import expression as ex
from symparam.claims.names import Names
from symparam.dataclass import dataclass
from symparam.dims import Names as Spelled
from symparam.errors import BadValue, Contradiction, MissingDims, SymparamError, UnknownName
from symparam.expression import Rational
from symparam.grammar import parse_expression
from symparam.model import Model
from symparam.quantities import ALIASES, everything
from symparam.quantities.counts import DENSE, is_dense
from symparam.quantities.setting import Setting
from symparam.run import RUN, beyond

if TYPE_CHECKING:
    from symparam.quantities.quantity import Quantity

#: What is compared where nobody says.
COLUMNS = ("P", "active", "without_embeddings", "kv_per_token", "flops_per_token")


@dataclass(frozen=True)
class Compared:
    """A column.

    Attributes:
        text: as it was asked for.
        expr: in dims, P, parts, matrices and quantities.
    """

    text: str
    expr: ex.Expr

    @property
    def quantity(self) -> Quantity | None:
        """The quantity that it is; None for a dim, a part or an expression of several."""
        if not isinstance(self.expr, ex.Sym):
            return None
        return everything().get(ALIASES.get(self.expr.name, self.expr.name))


@dataclass(frozen=True)
class Entry:
    """A number of one model; or why it has none.

    Attributes:
        value: exact.
        why_not: where there is no value.
        read_as: what stands for a number that the model has under another name alone.
    """

    value: Rational | None
    why_not: str = ""
    read_as: str = ""


@dataclass(frozen=True)
class Comparison:
    """Some models, and what is asked of each.

    Attributes:
        models: with numbers for all their dims; tokens and the like may be among them.
        columns: what is asked.
        setting: formats, and how attention is counted.
    """

    models: tuple[Model, ...]
    columns: tuple[Compared, ...]
    setting: Setting

    @cached_property
    def rows(self) -> tuple[tuple[Entry, ...], ...]:
        """The numbers of each model, a column each.

        Raises:
            MissingDims: a model has no number for a dim that it needs.
        """
        return tuple(tuple(_entry(names, column) for column in self.columns)
                     for names in self.names)

    @cached_property
    def names(self) -> tuple[Names, ...]:
        """The numbers of each model by name."""
        return tuple(Names(model, self.setting) for model in self.models)

    @cached_property
    def assumed(self) -> tuple[dict[str, tuple[int, str]], ...]:
        """What each model is run with that nobody said and that a column needs: number and why."""
        from symparam.quantities.cost import run_of

        runs = (run_of(model, self.setting)[:2] for model in self.models)
        return tuple({name: (int(setting.run[name]), why) for name, why in taken.items()
                      if name in self.needs} for setting, taken in runs)

    @cached_property
    def given(self) -> tuple[dict[str, int], ...]:
        """What each model is run with that was said and that a column needs."""
        return tuple({name: number for name, number in names.dims.items()
                      if name in RUN and name in self.needs and name not in assumed}
                     for names, assumed in zip(self.names, self.assumed, strict=True))

    @cached_property
    def needs(self) -> frozenset[str]:
        """What the columns depend on of what a model is run with, and of a setting."""
        names = {name for column in self.columns for name in ex.symbols_in(column.expr)}
        return frozenset(names).union(*(everything()[name].needs for name in names
                                        if name in everything()))

    @cached_property
    def beyond(self) -> tuple[tuple[str, ...], ...]:
        """A word on what each model is run with that is more than it has places for."""
        return tuple(tuple(map(": ".join, beyond({
            name: n for name, n in names.dims.items()
            if name not in RUN or name in self.needs}).items())) for names in self.names)


def compare(models: Sequence[Model], columns: Sequence[str] = COLUMNS,
            setting: Setting | None = None) -> Comparison:
    """Some models side by side.

    Args:
        models: with numbers for all their dims.
        columns: dims, ``P`` and other quantities, parts (``P_attention``: one copy), matrices
            (``W_Q``), or expressions in them.
        setting: formats, and how attention is counted.

    Raises:
        ParseError, UnknownName: a column that cannot be read. Contradiction: a model or a column
            twice. BadValue: no models or no columns.

    >>> from symparam.descriptions.load import load
    >>> found = compare([load("gpt2"), load("mixtral-8x7b")], ["P", "active", "d_ff"])
    >>> [[entry.value for entry in row] for row in found.rows]
    [[124439808, 124439808, 3072], [46702792704, 12879925248, None]]
    """
    if not models or not columns:
        raise BadValue("compare", "nothing", "name the models and the columns")
    known: dict[str, str] = {}
    for model in models:
        known |= Names(model).spelled()
    read = tuple(Compared(text, parse_expression(text, Spelled(known))) for text in columns)
    for what, names in (("model", [model.name for model in models]), ("column", columns)):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise Contradiction(f"{twice} given twice", "itself", f"give each {what} once")
    return Comparison(tuple(models), read, setting or Setting())


def _entry(names: Names, column: Compared) -> Entry:
    """A number of a model, if it has it."""
    expr, read_as = column.expr, ""
    if is_dense(names.ledger):
        asked = {name: DENSE[name] for name in ex.symbols_in(expr) if name in DENSE}
        expr = ex.substitute(expr, {name: ex.Sym(total) for name, total in asked.items()})
        read_as = ", ".join(f"{name} = {total}" for name, total in asked.items())
    try:
        return Entry(names.value(_run_put_in(expr, names)), read_as=read_as)
    except MissingDims:
        raise
    except UnknownName as error:
        return Entry(None, f"it has no {error.name}")
    except SymparamError as error:
        return Entry(None, getattr(error, "problem", str(error)))


def _run_put_in(expr: ex.Expr, names: Names) -> ex.Expr:
    """A column with the numbers that a model is run with, those that nobody said among them."""
    from symparam.quantities.cost import run_of

    asked = [name for name in ex.symbols_in(expr) if name in RUN and name not in names.dims]
    for name in asked:
        if RUN[name].of_encoder and not names.model.encodes:
            raise UnknownName("number", name, names.dims)
    run = run_of(names.model, names.setting)[0].run if asked else {}
    return ex.substitute(expr, {name: ex.Num(int(run[name])) for name in asked if name in run})


def best(entries: Sequence[Entry], highest: bool) -> Iterator[bool]:
    """Of each number of a column, whether it is the lowest, or the highest, and others are not.

    >>> list(best([Entry(3), Entry(None, "it has none"), Entry(2), Entry(2)], highest=False))
    [False, False, True, True]
    >>> list(best([Entry(2), Entry(2)], highest=True))
    [False, False]
    """
    values = {entry.value for entry in entries if entry.value is not None}
    found = (max if highest else min)(values) if len(values) > 1 else None
    yield from (found is not None and entry.value == found for entry in entries)
