"""What is said of each dim: what it counts, its letters, how far it may go, and in which steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.explore.explored import Explored
from symparam.model import Model
from symparam.notation.notation import LatexWriter, Notation
from symparam.resolve import MAX_DIM
from symparam.run import RUN
from symparam.writers.mathml import MathmlWriter

#: What dims are counted in, by the beginnings of their names, the longest first.
UNITS = {"L": "layers", "V": "rows", "n_heads": "heads", "n_kv": "heads", "n_ctx": "positions",
         "n_experts": "experts", "top_k": "experts", "n_shared": "experts", "window": "tokens",
         "n_types": "rows", "s": "tokens", "b": "sequences", "d_": "numbers"}
#: Slots of a block that have a heading of their own, where all that uses a dim stands in one.
HEADINGS = {"attention": "Attention", "ffn": "Feed-forward"}
GENERAL, RUNNING = "Model", "At work"
#: A width goes in steps of a power of two that divides it, of at most this share of it.
SHARE = 32
#: A vocabulary goes in steps of so many rows.
ROWS = 1024


def dims_json(explored: Explored, notation: Notation, keys: Mapping[str, str]) -> dict[str, Any]:
    """Every dim that has a number, with what is to be known of it.

    Args:
        explored: the model.
        notation: how dims are written.
        keys: the keys that hold dims in the model's own configuration.
    """
    values = {name: value for name, value in explored.resolution.values.items()
              if name in explored.names and name not in RUN} | explored.run
    return {name: _dim(explored, name, value, notation, keys) for name, value in values.items()}


def _dim(explored: Explored, name: str, value: int, notation: Notation,
         keys: Mapping[str, str]) -> dict[str, Any]:
    model, symbol = explored.model, ex.Sym(name)
    dim = model.describe(name)
    return {
        "meaning": dim.meaning, "unit": unit_of(name), "group": _group(model, name),
        "value": value, "given": name in model.values, "step": step_of(name, value),
        "scale": "doubling" if name in RUN else "linear",
        "least": model.least(name), "most": RUN[name].most if name in RUN else MAX_DIM,
        "latex": LatexWriter(notation=notation).write(symbol),
        "mathml": str(MathmlWriter(notation=notation).write(symbol)),
        "aliases": list(dim.aliases), "key": keys.get(name),
        "defaults": [each.value for each in RUN[name].defaults] if name in RUN else []}


def unit_of(name: str) -> str:
    """What a dim is counted in.

    >>> unit_of("L_sparse"), unit_of("n_kv"), unit_of("d_model"), unit_of("n_groups")
    ('layers', 'heads', 'numbers', 'of them')
    """
    found = [start for start in UNITS if name == start or name.startswith(f"{start}_")
             or (start.endswith("_") and name.startswith(start))]
    return UNITS[max(found, key=len)] if found else "of them"


def step_of(name: str, value: int) -> int:
    """By how much a dim is usually changed.

    >>> [step_of(*dim) for dim in (("L", 32), ("d_model", 4096), ("d_ff", 11008), ("s", 4096))]
    [1, 128, 256, 4096]
    """
    if name in RUN:
        return value
    if name == "V" or name.startswith("V_"):
        return ROWS if value > ROWS else 1
    if not name.startswith("d_") and name not in {"window", "n_ctx"}:
        return 1
    step = 1
    while value % (2 * step) == 0 and 2 * step * SHARE <= value:
        step *= 2
    return step


def _group(model: Model, name: str) -> str:
    """The heading that a dim stands under."""
    if name in RUN:
        return RUNNING
    part = next((part for part in model.parts if name.endswith(f"_{part}")), "")
    if part:
        return part.capitalize()
    places = {slot.component.slot for _, slot in model.slots()
              if name in (*slot.dims, *slot.dims_at_work())}
    (place,) = places if len(places) == 1 else ("",)
    return HEADINGS.get(place, GENERAL)
