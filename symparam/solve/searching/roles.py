"""What part a model's dims play, read off its matrices: which of them go with the width.

Nothing is known of single components here. A width that stands alone against d_model in a matrix
of a layer is an inner width; a number that makes a width together with the width of one head, as
wide as half of d_model or more, is a number of heads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symparam import expression as ex
from symparam.count import symbolic_ledger
from symparam.dataclass import dataclass
from symparam.model import Model
from symparam.resolve import resolve

#: From so many of d_model on, heads cover the width.
COVERS = 2


@dataclass(frozen=True)
class Roles:
    """The parts that dims play.

    Attributes:
        inner: inner widths, which keep their ratio to d_model.
        heads: numbers of heads besides n_heads and n_kv, which keep theirs.
        covering: numbers of heads that follow from an inner width and the width of a head.
    """

    inner: frozenset[str]
    heads: frozenset[str]
    covering: Mapping[str, ex.Expr]


def roles(model: Model) -> Roles:
    """The parts that a model's dims play; the model has numbers for them.

    >>> from symparam.descriptions.catalogue import published
    >>> sorted(roles(published("deepseek-v3")).inner), sorted(roles(published("mamba2-2.7b")).heads)
    (['d_expert', 'd_ff', 'd_shared'], ['n_ssm_heads'])
    """
    values = resolve(model).values
    if "d_model" not in values:
        return Roles(frozenset(), frozenset(), {})
    sides = list(_against_width(model))
    pairs = {tuple(sorted(side)) for side in sides if len(side) == 2}
    split = [(d, n) for d, n in pairs if d.startswith("d_") and n.startswith("n_")]
    inside = {d for d, _ in split}
    inner = {s[0] for s in sides if len(s) == 1 and s[0].startswith("d_")} - inside - {"d_model"}
    heads = {n for d, n in split if COVERS * values[n] * values[d] >= values["d_model"]}
    ruled = set(resolve(model).rules)
    makers = {(w, n): width for w, n, width in _covering(model, inner)}
    covering = {n: ex.Sym(w) / ex.Sym(width) for (w, n), width in makers.items() if w not in ruled}
    heads |= {n for w, n in makers if w in ruled}
    return Roles(frozenset(inner), frozenset(heads) - set(covering) - {"n_heads", "n_kv"},
                 covering)


def _against_width(model: Model) -> Iterator[list[str]]:
    """The symbols of what stands against d_model in matrices of layers, where it is a product."""
    for matrix in symbolic_ledger(model):
        if len(matrix.shape) != 2 or not matrix.indices:
            continue
        first, second = map(_names, matrix.shape)
        if first == ["d_model"] and second:
            yield second
        elif second == ["d_model"] and first:
            yield first


def _names(side: Any) -> list[str]:
    """The symbols of a product; nothing for a sum or a number."""
    symbols = getattr(side, "free_symbols", ())  # (a plain number has none)
    return sorted(map(str, symbols)) if symbols and not side.is_Add else []


def _covering(model: Model, inner: set[str]) -> Iterator[tuple[str, str, str]]:
    """Inner widths that are, in the model's numbers, heads times the width of one: all three."""
    values = resolve(model, [n for eq in model.all_equations() for n in eq.inputs]).values
    for equation in model.all_equations():
        match equation.expr:
            case ex.Product((ex.Sym(a), ex.Sym(b))) if equation.dim in inner and equation.holds(
                    values):
                number, width = (a, b) if a.startswith("n_") else (b, a)
                if width not in inner:
                    yield equation.dim, number, width
