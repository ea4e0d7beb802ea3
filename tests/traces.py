"""Traces held against what is built: an oracle that reads modules and rows in a way of its own."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from symparam import expression as ex
from symparam.constraints import Compares, Standing
from symparam.errors import SymparamError
from symparam.traced.records import Assumption, Key, Trace, TracedRow

#: Name, shape and status of a tensor.
Seen = tuple[str, tuple[int, ...], str]
#: Makes the tensors of a point, by the paths of keys; raises where it is refused.
Made = Callable[[Mapping[tuple[str | int, ...], Any]], list[Seen]]
#: Assumptions whose dims a point may not move.
BINDING = frozenset("pinned number held tied existence disagrees depth copies".split())


def tensors(module: Any) -> list[Seen]:
    """What a module's state dict holds, ties too."""
    import torch

    trained = {name: p.requires_grad for name, p in module.named_parameters(remove_duplicate=False)}
    return [(name, tuple(value.shape),
             "buffer" if name not in trained else "trainable" if trained[name] else "frozen")
            for name, value in module.state_dict().items() if isinstance(value, torch.Tensor)]


def as_taken(base: Mapping[Any, Any], values: Mapping[Any, Any]) -> dict[Any, Any]:
    """A point as a target takes it: a fraction where it has one, though its key is whole."""
    return {path: float(value) if isinstance(base.get(path), float) else value
            for path, value in values.items()}


def fault(found: Trace, dims: Mapping[str, int], seen: list[Seen]) -> str:
    """The first tensor that rows and a module do not agree on at a point; empty where none."""
    left: Counter[tuple[str, tuple[int, ...], str]] = Counter()
    for row in found.rows:
        left[row.pattern, tuple(map(int, (ex.evaluate(a, dims) for a in row.shape))),
             row.status] += copies(row, dims)
    patterns = sorted(left, key=lambda each: each[0].count("*"))
    regular = {p: re.compile(re.escape(p).replace(r"\*", r"\d+")) for p, _, _ in patterns}
    for name, shape, status in seen:
        hit = next((each for each in patterns if each[1:] == (shape, status) and left[each] > 0
                    and regular[each[0]].fullmatch(name)), None)
        if hit is None:
            return f"built and not said: {name} {list(shape)} {status}"
        left[hit] -= 1
    return next((f"said and not built: {p} {list(s)} {status}" for (p, s, status), n in
                 left.items() if n), "")


def copies(row: TracedRow, dims: Mapping[str, int]) -> int:
    """How many tensors a row has at a point."""
    found = 1
    for factor in row.copies:
        found *= ex.evaluate(factor, dims)
    return found


def told(found: Trace) -> list[Assumption]:
    """What a trace assumes besides that nothing begins beyond what was built."""
    return [a for a in found.assumptions if a.kind != "range"]


def bound(found: Trace) -> frozenset[str]:
    """The dims that an assumption keeps where they are."""
    return frozenset(key for a in found.assumptions if a.kind in BINDING for key in a.keys)


def free(found: Trace, structure: bool) -> list[Key]:
    """The keys that may be moved without breaking an assumption."""
    kinds = ("size", "structure", "inert") if structure else ("size", "inert")
    kept = bound(found)
    return [key for key in found.keys if key.kind in kinds and key.name not in kept
            and type(key.base) is int and (key.base > 0 or (key.base == 0 and key.kind != "inert"))]


def drawn(found: Trace, rng: random.Random, structure: bool, share: float) -> dict[str, int]:
    """Numbers for all dims: some keys moved, each on its own, the rest as they are.

    Widths are multiples of one number that has many divisors, or of none; counts are divisors of
    it, or any; layers are few.
    """
    dims = {key.name: key.base for key in found.keys if type(key.base) is int}
    unit = rng.choice((12, 24, 30, 36, 40, 60, 84))
    tidy = rng.random() < .7
    for key in free(found, structure):
        assert isinstance(key.base, int)
        if rng.random() > share:
            continue
        if key.kind == "structure":
            dims[key.name] = rng.randint(1, 6)
        elif key.base > 48:
            dims[key.name] = unit * rng.randint(4, 70) if tidy else rng.randint(100, 3000)
        else:
            dims[key.name] = rng.choice([d for d in range(1, unit + 1) if unit % d == 0 and d < 25]
                                        ) if tidy else rng.randint(1, 16)
    for equation in found.equations:
        if equation.standing is Standing.DEFINITION:
            dims[equation.dim] = equation.value(dims)
    for group in equal(found):
        dims |= dict.fromkeys(group, dims[rng.choice(group)])
    return dims


def equal(found: Trace) -> list[list[str]]:
    """Dims that checks say are equal, in groups."""
    groups: list[set[str]] = []
    for check in found.checks:
        if isinstance(check, Compares) and check.sign == "=" and isinstance(
                check.left, ex.Sym) and isinstance(check.right, ex.Sym):
            pair = {str(check.left), str(check.right)}
            groups = [*(g for g in groups if not g & pair),
                      pair.union(*(g for g in groups if g & pair))]
    return [sorted(group) for group in groups]


def allowed(found: Trace, dims: Mapping[str, int]) -> bool:
    """Whether the checks of a trace let a point pass; an answer refuses a number of layers below 0
    as well."""
    try:
        for check in found.checks:
            check.check(dims)
    except SymparamError:
        return False
    return all(ex.evaluate(factor, dims) >= 0 for row in found.rows for factor in row.copies)


def points(found: Trace, made: Made, seed: str, structure: bool, wanted: int = 20,
           tries: int = 400) -> Iterator[tuple[dict[str, int], str]]:
    """Points that are accepted, each with what rows and the module disagree on."""
    rng, count = random.Random(f"oracle {seed} {structure}"), 0
    for attempt in range(tries):
        dims = drawn(found, rng, structure, share=(.9, .6, .3, .15)[attempt % 4])
        if not allowed(found, dims):
            continue
        values = {key.path: dims.get(key.name, key.base) for key in found.keys
                  if isinstance(key.base, (int, float)) and key.kind != "switch"}
        try:
            seen = made(values)
        except Exception:  # whatever a constructor raises: the point is refused
            continue
        yield dims, fault(found, dims, seen)
        count += 1
        if count == wanted:
            return


def faults(found: Trace, made: Made, seed: str = "", wanted: int = 20
           ) -> tuple[int, int, list[str]]:
    """How many points were held against rows: of sizes, of structure too, and what was wrong."""
    alone = list(points(found, made, seed, structure=False, wanted=wanted))
    both = list(points(found, made, seed, structure=True, wanted=wanted))
    return len(alone), len(both), [wrong for _, wrong in alone + both if wrong]
