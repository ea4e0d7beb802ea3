"""A configuration as it is given: what its class takes, which need not be what it shows.

A class may work a field out of others (``self.head_dim = self.qk_rope_head_dim``) or keep it under
another name. Numbers that were read off and given back must build what nothing built.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from symparam.tracing.recording.terms import Path, spelled
from symparam.tracing.sources.target import Target


def renamed(cls: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Settings under the names of the fields that they are: a field may be stored under another
    name, or be known by one (``hidden_size`` of ``n_embd``), which, given too, would win over it.
    """
    fields = {f.name for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    names: dict[str, str] = {}
    for name, stored in getattr(cls, "attribute_map", {}).items():
        if (name in fields) != (stored in fields):
            names |= {stored: name} if name in fields else {name: stored}
    made: dict[str, Any] = {}
    for name in sorted(given, key=names.__contains__):
        value, inner = given[name], getattr(cls, "sub_configs", {}).get(name)
        made[names.get(name, name)] = renamed(inner, value) if inspect.isclass(
            inner) and isinstance(value, dict) else value
    return made


def numbers_taken(config: Any, given: Mapping[str, Any], path: Path = ()) -> dict[Path, Any]:
    """The numbers that classes take where they show others: worked out of them, or of others."""
    found: dict[Path, Any] = {}
    for name, value in vars(config).items():
        if dataclasses.is_dataclass(value) and hasattr(value, "model_type"):
            inner = given.get(name)
            inner = inner if isinstance(inner, Mapping) else {}
            found |= numbers_taken(value, inner, (*path, name))
    for field in dataclasses.fields(config) if dataclasses.is_dataclass(config) else ():
        taken = given.get(field.name, field.default)
        if type(taken) is int and taken != _shown(config, field.name, taken):
            found[(*path, field.name)] = taken
    return found


def _shown(config: Any, name: str, otherwise: Any) -> Any:
    """What a configuration shows; of what its layers have a number each, what it holds.

    transformers refuses to show such a number (``per_layer_attributes``).
    """
    if name in (getattr(config, "per_layer_attributes", None) or ()):
        return vars(config).get(name, otherwise)
    return getattr(config, name, otherwise)


def alike(one: Any, other: Any) -> bool:
    """Whether two configurations hold the same: a tuple that is given back is a list."""
    return bool(_listed(one.to_dict()) == _listed(other.to_dict()))


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _listed(each) for key, each in value.items()}
    return list(map(_listed, value)) if isinstance(value, (list, tuple)) else value


def as_given(target: Target, base: dict[Path, Any], taken: Mapping[Path, Any], default: Any,
              configured: Callable[[Mapping[Path, Any]], Any],
              whole: Callable[[Any], Any]) -> Target:
    """A target with numbers that build what is built where nothing is said.

    What a class shows need not be what it takes: ``self.head_dim = self.qk_rope_head_dim``.
    """
    target = dataclasses.replace(target, base=base)
    try:
        if alike(configured(base), default):
            return target
        wanted = dataclasses.replace(target, build=lambda _: whole(default)).table({})
        for more in ({}, *({path: number} for path, number in taken.items()), taken):
            if target.table({**base, **more}) == wanted:
                return dataclasses.replace(target, base={**base, **more})
    except Exception:  # what it cannot be built of is refused where the trace begins
        return target
    return dataclasses.replace(target, strange=(
        "where no number is given for a key, the target has other tensors than with the numbers "
        f"that it shows{f', such as {spelled(next(iter(taken)))}' if taken else ''}",))
