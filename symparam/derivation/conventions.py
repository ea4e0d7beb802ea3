"""What else is called a model's number of parameters, each as the total less what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy as sp

from symparam import expression as ex
from symparam.count import Count
from symparam.derivation.parts import Part
from symparam.derivation.state import State
from symparam.derivation.step import Term
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities import parameters
from symparam.quantities.parameters import KEPT
from symparam.resolve import Resolution
from symparam.symbols import SymExpr, over, products

TITLES = {
    "total": "all parameters", "without_input": "without the input embedding",
    "without_embeddings": "without embedding and head",
    "without_positions": "without embedding, head and positions",
    "active": "active, all", "active_without_input": "active, without the input embedding",
    "active_without_embeddings": "active, without embedding and head",
}


@dataclass(frozen=True)
class Convention:
    """A number that is called the number of parameters.

    Attributes:
        name: of the convention, as in ``count --json``.
        title: in words.
        term: its formula, ``P`` and part symbols standing for what they are; proved.
        value: the number, where all dims have numbers.
    """

    name: str
    title: str
    term: Term
    value: int | None


def conventions(model: Model, found: list[Part], ledger: Ledger, state: State,
                resolution: Resolution) -> tuple[Convention, ...]:
    """The conventions that say something of a model, the total first.

    Args:
        model: the model.
        found: the parts of its first line.
        ledger: its matrices over symbols.
        state: its count under the equations that its numbers meet.
        resolution: its numbers.

    Raises:
        FalseStep: a formula does not sum to what the matrices give.
    """
    values = {} if resolution.missing else _values(model, resolution.values)
    rows = [*_less(ledger, state), *_blocks(found, state), *_active(ledger, state)]
    return tuple(Convention(name, title, term, values.get(name)) for name, title, term in rows)


_Row = tuple[str, str, Term]


def _less(ledger: Ledger, state: State) -> Iterator[_Row]:
    """The total, and the total less embeddings."""
    whole = state.count.plain()
    yield "total", TITLES["total"], _term(state.count.shares, "P", whole, {})
    seen = [frozenset(state.count.shares)]
    for name, keep in KEPT.items():
        kept = {path: share for path, share in state.count.shares.items() if keep(ledger[path])}
        if frozenset(kept) not in seen and kept:
            seen.append(frozenset(kept))
            left = {p: -s for p, s in state.count.shares.items() if p not in kept}
            yield name, TITLES[name], _term(kept, "P", whole, left)


def _blocks(found: list[Part], state: State) -> Iterator[_Row]:
    """One block of each kind of layer, as the sum of its parts."""
    stacks = {stack.name: stack for part in found if part.repeated for stack in part.stacks}
    for name in stacks:
        inside = [p for p in found if any(s.name == name for s in p.stacks)]
        shares = {path: over(state.count.shares[path], state.own_factor(p))
                  for p in inside for path in p.paths}
        meanings = {p.symbol: sp.Add(*(shares[path] for path in p.paths)) for p in inside}
        kind = name.removeprefix("layers").strip("[]")
        title = f"one layer of kind {kind.replace('_', ' ')}" if len(stacks) > 1 else "one layer"
        shown = ex.sum_of(*(ex.Sym(p.symbol) for p in inside))
        yield f"per_layer_{kind}".rstrip("_"), title, Term(shown, shares, (), meanings)


def _active(ledger: Ledger, state: State) -> Iterator[_Row]:
    """What a token touches in a mixture: the total less the experts that it is not sent to."""
    if not parameters.has_experts(ledger):
        return
    active = State(Count({m.path: sp.expand(m.size("active")) for m in ledger.stored()}), {})
    shares = active.with_all(state.given).count.shares
    whole = state.count.plain()
    idle = {path: share - state.count.shares[path] for path, share in shares.items()}
    term = _term(shares, "P", whole, idle)
    yield "active", TITLES["active"], term
    of_token = sp.Add(*shares.values())
    for name in ("without_input", "without_embeddings"):
        kept = {path: share for path, share in shares.items() if KEPT[name](ledger[path])}
        left = {path: -share for path, share in shares.items() if path not in kept}
        yield f"active_{name}", TITLES[f"active_{name}"], _term(
            kept, "P_active", of_token, left)


def _term(shares: Mapping[str, SymExpr], name: str, meaning: SymExpr,
          change: Mapping[str, SymExpr]) -> Term:
    """What remains of a whole, written as the whole less what is left out."""
    less = sp.expand(-sp.Add(*change.values()))
    shown: ex.Expr = ex.Sym(name)
    if less != 0:
        tree = products(less)
        left = tree.terms if isinstance(tree, ex.Sum) else (tree,)
        shown = ex.sum_of(shown, *(-term for term in left))
    return Term(shown, shares, (), {name: meaning})


def _values(model: Model, dims: Mapping[str, int]) -> dict[str, int]:
    """The numbers, from the matrices over integers."""
    ledger = model.ledger(dims)
    found = {"total": parameters.total(ledger), **parameters.non_embedding(ledger)}
    active = parameters.active(ledger) or {}
    found |= {"active" if key == "all" else f"active_{key}": n for key, n in active.items()}
    for stack in model.stacks:
        if stack.repeat is not None:
            kind = stack.name.removeprefix("layers").strip("[]")
            name = f"per_layer_{kind}".rstrip("_")
            found[name] = sum(row.per_copy for row in parameters.breakdown(ledger)
                              if row.path.startswith(f"{stack.name}."))
    return found
