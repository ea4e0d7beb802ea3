"""A model's count over arrays of dims, exactly: integers that could overflow are Python's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from symparam.constraints import Equation, Standing
from symparam.errors import BadValue
from symparam.grammar import Rule
from symparam.model import Model
from symparam.resolve import check_definitions, numbers, whole_number, with_overrides

_LARGEST = 2**63 - 1


def evaluate(model: Model, overrides: Mapping[str, Any]) -> Any:
    """The total over a grid of dims, broadcast as NumPy does; one ``int`` without arrays.

    Dims follow the rules of an override: those that the model derives by rule follow. What a
    count would refuse at a point is refused in a grid.

    Args:
        model: the model.
        overrides: dims as integers, rules or integer arrays, under their standard names.

    Returns:
        An ``int64`` array, or one of Python integers where a count could pass 2^63 - 1.

    Raises:
        BadValue: what is not an array of whole positive numbers, arrays that do not broadcast,
            a rule that is not whole at some point. MissingDims: a dim without a value.
        ConstraintViolated, Contradiction: some point breaks a check.

    >>> from symparam.descriptions.load import load
    >>> evaluate(load("llama-2-7b"), {"L": np.array([16, 32])}).tolist()
    [3500281856, 6738415616]
    """
    arrays = {k: _whole(k, v, model.least(k)) for k, v in overrides.items()
              if not isinstance(v, (int, Rule))}
    model = with_overrides(model, {k: v for k, v in overrides.items() if k not in arrays})
    if not arrays:
        return int(model.ledger(numbers(model).values).total())
    shape = _shape(arrays)
    model = with_overrides(model, {k: int(v.flat[0]) for k, v in arrays.items()})
    values = _filled(model, arrays)
    _check(model, values)
    bound = model.ledger({k: int(np.max(v)) for k, v in values.items()}).total()
    if bound > _LARGEST:
        values = {k: v.astype(object) if isinstance(v, np.ndarray) else v
                  for k, v in values.items()}
    return np.array(np.broadcast_to(model.ledger(values).total(), shape))


def _whole(name: str, value: Any, least: int) -> Any:
    """An integer array of a dim's numbers."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise BadValue(name, "a ragged list", "must be an array of whole numbers") from None
    if array.size == 0 or array.dtype.kind not in "iuO" or not all(
            type(x) is int for x in array.ravel().tolist()):
        raise BadValue(name, "an array", "must hold whole numbers, at least one")
    for edge in (array.min(), array.max()):
        whole_number(name, int(edge), least)
    return array.astype(np.int64)


def _shape(arrays: Mapping[str, Any]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        sizes = " and ".join(f"{name} of {array.shape}" for name, array in arrays.items())
        raise BadValue("the arrays", sizes, "do not broadcast together") from None


def _filled(model: Model, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Values for all dims; those that follow by rule (the same at each point), point by point."""
    at_first = numbers(model)
    rules = at_first.rules
    values: dict[str, Any] = {**model.values, **arrays}
    while open_rules := [eq for dim, eq in rules.items() if dim not in values]:
        ready = [eq for eq in open_rules if all(name in values for name in eq.inputs)]
        values |= {eq.dim: _apply(eq, values, model.least(eq.dim)) for eq in ready}
    return values


def _points(values: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """The values of some dims at every point of the grid, in order."""
    arrays = [np.asarray(values[name]) for name in names]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    yield from zip(*(np.broadcast_to(a, shape).ravel().tolist() for a in arrays), strict=True)


def _apply(eq: Equation, values: Mapping[str, Any], least: int) -> Any:
    """A rule over arrays: an exact fraction at each distinct point, then whole numbers."""
    if not any(isinstance(values[name], np.ndarray) for name in eq.inputs):
        return eq.value({name: values[name] for name in eq.inputs})
    found: dict[tuple[int, ...], int] = {}
    result = []
    for point in _points(values, eq.inputs):
        if point not in found:
            found[point] = whole_number(eq.dim, eq.value(dict(zip(eq.inputs, point, strict=True))),
                                        least)
        result.append(found[point])
    shape = np.broadcast_shapes(*(np.shape(values[name]) for name in eq.inputs))
    return np.array(result, dtype=np.int64).reshape(shape)


def _check(model: Model, values: Mapping[str, Any]) -> None:
    """Refuse what a count would refuse at some point."""
    for check in model.all_checks():
        names = [name for name in check.dims if name in values]
        for point in set(_points(values, names)) if names else ():
            check.check(dict(zip(names, point, strict=True)))
    for eq in model.all_equations():
        if eq.standing is Standing.DEFINITION:
            names = [eq.dim, *eq.inputs]
            for point in set(_points(values, names)):
                check_definitions([eq], dict(zip(names, point, strict=True)))
