"""Matrices of two models side by side: matched by component, place and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

import sympy as sp

from symparam.dataclass import dataclass
from symparam.diff.side import Entry, Side
from symparam.quantities.parameters import place
from symparam.quantities.quantity import Share
from symparam.symbols import SymExpr, exact

#: What became of a matrix: nothing, the same form at other dims, another shape, gone, new; or
#: one that is there in both and shares its numbers in one of them alone.
Change: TypeAlias = Literal["same", "dims", "shape", "removed", "added", "tied", "untied"]

#: Entries by their paths.
Entries: TypeAlias = Mapping[str, Entry]
#: Kinds of layer of one family, or one number of copies: shapes with how often each is stored.
Form: TypeAlias = Mapping[tuple[SymExpr, ...], SymExpr]


@dataclass(frozen=True)
class Pair:
    """A matrix of the first model and what it is in the second.

    Attributes:
        key: what they are matched by: ``layers.attention.W_K``, kinds of layer together.
        change: what became of it.
        kind: matrices, embeddings, norms, biases, states or products.
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

    >>> key_of("layers[dense].ffn.W_up"), key_of("blocks")
    ('layers.ffn.W_up', 'blocks.blocks')
    """
    stack, _, rest = path.partition(".")
    if not rest:
        return f"{path}.{path}"  # a term of a paper's formula
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
    """The entries of both models by key, in the order in which a token meets them.

    Args:
        before, after: the two models.
        marked: the dims that have other numbers in the second one.
    """
    marks = tuple(marked)
    first, second = _by_key(before.symbolic()), _by_key(after.symbolic(marks))
    plain = _by_key(after.symbolic())
    if found_by_name(before, after):
        names = _alike(first, plain)
        first = {names.get(key, key): entries for key, entries in first.items()}
    kinds = {**after.kinds, **before.kinds}
    return tuple(_pair(key, first.get(key, {}), second.get(key, {}), plain.get(key, {}), kinds)
                 for key in _merged(list(first), list(second))
                 if _counted(first.get(key, {})) or _counted(second.get(key, {})))


def found_by_name(before: Side, after: Side) -> bool:
    """Whether names do not tell all: a trace of one model calls its parts as its modules do."""
    targets = {None if side.model.trace is None else side.model.trace.target
               for side in (before, after)}
    return len(targets) > 1


def _alike(first: Mapping[str, Entries], second: Mapping[str, Entries]
           ) -> dict[str, str]:
    """Keys that one model alone has, with the key of the other that has the same matrices.

    They are the same where role, shapes and copies are, in the dims of both, and where as many of
    one model have them as of the other: first of one component, then of any. Which of several
    alike is which is by their order.
    """
    def form(entries: Entries) -> tuple[str, Form]:
        kept = _counted(entries)
        return next((entry.role for entry in kept.values()), ""), _form(kept)

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


def _by_key(entries: Entries) -> Mapping[str, Entries]:
    found: dict[str, dict[str, Entry]] = {}
    for path, entry in entries.items():
        found.setdefault(key_of(path), {})[path] = entry
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


def _counted(entries: Entries) -> Entries:
    return {path: entry for path, entry in entries.items() if entry.counted}


def _pair(key: str, first: Entries, second: Entries, plain: Entries,
          kinds: Mapping[str, str]) -> Pair:
    one, two = _counted(first), _counted(second)
    forms = _form(one), _form(two)
    change = _change(first, second, forms, _form(_counted(plain)))
    path = next(iter(one or two))
    return Pair(key, change, kinds.get(Share(path, ()).entry, "products"), tuple(one), tuple(two),
                forms)


def _change(first: Entries, second: Entries, forms: tuple[Form, Form],
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


def _form(entries: Entries) -> Form:
    """The shapes of a matrix in all kinds of layer, with how often each is stored; of what is no
    number of parameters the sum of all."""
    found: dict[tuple[SymExpr, ...], SymExpr] = {}
    if entries and all(isinstance(entry.copies, int) and len(entry.shape) == 1
                       for entry in entries.values()):
        whole = sp.expand(sum(exact(entry.size) for entry in entries.values()))
        return {(whole,): sp.Integer(1)} if whole != 0 else {}
    for entry in entries.values():
        shape = tuple(sp.expand(exact(side)) for side in entry.shape)
        found[shape] = sp.expand(found.get(shape, 0) + exact(entry.copies))
    return found
