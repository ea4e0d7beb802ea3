"""Matrices of two models side by side: matched by component, place and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

import sympy as sp

from symparam.dataclass import dataclass
from symparam.derivation.arrange import group_of
from symparam.diff.side import Side
from symparam.ledger import Ledger, Matrix
from symparam.quantities.parameters import place
from symparam.symbols import SymExpr, exact

#: What became of a matrix: nothing, the same form at other dims, another shape, gone, new; or
#: one that is there in both and shares its numbers in one of them alone.
Change: TypeAlias = Literal["same", "dims", "shape", "removed", "added", "tied", "untied"]

#: Kinds of layer of one family, or one number of copies: shapes with how often each is stored.
Form: TypeAlias = Mapping[tuple[SymExpr, ...], SymExpr]


@dataclass(frozen=True)
class Pair:
    """A matrix of the first model and what it is in the second.

    Attributes:
        key: what they are matched by: ``layers.attention.W_K``, kinds of layer together.
        change: what became of it.
        kind: matrices, embeddings, norms or biases.
        before, after: the paths of the counted matrices in either model's ledger.
        shapes: in the first and in the second model, each shape with its number of copies, the
            dims of the second that differ marked.
    """

    key: str
    change: Change
    kind: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    shapes: tuple[Form, Form]

    @property
    def name(self) -> str:
        """The matrix's own name."""
        return self.key.rpartition(".")[2]

    @property
    def place(self) -> str:
        """The component that it belongs to: ``layers.attention``."""
        return place(self.key)


def key_of(path: str) -> str:
    """A path without the kind of layer.

    >>> key_of("layers[dense].ffn.W_up")
    'layers.ffn.W_up'
    """
    stack, _, rest = path.partition(".")
    return f"{stack.partition('[')[0]}.{rest}"


_TITLES = {"ffn": "feed-forward", "token": "token embedding", "lm": "head"}


def title(place: str) -> str:
    """A component's name in words.

    >>> title("layers.ffn"), title("final_norm.norm"), title("decoder.attention")
    ('feed-forward', 'final norm', 'decoder attention')
    """
    stack, _, slot = place.partition(".")
    if slot in {"norm", "linear"} and stack != "embedding":
        stack, slot = "", stack
    family = "" if stack in {"layers", "embedding", "head", slot} else stack
    words = (word.replace("_", " ") for word in (family, _TITLES.get(slot, slot)) if word)
    return " ".join(words)


def pairs(before: Side, after: Side, marked: Iterable[str]) -> tuple[Pair, ...]:
    """The matrices of both models by key, in the order in which a token meets them.

    Args:
        before, after: the two models.
        marked: the dims that have other numbers in the second one.
    """
    marks = tuple(marked)
    first, second = _by_key(before.symbolic()), _by_key(after.symbolic(marks))
    plain = _by_key(after.symbolic())
    if found_by_name(before, after):
        names = _alike(first, plain)
        first = {names.get(key, key): matrices for key, matrices in first.items()}
    return tuple(_pair(key, first.get(key, []), second.get(key, []), plain.get(key, []))
                 for key in _merged(list(first), list(second))
                 if _counted(first.get(key, [])) or _counted(second.get(key, [])))


def found_by_name(before: Side, after: Side) -> bool:
    """Whether names do not tell all: a trace of one model calls its parts as its modules do."""
    targets = {None if side.model.trace is None else side.model.trace.target
               for side in (before, after)}
    return len(targets) > 1


def _alike(first: Mapping[str, list[Matrix]], second: Mapping[str, list[Matrix]]
           ) -> dict[str, str]:
    """Keys that one model alone has, with the key of the other that has the same matrices.

    They are the same where role, shapes and copies are, in the dims of both, and where as many of
    one model have them as of the other: first of one component, then of any. Which of several
    alike is which is by their order.
    """
    def form(matrices: list[Matrix]) -> tuple[str, Form]:
        kept = _counted(matrices)
        return (kept[0].role if kept else "", _form(kept))

    lone = {key: form(m) for key, m in first.items() if key not in second}
    other = {key: form(m) for key, m in second.items() if key not in first}
    found: dict[str, str] = {}
    for sorted_by in (place, lambda _: ""):
        for mine in list(lone):
            if mine in found or not lone[mine][1]:
                continue
            ours = [k for k in lone if k not in found and lone[k] == lone[mine]
                    and sorted_by(k) == sorted_by(mine)]
            theirs = [k for k in other if k not in found.values() and other[k] == lone[mine]
                      and sorted_by(k) == sorted_by(mine)]
            if len(ours) == len(theirs):
                found |= dict(zip(ours, theirs, strict=True))
    return found


def _by_key(ledger: Ledger) -> dict[str, list[Matrix]]:
    found: dict[str, list[Matrix]] = {}
    for m in ledger:
        if m.status != "buffer":
            found.setdefault(key_of(m.path), []).append(m)
    return found


def _merged(first: list[str], second: list[str]) -> Iterator[str]:
    """The keys of both lists: components in the order of the second, what only the first has
    after what stands before it there."""
    order, at = list(second), 0
    for key in first:
        if key in order:
            at = order.index(key) + 1
        else:
            order.insert(at, key)
            at += 1
    places = dict.fromkeys(place(key) for key in order)
    yield from (key for each in places for key in order if place(key) == each)


def _counted(matrices: Iterable[Matrix]) -> list[Matrix]:
    return [m for m in matrices if m.tied_to is None]


def _pair(key: str, first: list[Matrix], second: list[Matrix], plain: list[Matrix]) -> Pair:
    one, two = _counted(first), _counted(second)
    forms = _form(one), _form(two)
    change = _change(first, second, forms, _form(_counted(plain)))
    return Pair(key, change, group_of((one or two)[0]), tuple(m.path for m in one),
                tuple(m.path for m in two), forms)


def _change(first: list[Matrix], second: list[Matrix], forms: tuple[Form, Form],
            plain: Form) -> Change:
    """What became of a matrix; ``plain`` is its second form with the first model's dims."""
    one, two = forms
    if not one:
        return "untied" if first else "added"
    if not two:
        return "tied" if second else "removed"
    if one == two:
        return "same"
    return "dims" if one == plain else "shape"


def _form(matrices: Iterable[Matrix]) -> Form:
    """The shapes of a matrix in all kinds of layer, with how often each is stored."""
    found: dict[tuple[SymExpr, ...], SymExpr] = {}
    for m in matrices:
        shape = tuple(sp.expand(exact(side)) for side in m.shape)
        found[shape] = sp.expand(found.get(shape, 0) + exact(m.copies()))
    return found
