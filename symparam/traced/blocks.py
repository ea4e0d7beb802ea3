"""Rows into blocks: stacks with slots, each slot a component whose matrices are rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.ledger import Stream
from symparam.stack import Order, Repeat, Slot, Stack
from symparam.traced.component import FoundComponent, Listed, Listing
from symparam.traced.exact import Settled
from symparam.traced.lifted import Given, Lifted
from symparam.traced.listing import matrices_of, work_of
from symparam.traced.orders import order_of
from symparam.traced.parts import Parts
from symparam.traced.placed import Placed, identifier, lifted_row, placed_entry, tensors, words_of
from symparam.traced.places import TOLD, Place, frame_of, place_of
from symparam.traced.records import TracedRow, Work
from symparam.traced.tables import tables_of
from symparam.traced.worked import Use, entries_of, uses_of

_TITLES = {"token": "token embedding", "positions": "positions", "head": "head"}
#: Rows whose matrices the whole model shares: one stack for each, whatever they stand in.
_STACKS = {"token": "embedding", "positions": "embedding", "head": "head", "norm": "final_norm"}


@dataclass
class _Block:
    """A stack in the making."""

    name: str
    prefix: str
    repeat: ex.Expr | None
    part: str = ""
    order: Order | None = None
    slots: dict[str, list[Placed]] = field(default_factory=dict)


def stacks_of(rows: tuple[TracedRow, ...], lifted: Lifted, source: str,
              work: Work | None = None, parts: Parts | None = None,
              settled: Settled | None = None) -> tuple[Stack, ...]:
    """The stacks that rows make, in the order of their first rows.

    Args:
        rows: what a trace found.
        lifted: takes the dims that shapes need.
        source: where they come from, in words.
        work: what they multiply and what is kept, where that is known.
        parts: the parts of a composite; no stack is of two.
        settled: what holds wherever forward passes were made.
    """
    placed = _placed(rows, lifted, work, settled)
    blocks = _blocks(placed, parts or Parts({}, {}), lifted.taken)
    made = [(block, {path: matrices_of(path, inside) for path, inside in block.slots.items()})
            for block in blocks]
    paths: dict[str, str] = {}
    for block, slots in made:
        for path, matrices in slots.items():
            for each, listed in zip(tensors(block.slots[path]), matrices, strict=True):
                if each.row.tied_to is None:
                    paths.setdefault(each.row.pattern, f"{block.name}.{path}.{listed.name}")
    keeping = {each.place.prefix for each in placed if each.entry is not None
               and each.entry.row.kind == "state"}
    return tuple(_stack(block, slots, paths, source, keeping) for block, slots in made)


def _placed(rows: tuple[TracedRow, ...], lifted: Lifted, work: Work | None,
            settled: Settled | None) -> list[Placed]:
    """Rows, then products and states, in their places."""
    tables = tables_of(rows)
    frame = frame_of(rows)
    uses = uses_of(rows, work, settled) if work is not None else [Use(ex.Num(1))] * len(rows)
    found = [Placed(row, place_of(row, tables.kind(row.pattern), frame), use, work is not None)
             for row, use in zip(rows, uses, strict=True)]
    lifted.note(extent for row in rows for extent in row.shape)
    words = words_of(found)
    placed = [lifted_row(each, lifted, words) for each in found]
    entries = [placed_entry(each, frame) for each in entries_of(work)] if work is not None else []
    words = {**words_of(entries), **words}
    return placed + [lifted_row(each, lifted, words) for each in entries]


def _blocks(placed: Iterable[Placed], parts: Parts, known: Collection[str]) -> list[_Block]:
    found: dict[tuple[str, ...], _Block] = {}
    names = Given()
    for each in placed:
        place, part = each.place, parts.of(each.row.pattern)
        key = (part, *_key(each))
        if key not in found:
            found[key] = _Block(names.free(_stack_name(place)), _prefix(place), place.repeat,
                                part, Order() if place.repeat is None else
                                order_of(each.row.numbers, known))
        block = found[key]
        block.slots.setdefault(_slot(each, block), []).append(each)
    return list(found.values())


def _key(each: Placed) -> tuple[str, ...]:
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
        own = "embedding" if place.kind == "norm" and "embed" in place.prefix.lower() else own
        return f"{place.scope}_{own}" if place.scope else own
    return place.scope or identifier(place.inside[0])


def _prefix(place: Place) -> str:
    return place.prefix if place.repeat is not None else ""


def _slot(each: Placed, block: _Block) -> str:
    """The path of the slot that a row is listed in."""
    place = each.place
    if place.kind == "norm":
        return "norm" if place.repeat is None else f"norms.{identifier(place.inside[0])}"
    return place.kind if place.kind != "own" else "own"


def _stack(block: _Block, slots: Mapping[str, list[Listed]], paths: Mapping[str, str],
           source: str, keeping: Collection[str]) -> Stack:
    made = []
    for path, matrices in slots.items():
        inside = block.slots[path]
        tied = [replace(m, tied_to=paths.get(each.row.tied_to) if each.row.tied_to else None)
                for m, each in zip(matrices, tensors(inside), strict=True)]
        kind = inside[0].place.kind
        part = "own" if kind == "own" and block.name in TOLD else (
            block.name if kind == "own" else kind)
        listing = Listing(part, _title(kind, block, path), source, tuple(tied),
                          tuple(work_of(path, inside)))
        made.append(Slot(path, FoundComponent(listing=listing), prefix=""))
    repeat = None if block.repeat is None else Repeat.times(block.repeat)
    return Stack(block.name, tuple(made), repeat, block.prefix, stream=_stream(slots.values()),
                 causal=_causal(block, keeping), part=block.part, order=block.order)


def _stream(slots: Iterable[Iterable[Listed]]) -> Stream | None:
    """What a block is applied to, where all that it multiplies is applied to the same."""
    streams = {row.stream for rows in slots for row in rows if row.times != ex.Num(0)}
    return "encoder" if streams == {"encoder"} else None


def _causal(block: _Block, keeping: Collection[str]) -> bool:
    """Whether a token sees itself and what is before it alone: keys are kept in such layers, and
    where nothing is kept nobody knows."""
    products = any(each.entry is not None and each.entry.row.kind == "product"
                   for inside in block.slots.values() for each in inside)
    return not products or block.prefix in keeping


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
