"""A model's count over arrays of dims, exactly: integers that could overflow are Python's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from symparam.constraints import Equation, Standing
from symparam.errors import BadValue, MissingDims
from symparam.grammar import Rule
from symparam.model import Model
from symparam.resolve import with_overrides

_LARGEST = 2**63 - 1
_FILLING = (Standing.ASSUMED, Standing.DEFINITION, Standing.DEFAULT, Standing.INVERSE)


def evaluate(model: Model, overrides: Mapping[str, Any]) -> Any:
    """The total over a grid of dims, broadcast as NumPy does; one ``int`` without arrays.

    Dims follow the rules of an override: those that the model derives by rule follow.

    Args:
        model: the model.
        overrides: dims as integers or integer arrays, under their standard names.

    Returns:
        An ``int64`` array, or one of Python integers where a count could pass 2^63 - 1.

    Raises:
        BadValue: an array that is not of whole positive numbers, or a rule that is not whole
            at some point. MissingDims: a dim without a value.

    >>> from symparam.spec.load import load
    >>> evaluate(load("llama-2-7b"), {"L": np.array([16, 32])}).tolist()
    [3500281856, 6738415616]
    """
    arrays = {k: _whole(k, v) for k, v in overrides.items() if not isinstance(v, (int, Rule))}
    scalars = {k: v for k, v in overrides.items() if k not in arrays}
    bare = with_overrides(model, scalars)
    bare = replace(bare, values={k: v for k, v in bare.values.items() if k not in arrays},
                   equations=tuple(eq for eq in bare.equations if eq.dim not in arrays))
    highest = {k: int(v.max()) for k, v in arrays.items()}
    values = _filled(bare, arrays)
    bound = bare.ledger({k: highest.get(k, _top(v)) for k, v in values.items()}).total()
    if bound > _LARGEST:
        values = {k: v.astype(object) if isinstance(v, np.ndarray) else v
                  for k, v in values.items()}
    total = bare.ledger(values).total()
    return total if isinstance(total, np.ndarray) or arrays else int(total)


def _whole(name: str, value: Any) -> Any:
    array = np.asarray(value)
    if array.size == 0 or array.dtype.kind not in "iuO":
        raise BadValue(name, "an array", "must hold whole numbers, at least one")
    if array.dtype.kind == "O" and not all(type(x) is int for x in array.flat):
        raise BadValue(name, "an array", "must hold whole numbers")
    if int(array.min()) < 1:
        raise BadValue(name, int(array.min()), "must be at least 1")
    return array.astype(np.int64 if int(array.max()) <= _LARGEST else object)


def _top(value: Any) -> int:
    return int(value.max()) if isinstance(value, np.ndarray) else int(value)


def _filled(model: Model, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Values for all dims, rules applied element by element."""
    values: dict[str, Any] = {**model.values, **arrays}
    rules = sorted((eq for eq in model.all_equations() if eq.standing in _FILLING),
                   key=lambda eq: _FILLING.index(eq.standing))
    progress = True
    while progress:
        progress = False
        for eq in rules:
            if eq.dim in model.dims and eq.dim not in values and all(
                    name in values for name in eq.inputs):
                values[eq.dim] = _apply(eq, values)
                progress = True
    missing = [name for name in model.dims if name not in values]
    if missing:
        raise MissingDims(missing, model.name)
    return values


def _apply(eq: Equation, values: Mapping[str, Any]) -> Any:
    """A rule over arrays: exact fractions element by element, then whole numbers."""
    inputs = {name: values[name] for name in eq.inputs}
    if not any(isinstance(v, np.ndarray) for v in inputs.values()):
        return eq.value(inputs)
    shape = np.broadcast_shapes(*(np.shape(v) for v in inputs.values()))
    names = list(inputs)
    columns = [np.broadcast_to(np.asarray(inputs[n]), shape).ravel().tolist() for n in names]
    found: dict[tuple[int, ...], int] = {}
    result = []
    for point in zip(*columns, strict=True):
        if point not in found:
            found[point] = eq.value(dict(zip(names, point, strict=True)))
        result.append(found[point])
    return np.array(result, dtype=object if max(result) > _LARGEST else np.int64).reshape(shape)


