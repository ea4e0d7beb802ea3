"""What else is called a model's number of parameters, each as the total less what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.arranged import falling
from symparam.bracketed import signed
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation.arrange import by_stack, per_layer
from symparam.derivation.parts import Part, written
from symparam.derivation.state import State
from symparam.derivation.step import Line, Step, Term
from symparam.dims import TOTAL
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.polynomial import NOTHING
from symparam.quantities import counts, parameters
from symparam.quantities.quantity import Subject
from symparam.symbols import SymExpr, collected, expand, over, to_sympy


@dataclass(frozen=True)
class Convention:
    """A number that is called the number of parameters.

    Attributes:
        name: of the convention, as in ``count --json``.
        title: in words.
        symbol: what stands for it.
        step: from its formula, ``P`` and part symbols standing for what they are, to the same
            written out; proved.
        value: the number, where all dims have numbers.
    """

    name: str
    title: str
    symbol: str
    step: Step
    value: int | None

    @property
    def term(self) -> Term:
        """Its formula as the total less what it leaves out."""
        return self.step.before.terms[0]


def conventions(model: Model, found: list[Part], ledger: Ledger, state: State,
                listed: Ledger | None) -> tuple[Convention, ...]:
    """The conventions that say something of a model, the total first.

    Args:
        model: the model.
        found: the parts of its first line.
        ledger: its matrices over trees.
        state: its count under the equations that its numbers meet.
        listed: its matrices over integers, where it has numbers.

    Raises:
        FalseStep: a formula does not sum to what the matrices give.
    """
    rows = [*_written(found, state, _less(ledger, state))]
    blocks = [*_blocks(found, state)] if _has_layers(model) else []
    touched = [_touched(ledger, state)] if counts.has_experts(ledger) else []
    active = [row for own in touched for row in _written(found, own, _active(ledger, state, own))]
    values = dict[str, int]() if listed is None else {
        **dict(_values(listed, (name for name, *_ in (*rows, *active)))),
        **dict(_of_layers(model, listed))}
    return tuple(Convention(name, title, symbol, Step("convention", symbol, Line((term,)), after,
                                                      "written out, matrix by matrix"),
                            values.get(name))
                 for name, title, term, after in (*rows, *blocks, *active)
                 for symbol in ["P" if name == "total" else f"P_{name}"])


def _has_layers(model: Model) -> bool:
    """Whether each repeated stack is a kind of layer. What some layers of a traced model have is
    a stack of its own, and so no layer."""
    return model.trace is None or sum(1 for stack in model.stacks if stack.repeat) == 1


_Row = tuple[str, str, Term]


def _written(found: list[Part], state: State, rows: Iterable[_Row]
             ) -> Iterator[tuple[str, str, Term, Line]]:
    """Rows with their lines by stacks, each of which counts some of a state's shares."""
    for name, title, term in rows:
        yield name, title, term, by_stack(found, state.count.part(term.shares), state.given,
                                          state.brackets)


def _less(ledger: Ledger, state: State) -> Iterator[_Row]:
    """The total, and the total less embeddings."""
    whole = state.count.plain()
    yield "total", counts.label("P"), _term(state.count.shares, "P", whole, {})
    seen = [frozenset(state.count.shares)]
    for name in (name for name in counts.LESS if counts.is_told(ledger, name)):
        paths = counts.paths(ledger, name)
        kept = {path: share for path, share in state.count.shares.items() if path in paths}
        if frozenset(kept) not in seen and kept:
            seen.append(frozenset(kept))
            left = {p: -s for p, s in state.count.shares.items() if p not in kept}
            yield name, counts.label(name), _term(kept, "P", whole, left)


def _blocks(found: list[Part], state: State) -> Iterator[tuple[str, str, Term, Line]]:
    """One block of each kind of layer, as the sum of its parts, and written out."""
    repeated = [part for part in found if part.repeated]
    stacks = {stack.name: stack for part in repeated for stack in part.stacks}
    layers = {p.symbol: state.own_factor(p) for p in repeated}
    one = {p.symbol: {path: over(state.count.shares[path], layers[p.symbol]) for path in p.paths}
           for p in repeated}
    whole = {p.symbol: per_layer(tuple([state.count.shares[path] for path in p.paths]),
                                 layers[p.symbol]) for p in repeated}
    written: dict[tuple[str, ...], tuple[Term, Line]] = {}  # (of kinds with the same parts one)
    for name in stacks:
        inside = [p for p in repeated if name in [stack.name for stack in p.stacks]]
        key = tuple([p.symbol for p in inside])
        if key not in written:
            shares = {path: share for p in inside for path, share in one[p.symbol].items()}
            meanings = {p.symbol: sp.Add(*one[p.symbol].values()) for p in inside}
            block = falling(sum([whole[p.symbol] for p in inside], NOTHING))
            written[key] = (Term(ex.sum_of(*map(ex.Sym, key)), shares, (), meanings),
                            Line((Term(block, shares),)))
        kind = _kind(name)
        word = (kind or stacks[name].part).replace("_", " ")  # (of the text, beside a tower)
        title = f"one layer of kind {word}" if word and len(stacks) > 1 else "one layer"
        yield f"per_layer_{kind}".rstrip("_"), title, *written[key]


def _kind(stack: str) -> str:
    """A stack's kind of layer, with its side where there are two; empty where all are alike.

    >>> _kind("layers[dense]"), _kind("encoder[dense]"), _kind("encoder"), _kind("layers")
    ('dense', 'encoder_dense', 'encoder', '')
    """
    return stack.removeprefix("layers").replace("[", "_").strip("_]")


def _touched(ledger: Ledger, state: State) -> State:
    """What a token touches in a mixture, under the equations of a state."""
    touched = counts.COUNTS["active"].shares(Subject(ledger, {}))
    active = State(Count({each.path: expand(to_sympy(written(each))) for each in touched}), {})
    return active.with_all(state.given)


def _active(ledger: Ledger, state: State, active: State) -> Iterator[_Row]:
    """What a token touches: the total less the experts that it is not sent to."""
    shares = active.count.shares
    whole = state.count.plain()
    idle = {path: share - state.count.shares[path] for path, share in shares.items()}
    term = _term(shares, "P", whole, idle)
    yield "active", counts.label("active"), term
    of_token = sp.Add(*shares.values())
    for name in ("active_without_input", "active_without_embeddings"):
        paths = counts.paths(ledger, name)
        kept = {path: share for path, share in shares.items() if path in paths}
        left = {path: -share for path, share in shares.items() if path not in kept}
        yield name, counts.label(name), _term(kept, "P_active", of_token, left)


def _term(shares: Mapping[str, SymExpr], name: str, meaning: SymExpr,
          change: Mapping[str, SymExpr]) -> Term:
    """What remains of a whole, written as the whole less what is left out."""
    less = expand(-sp.Add(*change.values()))
    shown: ex.Expr = ex.Sym(name)
    if less != 0:
        shown = ex.sum_of(shown, *(-term for term in ex.terms_of(signed(collected(less)))))
    return Term(shown, shares, (), {name: meaning})


def _values(ledger: Ledger, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The numbers, from the matrices over integers."""
    for name in names:
        value: Any = counts.value(ledger, TOTAL.name if name == "total" else name)
        yield name, value


def _of_layers(model: Model, ledger: Ledger) -> Iterator[tuple[str, int]]:
    """The number of parameters in one layer of each kind, from the same."""
    rows = parameters.breakdown(ledger)
    for stack in model.stacks:
        if stack.repeat is not None:
            kind = _kind(stack.name)
            inside: Any = sum(row.per_copy for row in rows
                              if row.path.startswith(f"{stack.name}."))
            yield f"per_layer_{kind}".rstrip("_"), inside
