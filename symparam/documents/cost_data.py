"""What a model costs as JSON data, its numbers by name, and names for its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from symparam.derivation.pipeline import Link, pipeline
from symparam.documents.common.foundation import resting_data
from symparam.documents.cost_pictures import pictures_data
from symparam.ledger import Number
from symparam.notation.numbers import grouped
from symparam.quantities.cost import CacheRow, Cost, Counted
from symparam.quantities.parameters import in_words
from symparam.quantities.setting import COUNTED
from symparam.run import RUN
from symparam.writers.document import Named


def pipeline_of(c: Cost) -> tuple[Link, ...]:
    """The chain from a model's numbers to its data."""
    return pipeline(c.model, c.subject.setting.data, c.subject.setting.weights)


def cost_json(c: Cost) -> dict[str, Any]:
    """The cost as data: exact integers, fractions as text; sections not asked for are absent."""
    made: dict[str, Callable[[Cost], Any]] = {
        "weights": _weights, "cache": _cache, "flops": _flops, "pictures": pictures_data,
        "training": lambda c: [_counted(e) for e in c.training()],
        "memory": lambda c: [_counted(e) for e in c.memory()],
        "activations": lambda c: [_counted(e) for e in c.activations()],
        "data": _data, "fit": _fit}
    setting = c.subject.setting
    return {"model": c.model.name, "part": c.model.part, "parameters": c.parameters,
            "dims": {name: value for name, value in c.subject.dims.items() if name not in RUN},
            "run": {name: number(value) for name, value in setting.run.items()},
            "assumed": dict(c.assumed), "formats": {"weights": setting.weights.name,
                                                    "cache": setting.cache.name},
            **{section: made[section](c) for section in c.sections},
            "unset": c.subject.ledger.unset or None,
            "left_out": list(c.model.left_out), "remarks": list(c.beyond), **resting_data(c.model)}


def number(value: Number) -> int | str:
    """An exact number: an integer, or a fraction as text.

    >>> number(Fraction(4, 2)), number(Fraction(1, 3))
    (2, '1/3')
    """
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    return int(value)


def names_of(kept: Sequence[CacheRow]) -> Iterator[str]:
    """The component of each row of a cache, in words; with how far it sees, where another row is
    of the same."""
    names = [in_words(row.path.rpartition(".")[0]) for row in kept]
    often = Counter((name, row.what) for name, row in zip(names, kept, strict=True))
    windows = {row.window for row in kept if row.window is not None}
    for name, row in zip(names, kept, strict=True):
        seen = "full" if row.window is None else "window" if len(windows) == 1 else (
            f"window of {grouped(row.window)}")
        yield f"{name} ({seen})" if often[name, row.what] > 1 else name


def _weights(c: Cost) -> dict[str, Any]:
    groups = c.subject.setting.groups
    return {"bytes": {name: number(value) for name, value in c.weights().items()},
            "groups": None if groups is None else groups.size}


def _cache(c: Cost) -> dict[str, Any]:
    return {"bytes": number(c.value("kv_cache")), "per_token": number(c.value("kv_per_token")),
            "numbers_per_token": number(c.value("kv_elements")),
            "per_sequence": number(c.value("state")),
            "states": [{"path": row.path, "what": row.what, "layers": number(row.layers),
                        "numbers": number(row.each), "per": row.per,
                        "window": None if row.window is None else number(row.window),
                        "every": number(row.every), "bytes": number(row.value)}
                       for row in c.cache()]}


def _flops(c: Cost) -> dict[str, Any]:
    encoder = any(stack.stream == "encoder" for stack in c.model.stacks)
    return {"total": number(c.value("flops")), "attention": c.subject.setting.attention,
            "counted": COUNTED[c.subject.setting.attention],
            "per_token": None if encoder else number(c.value("flops_per_token")),
            "scans": number(c.value("flops_scans")),
            "components": [{"path": row.path, "weights": number(row.weights),
                            "products": number(row.products)} for row in c.work()]}


def _counted(e: Counted) -> dict[str, Any]:
    formula = e.quantity.formula()
    return {"name": e.quantity.name, "formula": None if formula is None else str(formula),
            "title": e.quantity.title, "kind": e.quantity.kind,
            "unit": e.quantity.unit, "value": None if e.value is None else number(e.value),
            "convention": e.quantity.convention, "source": e.quantity.source,
            "why_not": e.why_not or None}


def _data(c: Cost) -> dict[str, Any]:
    data = c.data()
    return {"tokens": number(data.tokens), "characters": number(data.characters),
            "shards_needed": data.shards_needed, "shards": data.shards,
            "disk": number(data.disk),
            "pipeline": [{"symbol": link.symbol, "expression": str(link.numbers.symbolic),
                          "substituted": str(link.numbers.substituted),
                          "value": number(link.numbers.result), "unit": link.unit,
                          "why": link.why, "source": link.source or None,
                          "status": link.status} for link in pipeline_of(c)]}


def _fit(c: Cost) -> list[dict[str, Any]]:
    return [{"what": fit.what, "device": fit.device.name, "memory": fit.device.memory,
             "bytes": number(fit.needed), "fits": fit.fits, "left": number(fit.left)}
            for fit in c.fits()]


def cost_named(c: Cost) -> tuple[Named, ...]:
    """The numbers that prose can cite, each by its name; those that a count names are left to it,
    so that both can be cited in one text."""
    of = c.model.name
    weights = c.value("weights")
    found = [Named(of, "weights", weights, "bytes of all weights", counts=False)] if (
        isinstance(weights, int)) else []
    for name in () if c.subject.ledger.unset else ("kv_cache", "kv_per_token", "flops"):
        value = c.value(name)
        if isinstance(value, int):
            found.append(Named(of, name.replace("_", " "), value, name, counts=False))
    if "training" in c.sections:
        for each in c.training():
            if isinstance(each.value, int):
                found.append(Named(of, each.quantity.name.replace("_", " "), each.value,
                                   each.quantity.convention, counts=False))
    return tuple(found)
