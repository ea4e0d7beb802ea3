"""The certificate of a solution: the matrices, formulas to be put back, roots, configurations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symparam import expression as ex
from symparam.certificate.of_derivation import names_in
from symparam.certificate.pieces import PEN, Data, certificate, number, used
from symparam.derivation.at_numbers import wanted
from symparam.dims import TOTAL
from symparam.errors import BadValue
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.setting import Setting
from symparam.resolve import numbers, with_overrides
from symparam.solve import Solution
from symparam.solve.formulas.closed_form import ClosedForm
from symparam.solve.formulas.put_in import PutIn
from symparam.solve.requests.targets import is_run


def solution_certificate(s: Solution) -> Data:
    """The certificate of a solution for a number of parameters.

    Raises:
        BadValue: it is one for another quantity alone.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> from symparam.solve import solve
    >>> found = solution_certificate(solve(plain_decoder(), 7 * 10**9, given={"L": 32}))["body"]
    >>> found["forms"][0]["equations"]
    ['n_heads = d_model/d_head', 'n_kv = n_heads', 'd_ff = 4*d_model']
    """
    if s.listed is None or s.goals[0].name != TOTAL.name:
        raise BadValue("--certificate", s.goals[0].name,
                       "is certified for a number of parameters: P=7e9")
    asked = wanted(s.listed, find(TOTAL.name), Setting())
    trees = asked.trees
    entries = {share.path: PEN.entry(share, trees.ledger)
               for share in asked.quantity.shares(trees)}
    names = list(names_in(entries))
    body: Data = {"entries": entries, "target": number(s.target),
                  "forms": [_form(form, s, names) for form in s.closed_forms],
                  "configurations": [
                      {"dims": used(_dims(s.listed, c.dims), names), "numel": number(c.total)}
                      for c in s.configurations]}
    return certificate("solve", s.model, {s.model: s.listed}, body)


def _dims(model: Model, dims: Mapping[str, int]) -> Mapping[str, int]:
    """All numbers of a model at a configuration."""
    own = {name: value for name, value in dims.items() if not is_run(name)}
    return numbers(with_overrides(model, own)).values


def _form(form: ClosedForm, s: Solution, names: Sequence[str]) -> Data:
    """The closed forms of one dim, under what equations, and its roots between their bounds."""
    equations = [str(each) for each in _in_order(form.put_in)]
    inside = {*names, *names_in(equations)} - {form.symbol, *(each.dim for each in form.put_in)}
    return {"about": {"why": form.why, "rejected": [root.rejected or None for root in s.roots.get(
                form.symbol, ())]},
            "unknown": form.symbol, "equations": equations,
            "formulas": [PEN.expr(formula) for formula in form.formulas],
            "dims": used(s.real_at, inside),
            "roots": [[number(root.low), number(root.high)] for root in s.roots.get(
                form.symbol, ())]}


def _in_order(found: Sequence[PutIn]) -> Iterator[PutIn]:
    """Each equation after those for the dims on its right side."""
    left = list(found)
    while left:
        ready = next((each for each in left if not any(
            other.dim in ex.symbols_in(each.expr) for other in left)), left[0])
        yield ready
        left.remove(ready)
