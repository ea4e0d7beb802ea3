"""The certificate of a derivation: matrices, lines with every share, what was left out, numbers.

Each line is an equality to the last parameter: what an equation met only nearly leaves, and what a
leading term leaves out, stands beside the line with shares of its own. So the ledger of what was
left out closes line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.certificate.pieces import PEN, Data, certificate, number, used
from symparam.derivation.conventions import Convention
from symparam.derivation.leading import residues
from symparam.derivation.parts import Part
from symparam.derivation.plan import Derivation
from symparam.derivation.step import Line, Step
from symparam.symbols import SymExpr, from_sympy, right_side

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def derivation_certificate(d: Derivation) -> Data:
    """The certificate of a derivation.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> from symparam.derivation.plan import derive
    >>> found = derivation_certificate(derive(plain_decoder(), leading="d_model"))["body"]
    >>> found["apart"], found["formula"], found["left"]
    ('P_embedding + L*(P_attention + P_ffn + P_norms) + P_final_norm + P_head', '12*L*d_model**2', \
[['2*V*d_model', None], ['(2*L + 1)*d_model', None]])
    """
    return certificate("derive", d.model.name, {d.model.name: d.model}, body_of(d))


def body_of(d: Derivation) -> Data:
    """What a derivation comes to as data."""
    joins = {step.subject: step for step in d.steps if step.rule == "join"}
    lines = list(_lines(d))
    body: Data = {
        "about": _about(d), "symbol": d.symbol,
        "parts": [_part(part, joins[part.symbol].after, d) for part in d.parts],
        "apart": PEN.expr(_apart(d)), "lines": lines, "leading": d.leading,
        "left": [[text, None if n is None else number(n)] for (text, _), n in zip(
            lines[-1]["left"], _sizes(d, lines[-1]["left"]), strict=True)],
        "conventions": [_convention(c, d) for c in d.conventions],
        "formula": lines[-1]["line"], "value": None if d.value is None else number(d.value),
        "inside": {} if d.total is None else {d.total.symbol: body_of(d.total)}}
    return {**body, "dims": {} if d.value is None else used(d.values, names_in(body))}


def names_in(data: Any) -> Iterator[str]:
    """The names in all formulas of data; what stands under ``about`` has none."""
    if isinstance(data, str):
        yield from _NAME.findall(data)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from names_in(value) if key != "about" else ()
    elif isinstance(data, list):
        for value in data:
            yield from names_in(value)


def _about(d: Derivation) -> Data:
    """What is said of a derivation and not checked."""
    q = d.quantity
    return {"quantity": "total" if d.of_parameters else q.name, "title": q.title, "unit": q.unit,
            "convention": q.convention, "source": q.source, "assumed": dict(d.assumed),
            "windows": {f"{bound.seen} and {bound.window}": bound.side for bound in d.windows},
            "symbols": {name: d.model.describe(name).meaning for name in d.symbols()},
            "left out": {str(x.term): x.origin for x in d.dropped}}


def _part(part: Part, joined: Line, d: Derivation) -> Data:
    """A part: what one copy of it holds, in each of its stacks, and that line joined."""
    size = len(part.shares)
    stacks = [{"layers": PEN.expr(layers),
               "entries": {path: PEN.entry(share, d.ledger) for path, share in zip(
                   part.all_paths[i * size:(i + 1) * size], part.shares, strict=True)}}
              for i, layers in enumerate(part.extents or (ex.Num(1),))]
    return {"about": {"title": part.title}, "symbol": part.symbol, "stacks": stacks,
            "line": PEN.expr(joined.expr), "terms": PEN.terms(joined)}


def _apart(d: Derivation) -> ex.Expr:
    """The whole as a sum of part symbols."""
    first = d.steps[0]
    return first.after.expr if first.rule == "take-apart" else ex.Sym(d.parts[0].symbol)


def _lines(d: Derivation) -> Iterator[Data]:
    """The lines of the whole, each with all that is left out by then."""
    left: list[list[Any]] = []
    for step in d.steps:
        if step.subject != d.symbol or step.rule == "take-apart":
            continue
        if step.holds_here == "nearly":
            left = [*left, _residue(step, d)]
        left = [*left, *map(PEN.term, step.remainder.terms)]
        near = step.holds_here == "nearly"
        yield {"about": {"rule": step.rule, "why": step.why,
                         **({"nearly": _equation(step)} if near else {})},
               "line": PEN.expr(step.after.expr), "terms": PEN.terms(step.after), "left": left,
               "given": None if near else _equation(step)}


def _equation(step: Step) -> str | None:
    """The equation that a step puts in."""
    if step.given is None:
        return None
    return f"{step.given.dim} = {PEN.expr(from_sympy(right_side(step.given)))}"


def _residue(step: Step, d: Derivation) -> list[Any]:
    """What an equation leaves that numbers meet only nearly, with the share of each path."""
    found, = residues((step,), d.values, d.value)
    before, after = step.before.shares, step.after.shares
    zero = sp.Integer(0)
    shares = {path: sp.expand(before.get(path, zero) - after.get(path, zero))
              for path in {**before, **after}}
    return [PEN.expr(found.term), PEN.shares(shares)]


def _sizes(d: Derivation, left: Iterable[list[Any]]) -> Iterator[ex.Rational | None]:
    """The sizes of what is left out; of what cancels 0."""
    known: Mapping[str, Any] = {PEN.expr(x.term): x.numel for x in (*d.dropped, *residues(
        [step for step in d.steps if step.holds_here == "nearly"], d.values, d.value))}
    for text, _ in left:
        yield None if d.value is None else known.get(text, 0)


def _convention(c: Convention, d: Derivation) -> Data:
    """What else is called the number of parameters: of each path what share of it counts."""
    exact, counted = d.exact.shares, c.term.shares
    return {"about": {"name": c.name, "title": c.title}, "symbol": c.symbol,
            "formula": PEN.expr(c.term.shown),
            "counted": {path: _weight(share, exact[path]) for path, share in counted.items()
                        if share != 0},
            "written": PEN.expr(c.step.after.expr),
            "value": None if c.value is None else number(c.value)}


def _weight(share: SymExpr, whole: SymExpr) -> str:
    """What part of a whole a share is: 1, ``top_k/n_experts``, ``1/L``."""
    if share == whole:
        return "1"
    ratio = sp.cancel(share / whole)
    top, bottom = sp.fraction(ratio)
    return PEN.expr(ex.Quotient(from_sympy(top), from_sympy(bottom)))
