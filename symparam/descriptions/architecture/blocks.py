"""The kinds of block that a description states: their components, norms and windows."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from symparam.component import Component
from symparam.components import find
from symparam.dataclass import dataclass
from symparam.descriptions.architecture.placed import Bounded
from symparam.descriptions.options import NORM_PLACES, norm_slots
from symparam.descriptions.reading.source import DataTable, guarded, shown
from symparam.dims import AMBIGUOUS, TOTAL, canonical, standard
from symparam.errors import the
from symparam.resolve import whole_number
from symparam.stack import Slot

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class Kind:
    """One kind of block: its table, its name among several, its slots."""

    table: DataTable
    name: str
    slots: tuple[Slot, ...]
    window: Bounded | None = None

    @property
    def sliding(self) -> str:
        """The dim that says how many layers of this kind have a window."""
        return f"L_window_{self.name}" if self.name else "L_window"

    @property
    def count(self) -> str:
        """The dim that says how many layers are of this kind."""
        return f"L_{self.name}" if self.name else "L"


def kinds_of(top: DataTable) -> list[Kind]:
    """The kinds of block, each with a name of its own where there are several.

    Raises:
        SpecError: what is wrong, with the path into the description.
    """
    tables = top.tables("blocks")
    kinds = []
    for table in tables:
        name = table.text("name", "")
        if len(tables) > 1 and not _NAME.fullmatch(name):
            raise table.error("name", "each of several kinds of block needs a name of letters, "
                              f"digits and _, found {shown(name)}")
        mixes = "mixer" in table
        slots = tuple(slot for key in ("attention", "mixer", "ffn")
                      if (key in table or not (mixes or key == "mixer"))
                      and (slot := _component(table, key, key)) is not None)
        slots += _norms(table)
        own = name if len(tables) > 1 else ""
        kinds.append(Kind(table, own, slots, _window(table, own)))
    names = [kind.name for kind in kinds]
    for kind in kinds:
        if names.count(kind.name) > 1:
            raise kind.table.error("name", f"two kinds of block are called {kind.name}")
    return kinds


def _norms(table: DataTable) -> tuple[Slot, ...]:
    slot = the(Slot, _component(table, "norm", "norm"))
    value = table.raw("norm")
    count = table.table("norm").integer("per_block", 2) if isinstance(value, dict) else 2
    if count not in NORM_PLACES:
        raise table.error("norm.per_block", f"a block has 1, 2 or 4 norms, found {count}")
    return tuple(replace(s, bound=slot.bound) for s in norm_slots(slot.component, count))


def _component(table: DataTable, key: str, slot: str) -> Slot | None:
    """The component that ``key = { kind = ..., option = ... }`` names; None for kind none."""
    value = table.raw(key)
    below = DataTable(table.where, {"kind": value} if isinstance(value, str) else value,
                  table.below(key))
    kind = below.text("kind")
    if kind == "none" and slot != "norm":
        below.finish()
        return None
    cls = guarded(below, "kind", lambda: find(slot, kind))
    bound = _bound(below.table("dims", {}), cls)
    known = {"kind", "dims", {"norm": "per_block", "attention": "window"}.get(slot, "kind")}
    options = {k: v for k, v in below.data.items() if k not in known}
    return Slot(key, guarded(below, "", lambda: cls.make(options)), bound=bound)


def _window(table: DataTable, kind: str) -> Bounded | None:
    """The window of a block or its attention: a dim, a length, or either with some layers."""
    value = table.raw("attention", "none")
    inside = isinstance(value, dict) and "window" in value
    if "window" in table and (inside or value == "none" or (
            isinstance(value, dict) and value.get("kind") == "none")):
        raise table.error("window", "it is said of the attention already" if inside
                          else "a window is of an attention, and there is none")
    if not inside and "window" not in table:
        return None
    below = table.table("attention") if inside else table
    if not isinstance(below.raw("window"), dict):
        return Bounded(below, *_length(below, "window", kind))
    stated = below.table("window")
    size, number = _length(stated, "size", kind)
    keys = [key for key in ("layers", "except") if key in stated]
    if len(keys) > 1:
        raise stated.error("except", "say which layers have the window, or which have not")
    for key in keys:
        stated.raw(key)
    stated.finish()
    return Bounded(stated, size, number, keys[0] if keys else "")


def _length(table: DataTable, key: str, kind: str) -> tuple[str, int | None]:
    """The dim that is a window's length, with the number where that stands in its place."""
    value = table.raw(key)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise table.error(key, "expected a number of tokens or the name of a dim, found "
                          f"{shown(value)}")
    if isinstance(value, str):
        return dim_name(table, key), None
    name = f"window_{kind}" if kind else "window"
    return name, guarded(table, key, lambda: whole_number(name, value))


def dim_name(table: DataTable, key: str) -> str:
    """A key's value, which names a dim."""
    target = table.text(key)
    total = target == TOTAL.name or target.startswith(f"{TOTAL.name}_")
    if not _NAME.fullmatch(target) or total or target in AMBIGUOUS:
        hint = AMBIGUOUS.get(target, f"expected the name of a dim, found {shown(target)}")
        raise table.error(key, hint)
    return target


def _bound(table: DataTable, cls: type[Component]) -> dict[str, str]:
    known = {dim.name for dim in cls.dims}
    bound: dict[str, str] = {}
    for key in table.data:
        own, target = guarded(table, key, partial(canonical, key)), dim_name(table, key)
        if own not in known:
            raise table.error(key, f"{cls.title} has the dims {', '.join(sorted(known))}")
        bound[own] = standard(target)
    return bound
