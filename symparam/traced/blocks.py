"""Rows into blocks: stacks with slots, each slot a component whose matrices are rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.ledger import Role
from symparam.stack import Repeat, Slot, Stack
from symparam.traced.component import FoundComponent, Listed, Listing
from symparam.traced.lifted import Lifted, free
from symparam.traced.names import letter
from symparam.traced.places import TOLD, Place, frame_of, place_of
from symparam.traced.records import TracedRow
from symparam.traced.tables import is_table, tables_of

#: Names of dims that stand for what a module works out, by the kind of part that needs them.
_WIDTHS = {"ffn": ("d_ff", "inner width of the feed-forward network"),
           "attention": ("d_attention", "width of an attention's heads together")}
_TITLES = {"token": "token embedding", "positions": "positions", "head": "head"}
_LETTERS = {"token": "E", "positions": "P", "head": "U"}
#: Rows whose matrices the whole model shares: one stack for each, whatever they stand in.
_STACKS = {"token": "embedding", "positions": "embedding", "head": "head", "norm": "final_norm"}


#: What tells layers of a kind from others, best first; a norm tells least.
_TELLING = {"sparse": -3, "attention": -2, "cross_attention": -1, "ffn": 0, "norm": 2}


@dataclass(frozen=True)
class _Placed:
    """A row with its place; its shape and its copies are polynomials."""

    row: TracedRow
    place: Place


@dataclass
class _Block:
    """A stack in the making."""

    name: str
    prefix: str
    repeat: ex.Expr | None
    slots: dict[str, list[_Placed]] = field(default_factory=dict)


def stacks_of(rows: tuple[TracedRow, ...], lifted: Lifted, source: str) -> tuple[Stack, ...]:
    """The stacks that rows make, in the order of their first rows.

    Args:
        rows: what a trace found.
        lifted: takes the dims that shapes need.
        source: where they come from, in words.
    """
    tables = tables_of(rows)
    frame = frame_of(rows)
    found = [_Placed(row, place_of(row, tables.kind(row.pattern), frame)) for row in rows]
    lifted.note(extent for row in rows for extent in row.shape)
    words = _words(found)
    placed = [_polynomial(each, lifted, words) for each in found]
    blocks = _blocks(placed)
    made = [(block, {path: _listed(path, inside) for path, inside in block.slots.items()})
            for block in blocks]
    paths: dict[str, str] = {}
    for block, slots in made:
        for path, matrices in slots.items():
            for each, listed in zip(block.slots[path], matrices, strict=True):
                if each.row.tied_to is None:
                    paths.setdefault(each.row.pattern, f"{block.name}.{path}.{listed.name}")
    return tuple(_stack(block, slots, paths, source) for block, slots in made)


def _words(found: Iterable[_Placed]) -> dict[tuple[ex.Expr | None, str], tuple[str, str]]:
    """What layers of a kind are called, and what is to be said of them: by what tells them most.

    Kinds are told by how often they stand, and by which layers are of them.
    """
    best: dict[tuple[ex.Expr | None, str], tuple[int, str, str]] = {}
    for each in found:
        place, row = each.place, each.row
        word = "sparse" if "expert" in row.pattern else place.kind
        own = (_TELLING.get(word, 1), "_".join(filter(None, (word, place.scope))), row.numbers)
        key = (place.repeat, place.prefix)
        best[key] = min(best.get(key, own), own, key=lambda it: it[0])
    return {key: (word, numbers) for key, (_, word, numbers) in best.items()}


def _polynomial(each: _Placed, lifted: Lifted,
                words: Mapping[tuple[ex.Expr | None, str], tuple[str, str]]) -> _Placed:
    """A row whose shape and copies are polynomials, what is none being a dim of its own."""
    row, place = each.row, each.place
    name, meaning = _WIDTHS.get(place.kind, (f"d_{_word(place)}", f"a width of {_word(place)}"))
    shape = tuple(lifted.polynomial(extent, name, meaning) for extent in row.shape)
    inner = tuple((what, lifted.polynomial(count, f"n_{_identifier(what)}", f"number of {what}"))
                  for what, count in place.inner)
    repeat = place.repeat
    if repeat is not None and not isinstance(repeat, (ex.Num, ex.Sym)):
        what, numbers = words[repeat, place.prefix]
        has = "experts" if what.startswith("sparse") else what.replace("_", " ")
        repeat = lifted.named(repeat, f"L_{what}", f"number of layers that have {has}"
                              f"{f': {numbers}' if numbers else ''}")
    return _Placed(replace(row, shape=shape), replace(place, repeat=repeat, inner=inner))


def _word(place: Place) -> str:
    if place.kind not in {"own", "norm"}:
        return place.kind
    return place.scope or _identifier(place.inside[0])


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "x"


def _blocks(placed: Iterable[_Placed]) -> list[_Block]:
    found: dict[tuple[str, ...], _Block] = {}
    names: list[str] = []
    for each in placed:
        place, key = each.place, _key(each)
        if key not in found:
            found[key] = _Block(free(_stack_name(place), names), _prefix(place), place.repeat)
            names.append(found[key].name)
        block = found[key]
        block.slots.setdefault(_slot(each, block), []).append(each)
    return list(found.values())


def _key(each: _Placed) -> tuple[str, ...]:
    """What rows of one block have alike."""
    place, row = each.place, each.row
    if place.repeat is None:
        return ("", _stack_name(place))
    return (place.prefix, str(place.repeat), row.numbers)


def _stack_name(place: Place) -> str:
    """``layers``, ``encoder``, ``embedding``, ``vision_embedding``."""
    if place.repeat is not None:
        kind = str(place.repeat).partition("_")[2] if isinstance(place.repeat, ex.Sym) else ""
        kind = "" if kind in (place.scope, *place.scope.split("_")) else kind
        return f"{place.scope or 'layers'}{f'[{kind}]' if kind else ''}"
    if (own := _STACKS.get(place.kind)) is not None:
        return f"{place.scope}_{own}" if place.scope else own
    return place.scope or _identifier(place.inside[0])


def _prefix(place: Place) -> str:
    return place.prefix if place.repeat is not None else ""


def _slot(each: _Placed, block: _Block) -> str:
    """The path of the slot that a row is listed in."""
    place = each.place
    if place.kind == "norm":
        return "norm" if place.repeat is None else f"norms.{_identifier(place.inside[0])}"
    return place.kind if place.kind != "own" else "own"


def _listed(path: str, inside: list[_Placed]) -> list[Listed]:
    """The matrices of one slot, each under a name that no other there has."""
    found: list[Listed] = []
    for each in inside:
        name = free(_matrix_name(each), [m.name for m in found])
        found.append(_matrix(each, name))
    return found


def _matrix(each: _Placed, name: str) -> Listed:
    row, place = each.row, each.place
    shape, inner = row.shape, place.inner
    if not inner and len(shape) > 1 and _is_experts(shape[0]) and "expert" in row.pattern:
        inner, shape = (("bank", shape[0]),), shape[1:]  # all experts in one tensor
    tensor = ".".join(place.inside) if place.repeat is not None else row.pattern
    return Listed(name, shape, tensor, _role(each, len(shape)), row.status, None, inner)


def _is_experts(extent: ex.Expr) -> bool:
    return isinstance(extent, ex.Sym) and extent.name.startswith("n_experts")


def _role(each: _Placed, rank: int) -> Role:
    row, leaf = each.row, each.place.inside[-1]
    if (is_table(row) and rank == 2) or each.place.kind == "positions":
        return "embedding"
    if leaf.endswith("bias"):
        return "bias"
    if rank <= 1:
        return "gain"
    return "convolution" if "Conv" in row.module or rank > 2 else "matmul"


#: Matrices of a gated network, of which experts have one each.
_GATED = frozenset({"gate", "up", "down", "gate_up"})
_STEM = re.compile(r"^(?:(?P<stem>.+)_)?(?P<what>weight|bias)(?:_(?P<after>.+))?$")


def _matrix_name(each: _Placed) -> str:
    """``W_Q`` for ``q_proj.weight``, ``b_up`` for ``fc1.bias``, a parameter by its own name."""
    place = each.place
    words = place.inside if place.repeat is not None else tuple(each.row.pattern.split("."))
    leaf = words[-1]
    if place.kind == "norm" and leaf in {"weight", "bias"}:
        return "gain" if leaf == "weight" else "shift"
    match = _STEM.match(leaf)
    if match is None or (match["stem"] and match["after"]):
        bank = letter(place.kind, leaf) if "expert" in each.row.pattern else ""
        return f"X_{bank}" if bank in _GATED else _identifier(leaf)
    mark = "b" if match["what"] == "bias" else "W"
    module = match["stem"] or next((w for w in reversed(words[:-1]) if w != "*"),
                                      each.row.module.lower() or "own")
    module = "intermediate" if module == "dense" and "intermediate" in words else module
    own = _LETTERS.get(place.kind) or letter(place.kind, module)
    if own == "gate" and each.row.shape and _is_experts(each.row.shape[0]):
        own = "router"
    if "Norm" in each.row.module:
        mark = "g" if mark == "W" else "b"
    elif own in _GATED and any("expert" in word for word in words):
        mark = "S" if any("shared" in word for word in words) else "X"
    return "_".join(filter(None, (mark, own, _identifier(match["after"]) if match["after"] else
                                  "")))


def _stack(block: _Block, slots: Mapping[str, list[Listed]], paths: Mapping[str, str],
           source: str) -> Stack:
    made = []
    for path, matrices in slots.items():
        tied = [replace(m, tied_to=paths.get(each.row.tied_to) if each.row.tied_to else None)
                for m, each in zip(matrices, block.slots[path], strict=True)]
        kind = block.slots[path][0].place.kind
        part = "own" if kind == "own" and block.name in TOLD else (
            block.name if kind == "own" else kind)
        listing = Listing(part, _title(kind, block, path),
                          source, tuple(tied))
        made.append(Slot(path, FoundComponent(listing=listing), prefix=""))
    repeat = None if block.repeat is None else Repeat.times(block.repeat)
    return Stack(block.name, tuple(made), repeat, block.prefix)


def _title(kind: str, block: _Block, path: str) -> str:
    """How a component is named in text."""
    first = block.slots[path][0]
    if kind == "norm":
        return first.row.module or "norm"
    if kind in _TITLES:
        return f"{first.place.scope.replace('_', ' ')} {_TITLES[kind]}".lstrip()
    if block.repeat is None:
        return block.name.replace("_", " ")
    if kind != "ffn":
        return kind.replace("_", " ")
    words = dict.fromkeys(each.place.inside[0] for each in block.slots[path])
    return " ".join(word for word in words if not word.isdigit()) or "mlp"
