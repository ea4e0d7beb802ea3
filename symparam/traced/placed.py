"""Rows, products and states in their places, what is no polynomial in them a dim of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.traced.lifted import Lifted
from symparam.traced.places import Place, place_of
from symparam.traced.records import TracedRow
from symparam.traced.worked import Entry, Use

#: Names of dims that stand for what a module works out, by the kind of part that needs them.
_WIDTHS = {"ffn": ("d_ff", "inner width of the feed-forward network"),
           "attention": ("d_attention", "width of an attention's heads together")}
#: What layers have that are told by a word.
_HAVE = {"sparse": "experts", "window": "a window", "full": "full attention"}

#: What tells layers of a kind from others, best first; a norm tells least.
_TELLING = {"window": -4, "full": -4, "sparse": -3, "attention": -2, "cross_attention": -1,
            "ffn": 0, "norm": 2}


@dataclass(frozen=True)
class Placed:
    """A row with its place; its shape and its copies are polynomials.

    Attributes:
        row: a tensor, or what stands for a product or a state.
        place: where it stands.
        use: how often a tensor is used.
        known: whether anybody looked.
        entry: the product or the state, where it is one.
    """

    row: TracedRow
    place: Place
    use: Use = Use(ex.Num(1))
    known: bool = False
    entry: Entry | None = None


def placed_entry(entry: Entry, frame: str) -> Placed:
    """A product or a state where its module stands."""
    row = TracedRow(entry.row.pattern, entry.row.shape, entry.row.copies,
                    numbers=entry.row.numbers)
    return Placed(row, place_of(row, "", frame), entry=entry)


def tensors(inside: Iterable[Placed]) -> list[Placed]:
    """Those that are tensors."""
    return [each for each in inside if each.entry is None]


def words_of(found: Iterable[Placed]) -> dict[tuple[ex.Expr | None, str], tuple[str, str]]:
    """What layers of a kind are called, and what is to be said of them: by what tells them most.

    Kinds are told by how often they stand, and by which layers are of them.
    """
    best: dict[tuple[ex.Expr | None, str], tuple[int, str, str]] = {}
    for each in found:
        place, row = each.place, each.row
        word = "sparse" if "expert" in row.pattern else (
            place.kind if each.entry is None else _bound(each.entry) or place.kind)
        own = (_TELLING.get(word, 1), "_".join(filter(None, (word, place.scope))), row.numbers)
        key = (place.repeat, place.prefix)
        best[key] = min(best.get(key, own), own, key=lambda it: it[0])
    return {key: (word, numbers) for key, (_, word, numbers) in best.items()}


def _bound(entry: Entry) -> str:
    """What tells layers apart of which some have a window."""
    return "window" if entry.window is not None else (
        "full" if entry.over == "keys" or entry.row.kind == "state" else "")


def lifted_row(each: Placed, lifted: Lifted,
                words: Mapping[tuple[ex.Expr | None, str], tuple[str, str]]) -> Placed:
    """A row whose shape and copies are polynomials, what is none being a dim of its own."""
    row, place = each.row, each.place
    name, meaning = _WIDTHS.get(place.kind, (f"d_{_word(place)}", f"a width of {_word(place)}"))
    shape = tuple(lifted.polynomial(extent, name, meaning) for extent in row.shape)
    inner = tuple((what, lifted.polynomial(count, f"n_{identifier(what)}", f"number of {what}"))
                  for what, count in place.inner)
    repeat = place.repeat
    if repeat is not None and not isinstance(repeat, (ex.Num, ex.Sym)):
        what, numbers = words[repeat, place.prefix]
        has = _HAVE.get(what.partition("_")[0], what.replace("_", " "))
        repeat = lifted.named(repeat, f"L_{what}", f"number of layers that have {has}"
                              f"{f': {numbers}' if numbers else ''}")
    use = replace(each.use, times=lifted.polynomial(
        each.use.times, "n_uses", "how often a weight is used"),
        active=None if each.use.active is None else lifted.polynomial(
            each.use.active, "n_active", "experts that a token is multiplied with"))
    entry = each.entry
    if entry is not None and entry.window is not None:
        entry = replace(entry, window=lifted.polynomial(
            entry.window, "window", "tokens that are seen at most"))
    return replace(each, row=replace(row, shape=shape), use=use, entry=entry,
                   place=replace(place, repeat=repeat, inner=inner))


def _word(place: Place) -> str:
    if place.kind not in {"own", "norm"}:
        return place.kind
    return place.scope or identifier(place.inside[0])


def identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "x"
