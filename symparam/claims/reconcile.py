"""What a difference between two totals is made of: terms with names, exact to the last one.

A term is a group of matrices that one of the totals has and the other has not. The fewest that
add up to the difference are named; where none do, that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.descriptions.options import ALL_SITES, SITES, Options, apply
from symparam.errors import SymparamError
from symparam.ledger import Ledger, Matrix
from symparam.model import Model
from symparam.resolve import numbers, with_overrides

if TYPE_CHECKING:
    from symparam.symbols import SymExpr

#: Terms that are joined at most.
MOST = 4
#: The length of a table of positions where the model has none.
LENGTH = 1024


@dataclass(frozen=True)
class Term:
    """A group of matrices that is left out, or added.

    Attributes:
        name: in words: ``norm shifts``, ``the head, untied``.
        formula: what it is, in the model's dims.
        numel: the same as a number, with its sign.
        paths: the matrices, so that none is taken twice.
    """

    name: str
    formula: ex.Expr
    numel: int
    paths: frozenset[str]


@dataclass(frozen=True)
class Reconciliation:
    """A difference and the terms that it is made of.

    Attributes:
        residual: what the second total has more than the first.
        terms: they sum to it; empty where none do.
        others: further ways that need as few terms, each a tuple of names.
    """

    residual: int
    terms: tuple[Term, ...]
    others: tuple[tuple[str, ...], ...] = ()

    @property
    def closed(self) -> bool:
        """Whether the difference is explained to the last parameter."""
        return bool(self.terms) or self.residual == 0


def reconcile(model: Model, residual: int, either: bool = False) -> Reconciliation:
    """The fewest named terms of a model that make up a difference.

    Args:
        model: the model that the first total is of.
        residual: what the second total has more; negative where it has less.
        either: whether it is not known which of the two totals has what the model has.

    >>> from symparam.descriptions.load import load
    >>> found = reconcile(load("gpt2"), 123_551_232 - 124_439_808)
    >>> [(t.name, str(t.formula), t.numel) for t in found.terms]
    [('position table', 'n_ctx*d_model', -786432), ('biases', '9*L*d_model', -82944), \
('norm shifts', 'd_model*(2*L + 1)', -19200)]
    """
    if residual == 0:
        return Reconciliation(0, ())
    usable = [group for group in groups(model) if group.numel != 0]
    for size in range(1, MOST + 1):
        ways = [(sign, way) for sign in ((1, -1) if either else (1,))
                for way in _summing(usable, size, sign * residual) if _apart(way)]
        if ways:
            order = list(_GROUPS)
            sign, way = min(ways, key=lambda found: [order.index(g.kind) for g in found[1]])
            others = tuple(tuple(g.name for g in other) for _, other in ways if other is not way)
            return Reconciliation(residual, tuple(_term(model, group, sign) for group in way),
                                  others)
    return Reconciliation(residual, ())


@dataclass(frozen=True)
class Group:
    """Matrices that may be there or not.

    Attributes:
        kind, name: which group; in words.
        numel: what they add to the count, with its sign: negative for what the model has, positive
            for what it would have.
        paths: which they are.
        model: of what model they are listed.
    """

    kind: str
    name: str
    numel: int
    paths: frozenset[str]
    model: Model


def _summing(usable: Sequence[Group], size: int, total: int) -> Iterator[tuple[Group, ...]]:
    """Combinations that sum to a total, in order: the last of each is looked up by what is left."""
    places: dict[int, list[int]] = {}
    for place, group in enumerate(usable):
        places.setdefault(group.numel, []).append(place)
    for way in combinations(range(len(usable)), size - 1):
        left = total - sum(usable[place].numel for place in way)
        for last in places.get(left, ()):
            if not way or last > way[-1]:
                yield tuple(usable[place] for place in (*way, last))


def _apart(way: Iterable[Group]) -> bool:
    seen: set[str] = set()
    for group in way:
        if seen & group.paths:
            return False
        seen |= group.paths
    return True


def _term(model: Model, group: Group, sign: int = 1) -> Term:
    """A group with its formula, which is that of the matrices themselves."""
    from symparam.count import symbolic_ledger
    from symparam.symbols import exact

    ledger = symbolic_ledger(group.model)
    total = sum((exact(m.size()) for m in ledger if m.path in group.paths), exact(0))
    return Term(group.name, _tree(total, numbers(group.model).values), sign * group.numel,
                group.paths)


def _tree(total: SymExpr, dims: Mapping[str, int]) -> ex.Expr:
    """The sum as it is usually written, given what holds between the dims here."""
    from symparam.arranged import factored
    from symparam.symbols import collected, symbol

    if dims.get("n_kv", 0) == dims.get("n_heads"):
        total = total.subs(symbol("n_kv"), symbol("n_heads"))
    if dims.get("n_heads", 0) * dims.get("d_head", 0) == dims.get("d_model"):
        total = total.subs(symbol("d_head"), symbol("d_model") / symbol("n_heads"))
    if dims.get("d_ff", 0) == 4 * dims["d_model"]:
        total = total.subs(symbol("d_ff"), 4 * symbol("d_model"))
    return factored(collected(total))


def groups(model: Model) -> list[Group]:
    """What the model has and another count may leave out; then what it may have besides."""
    ledger = model.ledger(numbers(model).values)
    found = [_group(name, name, matrices, model, -1) for name, matrices in _had(ledger)]
    for changed in _with(model):
        found += _added(model, ledger, changed)
    kept: dict[tuple[frozenset[str], int], Group] = {}
    for group in found:
        kept.setdefault((group.paths, group.numel), group)
    return sorted(kept.values(), key=lambda group: list(_GROUPS).index(group.kind))


def _group(kind: str, name: str, matrices: Iterable[Matrix], model: Model, sign: int) -> Group:
    listed = list(matrices)
    return Group(kind, name, sign * sum(int(m.size()) for m in listed),
                 frozenset(m.path for m in listed), model)


def _had(ledger: Ledger) -> Iterator[tuple[str, list[Matrix]]]:
    """Groups of the matrices that are counted, the coarse ones first."""
    stored = list(ledger.stored())
    for name, keep in _GROUPS.items():
        matrices = [m for m in stored if keep(m)]
        if matrices:
            yield name, matrices


def _is_norm(m: Matrix) -> bool:
    return m.part == "norm"


def _in_block(m: Matrix) -> bool:
    return bool(m.indices)


def _is_bias(m: Matrix) -> bool:
    return m.role == "bias" and m.part != "norm"


#: Groups that one count has and another has not, the likely ones first.
_GROUPS: dict[str, Callable[[Matrix], bool]] = {
    "position table": lambda m: m.part == "positions" and m.role == "embedding",
    "relative positions": lambda m: m.part == "positions" and m.role != "embedding",
    "biases": _is_bias,
    "norm shifts": lambda m: _is_norm(m) and m.role == "bias",
    "norms": _is_norm,
    "norms of the blocks": lambda m: _is_norm(m) and _in_block(m),
    "final norm": lambda m: _is_norm(m) and m.path.startswith("final_norm"),
    "norm gains": lambda m: _is_norm(m) and m.role == "gain",
    "norm shifts of the blocks": lambda m: _is_norm(m) and m.role == "bias" and _in_block(m),
    "QKV biases": lambda m: _is_bias(m) and m.name in {"b_Q", "b_K", "b_V"},
    "attention output biases": lambda m: _is_bias(m) and m.name == "b_O",
    "feed-forward biases": lambda m: _is_bias(m) and m.part == "ffn",
    "head bias": lambda m: _is_bias(m) and m.part == "head",
    "QK-norms": lambda m: m.part == "attention" and m.role == "gain",
    "head": lambda m: m.part == "head",
    "token embedding": lambda m: m.part == "token",
    "segment embedding": lambda m: "segment" in m.path or "type" in m.name.lower(),
    "pooler": lambda m: "pooler" in m.path,
    "routers": lambda m: "router" in m.name.lower(),
    "attention": lambda m: m.part == "attention",
    "feed-forward": lambda m: m.part == "ffn",
}


def _with(model: Model) -> Iterator[Model]:
    """What the model would be with something more."""
    for options in (Options(tied=False), Options(bias=frozenset(SITES)),
                    Options(bias=frozenset(ALL_SITES)), Options(qk_norm=True),
                    Options(norm="layernorm"), Options(norm="rmsnorm"), Options(final_norm=True),
                    Options(norms_per_block=4), Options(positions="relative"),
                    Options(positions="learned")):
        try:
            changed = apply(model, options)
            if options.positions == "learned":
                changed = with_overrides(changed, {"n_ctx": model.values.get("n_ctx", LENGTH)})
            yield changed
        except SymparamError:
            continue


def _added(model: Model, ledger: Ledger, changed: Model) -> Iterator[Group]:
    """Groups of the matrices of a changed model that the model does not count."""
    try:
        more = changed.ledger(numbers(changed).values)
    except SymparamError:
        return
    own = {m.path for m in ledger.stored()}
    new = [m for m in more.stored() if m.path not in own]
    for name, keep in _GROUPS.items():
        matrices = [m for m in new if keep(m)]
        if matrices:
            word = "head, untied" if name == "head" and "head.lm.W_U" in ledger else name
            yield _group(name, word, matrices, changed, 1)
