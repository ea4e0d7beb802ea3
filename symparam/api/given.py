"""What is given from Python, as keyword arguments: dims, options, formats, equations."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from numbers import Integral
from typing import TYPE_CHECKING, Any

from symparam import model as core
from symparam.descriptions.options import Options, bias_sites
from symparam.dims import canonical
from symparam.errors import BadValue, Contradiction
from symparam.grammar import Rule, parse_expression, parse_rule
from symparam.traced.switches import held_switch

if TYPE_CHECKING:
    from symparam.quantities.setting import Setting

_OPTION_NAMES = frozenset(f.name for f in fields(Options))
_SWITCH = (bool, "True or False")
_OPTION_KINDS: dict[str, tuple[type, str]] = {
    "norms_per_block": (int, "1, 2 or 4"), "final_norm": _SWITCH, "qk_norm": _SWITCH,
    "tied": _SWITCH}


def dim_of(name: str, value: Any, extra: Collection[str] = ()) -> int | Rule:
    """A dim's value as given from Python: an int, or a rule as text."""
    if isinstance(value, str):
        return parse_rule(value, extra)
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise BadValue(name, value, "give an int, or a rule as text such as '4*d_model'")
    return int(value)


def options_and_dims(changes: Mapping[str, Any], model: core.Model | None = None
           ) -> tuple[Options, dict[str, int | Rule]]:
    """Keyword arguments as architecture options and dims, by the names that a model has for them.
    """
    changes = moved(changes, model)
    options = {k: _option(k, v) for k, v in changes.items() if k in _OPTION_NAMES}
    dims = {k: v for k, v in changes.items() if k not in _OPTION_NAMES}
    return Options(**options), dims_of(dims, model.names if model else ())


def moved(given: Mapping[str, Any], model: core.Model | None) -> dict[str, Any]:
    """What was given, less switches that are held as they are given."""
    trace = None if model is None else model.trace
    return {k: v for k, v in given.items() if not held_switch(trace, k, v)}


def _option(name: str, value: Any) -> Any:
    """An architecture option's value, of the kind that it takes; None changes nothing."""
    if value is None:
        return None
    if name == "bias":
        sites = [value] if isinstance(value, str) else value
        if not isinstance(sites, Collection) or not all(isinstance(s, str) for s in sites):
            raise BadValue(name, value, "expected text or a collection of sites")
        return bias_sites(value)
    kind, word = _OPTION_KINDS.get(name, (str, "a text"))
    if type(value) is not kind:
        raise BadValue(name, value, f"expected {word}")
    return value


def dims_of(given: Mapping[str, Any], extra: Collection[str] = ()) -> dict[str, int | Rule]:
    """Dims under their standard names."""
    return {name: dim_of(name, value, extra) for name, value in by_name(given, extra).items()}


def by_name(given: Mapping[str, Any], extra: Collection[str]) -> dict[str, Any]:
    """Values under standard names; one given twice is an error."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = canonical(key, extra)
        if name in found:
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
        found[name] = value
    return found


def setting_and_dims(given: Mapping[str, Any]) -> tuple[Setting, dict[str, Any]]:
    """Keyword arguments as formats and ways to count, and the dims that are left."""
    from symparam.quantities.plain import setting_of

    names = setting_of.__kwdefaults__ or {}
    given = dict(given)
    if isinstance(given.get("setting"), Mapping):
        instead("setting={...}", "its keys as keywords")
        given |= given.pop("setting")
    parts = {name: value for name, value in given.items() if name in names}
    return setting_of(**parts), {k: v for k, v in given.items() if k not in parts}


def instead(old: str, new: str) -> None:
    """Warn of a name that is kept for one release."""
    warnings.warn(f"{old} goes with the next release: {new} takes its place", DeprecationWarning,
                  stacklevel=3)


def texts_of(assume: str | Sequence[str]) -> Sequence[str]:
    """Equations as text."""
    texts = [assume] if isinstance(assume, str) else assume
    if not isinstance(texts, Sequence) or not all(isinstance(t, str) for t in texts):
        raise BadValue("assume", assume, "expected an equation or several, as text")
    return texts


def target(value: int | str | float) -> int:
    """A target as a whole number; text is read exactly, a float only if it is whole.

    >>> target("6.7B"), target(7e9)
    (6700000000, 7000000000)
    """
    number: Any = value
    if isinstance(value, str):
        from symparam.expression import evaluate

        number = evaluate(parse_expression(value), {})
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
        raise BadValue("P", value, "must be a whole number of parameters, at least 1")
    return int(number)
