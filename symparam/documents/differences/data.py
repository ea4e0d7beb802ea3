"""A difference of two models as JSON data, and its numbers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.arranged import factored
from symparam.derivation.step import Line
from symparam.diff.difference import Difference, Part
from symparam.diff.exchange import DimChange, dim_changes, exchanges
from symparam.diff.marked import MarkedWriter, writer
from symparam.diff.match import Form, title
from symparam.diff.path import Move
from symparam.diff.side import Side
from symparam.diff.terms import value
from symparam.documents.common.foundation import resting_data
from symparam.documents.common.named_numbers import formula_named
from symparam.documents.cost_data import number
from symparam.documents.derivations.about import taken
from symparam.documents.sensitivities.data import name_of
from symparam.notation.notation import PRESETS, Notation
from symparam.symbols import SymExpr, collected
from symparam.writers.document import Named
from symparam.writers.latex import LatexFormat


def diff_json(d: Difference, notation: Notation = PRESETS["paper"]) -> dict[str, Any]:
    """The difference as data; expressions are text that the closed grammar reads back."""
    out, (one, two), (first, second) = writer(d), d.names, d.totals or (None, None)
    return {
        "before": _side(one, d.before, first), "after": _side(two, d.after, second),
        "quantity": name_of(d.quantity), "unit": d.quantity.unit, "symbol": d.quantity.symbol,
        "convention": d.quantity.convention, "taken": list(
            dict.fromkeys((*taken(d.before), *taken(d.after)))),
        "equal": d.empty, "numel": _exact(d.change), "status": d.step.status,
        "formula": out.write(d.expr), "latex": LatexFormat(notation).math(d.expr),
        "active": None if d.active is None else {
            "before": d.active[0], "after": d.active[1], "numel": d.active[1] - d.active[0]},
        "marked": {name + out.suffix: name for name in d.marked},
        "symbols": _symbols(d, out.suffix),
        "exchanged": [{"choice": e.title, "before": e.before, "after": e.after}
                      for e in exchanges(d.before, d.after)],
        "dims": [_dim_change(change) for change in dim_changes(d.before, d.after)],
        "components": [_part(part, out) for part in d.parts],
        "path": None if d.path is None else [_move(move, d, out) for move in d.path.moves],
        "no_path": d.no_path or None,
        **resting_data(d.before.model, d.after.model),
    }


def _symbols(d: Difference, suffix: str) -> dict[str, dict[str, Any]]:
    """What each name in expressions stands for: the dim, whose it is, and its number."""
    found = {}
    for name in d.before.free:
        shared = name in d.after.free and name not in d.marked
        found[name] = {"dim": name, "of": "both" if shared else "before",
                       "value": d.before.values.get(name)}
    for name in d.after.free:
        if name in d.marked or name not in d.before.free:
            found[name + suffix if name in d.marked else name] = {
                "dim": name, "of": "after", "value": d.after.values.get(name)}
    return found


def _exact(value: ex.Rational | None) -> Any:
    """A number as data, where there is one."""
    return None if value is None else number(value)


def _side(name: str, side: Side, total: ex.Rational | None) -> dict[str, Any]:
    return {"model": name, "part": side.model.part, "total": _exact(total),
            "dims": dict(side.values),
            "taken": list(side.taken), "left_out": list(side.model.left_out)}


def _dim_change(c: DimChange) -> dict[str, Any]:
    first, second = (None if rule is None else str(rule) for rule in c.follows)
    return {"name": c.name, "before": c.before, "after": c.after, "only": c.only or None,
            "follows": {"before": first, "after": second}}


def _part(part: Part, out: MarkedWriter) -> dict[str, Any]:
    return {
        "path": part.place, "title": title(part.place), "before": _exact(part.before),
        "after": _exact(part.after), "numel": _exact(part.change),
        "terms": _terms(part.line, part.at, out),
        "matrices": [{"name": pair.name, "change": pair.change,
                      "before": _form(pair.shapes[0], out), "after": _form(pair.shapes[1], out)}
                     for pair in part.pairs],
    }


def side_of(side: SymExpr) -> ex.Expr:
    """One side of a shape, what its terms share in front."""
    return factored(collected(side))


def _form(form: Form, out: MarkedWriter) -> list[dict[str, Any]]:
    return [{"shape": [out.write(side_of(side)) for side in shape],
             "copies": out.write(side_of(copies))} for shape, copies in form.items()]


def _terms(line: Line, at: Mapping[str, int] | None, out: MarkedWriter) -> list[dict[str, Any]]:
    return [{"term": out.write(term.shown), "from": list(term.label),
             "numel": None if at is None else number(value(Line((term,)), at))}
            for term in line.terms if term.shown != ex.Num(0)]


def _move(move: Move, d: Difference, out: MarkedWriter) -> dict[str, Any]:
    ends = (d.before.values[move.dim], d.after.values[move.dim]) if move.dim else (None, None)
    return {"dim": move.dim, "before": ends[0], "after": ends[1], "numel": number(move.adds),
            "reached": number(move.reached), "terms": _terms(move.line, move.at, out)}


def diff_named(d: Difference) -> tuple[Named, ...]:
    """The change, its formula and that of each component, and the totals."""
    of = " to ".join(d.names)
    symbol = d.quantity.symbol
    found = [formula_named(of, symbol, d.expr, "what the second model has more")]
    if d.totals is not None:
        found.append(_number_by_name(of, "change", d.change or 0, "what the second model has more"))
        what = "parameters" if d.of_parameters else d.quantity.title
        found += [_number_by_name(of, name, total, f"the {name} model's {what}")
                  for name, total in zip(("first", "second"), d.totals, strict=True)]
        found += [_number_by_name(of, f"{part.place} change", part.change or 0, title(part.place))
                  for part in d.parts]
    return tuple(found)


def _number_by_name(of: str, name: str, value: ex.Rational, words: str) -> Named:
    """A number by its name; a fraction as a formula."""
    return Named(of, name, value if isinstance(value, int) else ex.Num(value), words)
