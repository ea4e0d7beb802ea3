"""One of the two models of a difference: its numbers, and how its dims are written.

What an option *is* is put in (multi-head attention is n_kv = n_heads), and kinds of layer are
written by the number of all layers; nothing else. So an exchange of grouped for multi-head
attention shows in the shapes, and widths stay apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.dims import order_key, primed
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.resolve import Resolution, resolve, with_overrides
from symparam.symbols import to_sympy

#: A number of layers by a rule of more terms than this is a dim of its own.
MOST_TERMS = 24


@dataclass(frozen=True)
class Side:
    """A model of a difference.

    Attributes:
        model: the model.
        resolution: numbers for its dims; all of them, or ``resolution.missing`` says which not.
        written: dims that are written by others (``n_kv`` by ``n_heads``).
        taken: dims whose numbers are those of the other model, for it has none of its own.
    """

    model: Model
    resolution: Resolution
    written: Mapping[str, ex.Expr]
    taken: tuple[str, ...] = ()

    @property
    def values(self) -> Mapping[str, int]:
        """Numbers for dims."""
        return self.resolution.values

    @property
    def free(self) -> tuple[str, ...]:
        """The dims that its shapes are written in, in the order in which the field writes them."""
        inside = (name for expr in self.written.values() for name in ex.symbols_in(expr))
        names = {*self.model.dims, *inside} - set(self.written)
        return tuple(sorted(names, key=order_key))

    def namespace(self, marked: Iterable[str] = ()) -> dict[str, ex.Expr]:
        """Its dims as trees, those of some names with the mark of the second model."""
        marks = set(marked)
        symbols: dict[str, ex.Expr] = {
            name: ex.Sym(primed(name) if name in marks else name) for name in self.free}
        return symbols | {name: ex.substitute(expr, symbols)
                          for name, expr in self.written.items()}

    def trees(self, marked: Iterable[str] = ()) -> Ledger:
        """Its matrices with shapes as they are written."""
        return self.model.ledger(self.namespace(marked))

    def symbolic(self, marked: Iterable[str] = ()) -> Ledger:
        """Its matrices over SymPy's symbols."""
        return self.model.ledger({name: to_sympy(tree)
                                  for name, tree in self.namespace(marked).items()})

    def ledger(self, values: Mapping[str, int]) -> Ledger:
        """Its matrices over numbers for the dims that it is written in."""
        numbers = {name: values[name] for name in self.free}
        return self.model.ledger(numbers | {name: ex.evaluate(expr, numbers)
                                            for name, expr in self.written.items()})


def sides(before: Model, after: Model) -> tuple[Side, Side]:
    """Both models, numbers that one of them lacks taken from the other."""
    first, second = resolve(before), resolve(after)
    one, taken_one = _completed(before, first, second, after)
    two, taken_two = _completed(after, second, first, before)
    first, second = resolve(one), resolve(two)
    return (Side(one, first, _written(one, first, second), taken_one),
            Side(two, second, _written(two, second, first), taken_two))


def _completed(model: Model, own: Resolution, other: Resolution,
               giver: Model) -> tuple[Model, tuple[str, ...]]:
    """A model that lacks numbers, with those that were given for the other one."""
    if not own.missing:
        return model, ()
    defined = {eq.dim for eq in model.all_equations() if eq.standing is Standing.DEFINITION}
    wanted = {*model.dims, *(name for eq in model.equations for name in eq.inputs)}
    found = {name: value for name, value in other.values.items()
             if name in wanted - defined and name not in model.values
             and (name in giver.values or name in own.missing)}
    return with_overrides(model, found), tuple(sorted(found, key=order_key))


def _written(model: Model, own: Resolution, other: Resolution) -> dict[str, ex.Expr]:
    """The dims that are written by others: equations applied until none is left."""
    chosen: dict[str, ex.Expr] = {}
    for eq in model.all_equations():
        if eq.dim in model.dims and eq.dim not in chosen and (
                _is_meant(eq, own.values) or _is_kind(model, eq, own, other)):
            chosen[eq.dim] = eq.expr
    for _ in chosen:  # one may be written by another
        chosen = {name: ex.substitute(expr, chosen) for name, expr in chosen.items()}
    return {name: expr for name, expr in chosen.items() if name not in ex.symbols_in(expr)}


def _is_meant(eq: Equation, values: Mapping[str, int]) -> bool:
    """Whether an equation says what an option is, or what these numbers make of it."""
    if eq.rounding or _has_fraction(eq.expr):  # a step of the way would not come out whole
        return False
    if eq.standing is Standing.DEFINITION:
        return True
    return eq.standing is Standing.CANDIDATE and eq.holds(values) is True


def _is_kind(model: Model, eq: Equation, own: Resolution, other: Resolution) -> bool:
    """Whether it gives the layers of one kind by those of the others, and with the numbers of
    either model does so as a whole number."""
    counts = {name for stack in model.stacks if stack.repeat
              for name in ex.symbols_in(stack.repeat.stored)}
    follows = own.rules.get(eq.dim, eq) == eq and eq.dim not in own.given
    if eq.dim not in counts or not follows or eq.rounding or _has_fraction(eq.expr) or (
            ex.expanded_terms(eq.expr) > MOST_TERMS):
        return False
    for values in (own.values, {**own.values, **other.values}):
        if all(name in values for name in eq.inputs) and ex.evaluate(eq.expr, values) < 0:
            return False
    return True


def _has_fraction(expr: ex.Expr) -> bool:
    return any(isinstance(node, (ex.Quotient, ex.Power)) or (
        isinstance(node, ex.Num) and isinstance(node.value, Fraction)) for node in ex.walk(expr))
