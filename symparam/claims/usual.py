"""Which numbers of a dim are usual: those of published models, and round multiples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from symparam.claims.along import Found, Line
from symparam.dataclass import dataclass
from symparam.descriptions import catalogue
from symparam.errors import some

#: Steps whose multiples are usual for widths and vocabularies, the roundest first.
STEPS = (4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8)
#: How many usual numbers of an interval are named.
MOST = 4
#: How many published models are named for one number.
MODELS = 2


@dataclass(frozen=True)
class Usual:
    """A number of an interval that is usual.

    Attributes:
        value: the number.
        why: ``llama-3-8b``, ``a multiple of 256``.
        shape: how many published models of the same width have it.
    """

    value: int
    why: str
    shape: int = 0


@cache
def _published() -> tuple[tuple[str, dict[str, int]], ...]:
    return tuple(catalogue.stated())


def usual(line: Line, found: Found, dims: Mapping[str, int]) -> tuple[Usual, ...]:
    """The usual numbers among those found, those of published models of that shape first.

    Args:
        line: the measure over the dim, which says what the architecture allows.
        found: the numbers at which it is right.
        dims: the model's dims, whose width and depth are its shape.
    """
    models = _of_models(line.name, found, dims)
    rounds = _multiples(line.name, found) if line.name.startswith(("d_", "V", "n_ctx")) else ()
    kept: dict[int, Usual] = {}
    for each in (*models, *rounds):
        if each.value not in kept and line.allowed(each.value) is not None:
            kept[each.value] = each
        if len(kept) == MOST:
            break
    return tuple(kept.values())


def _of_models(name: str, found: Found, dims: Mapping[str, int]) -> list[Usual]:
    """Numbers of published models, of those with the same width first."""
    like = "L" if name == "d_model" else "d_model"
    groups: dict[int, list[str]] = {}
    shape: set[int] = set()
    for model, stated in _published():
        value = stated.get(name)
        if value is None or not found.has(value):
            continue
        same = stated.get(like) is not None and stated.get(like) == dims.get(like)
        if same and value not in shape:
            shape.add(value)
            groups[value] = []
        if same or value not in shape:
            groups.setdefault(value, []).append(model)
    own = sorted(shape, key=lambda v: (-len(groups[v]), abs(v - found.nearest)))
    others = sorted(set(groups) - shape, key=lambda v: (-len(groups[v]), abs(v - found.nearest)))
    return [Usual(v, some(groups[v], MODELS), len(groups[v]) * (v in shape))
            for v in (*own, *others[:MOST])]


def _multiples(name: str, found: Found) -> list[Usual]:
    """Multiples of the roundest step that has any in the interval, the nearest first."""
    if found.scattered:
        return _scattered(found)
    for step in STEPS:
        low = -(-found.low // step) * step
        if low <= found.high:
            centre = min(max(round(found.nearest / step) * step, low), found.high // step * step)
            near = [x for x in (centre, centre - step, centre + step)
                    if found.low <= x <= found.high]
            return [Usual(x, f"a multiple of {step}") for x in near]
    return []


def _scattered(found: Found) -> list[Usual]:
    """As :func:`_multiples`, of numbers that are no interval."""
    for step in STEPS:
        held = [x for x in found.scattered if x % step == 0]
        if held:
            held.sort(key=lambda x: abs(x - found.nearest))
            return [Usual(x, f"a multiple of {step}") for x in held[:3]]
    return []
