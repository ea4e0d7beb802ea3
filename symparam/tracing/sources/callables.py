"""Targets that are a class or a function: keys are the arguments, or the fields of a dataclass."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from symparam.errors import BadValue
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.probing import TraceError
from symparam.tracing.sources.target import Target, copied, leaves, nested

#: Arguments that take any number.
_ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
#: What an argument without a type is called where it is a dataclass.
_RECORD = re.compile(r"conf|cfg|arg|param|opt|settings|spec")
#: Arguments that say where and how numbers are kept: they change no shape.
_APART = frozenset(("device", "dtype"))


def from_callable(factory: Callable[..., Any], given: Mapping[str, Any], text: str = "") -> Target:
    """A target of a class or a function that returns a module.

    Args:
        factory: what builds the module.
        given: values for its arguments; others have their defaults.
        text: how a person named it.

    Raises:
        TraceError: an argument has neither a value nor a default.
    """
    name = getattr(factory, "__name__", type(factory).__name__)
    text = text or name
    if hasattr(factory, "named_parameters") and not inspect.isclass(factory):
        raise TraceError(text, "is built already: give its class, or a function that builds it")
    parameters = signature(factory, text)
    record = _record(factory, parameters, given)
    if record is not None:
        return _of_record(factory, *record, given, text, name)
    return _target(factory, _arguments(parameters, given, text), text, name)


def signature(factory: Callable[..., Any], text: str) -> list[inspect.Parameter]:
    """The arguments of a class or function."""
    try:
        found = inspect.signature(factory)
    except (TypeError, ValueError):
        raise TraceError(text, "its arguments cannot be read: write a function that "
                         "returns the module") from None
    return list(found.parameters.values())


def _arguments(parameters: list[inspect.Parameter], given: Mapping[str, Any],
               text: str) -> dict[str, Any]:
    """A value for each argument, given or by default, and what is given besides."""
    values: dict[str, Any] = {}
    missing = []
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    for each in parameters:
        if each.kind in _ANY:
            continue
        if each.name in given:
            values[each.name] = given[each.name]
        elif each.default is not inspect.Parameter.empty:
            values[each.name] = each.default
        else:
            missing.append(each.name)
    if missing:
        raise TraceError(text, f"needs a value: {' '.join(f'{m}=...' for m in missing)}")
    unknown = sorted(set(given) - set(values))
    if unknown and not open_ended:
        raise BadValue(unknown[0], given[unknown[0]], f"{text} has no such argument")
    return values | {name: given[name] for name in unknown}


def _target(factory: Callable[..., Any], values: Mapping[str, Any], text: str, name: str,
            wrap: Callable[[dict[str, Any]], Any] | None = None) -> Target:
    numbers: dict[Path, Any] = {}
    switches: dict[Path, Any] = {}
    for argument, value in values.items():
        found, rest = leaves((argument,), value)
        numbers |= found
        switches |= rest
    kept = {path[0]: value for path, value in switches.items()}
    tuples = {k for k, v in values.items() if isinstance(v, tuple)}

    def build(point: Mapping[Path, Any]) -> Any:
        tree = nested(point)
        named: dict[str, Any] = {str(k): copied(v) for k, v in kept.items()}
        named |= {k: tuple(v) if k in tuples else v for k, v in tree.items()}
        return wrap(named) if wrap else factory(**named)
    shown = {p: v for p, v in switches.items() if p[0] not in _APART}
    return Target(text, name, build, numbers, shown, _modules(factory),
                  packages=("torch", _module_name(factory).partition(".")[0]))


def _module_name(factory: Any) -> str:
    return str(getattr(factory, "__module__", "") or "")


def _modules(factory: Any) -> tuple[ModuleType, ...]:
    """The module in which a target is written, and those of its package that are loaded."""
    name = _module_name(factory)
    if name.partition(".")[0] in ("torch", "builtins", "symparam", ""):
        return ()
    package = name.partition(".")[0]
    return tuple(m for n, m in list(sys.modules.items())
                 if (n == name or n.startswith(package + ".")) and isinstance(m, ModuleType))


def _record(factory: Callable[..., Any], parameters: list[inspect.Parameter],
            given: Mapping[str, Any]) -> tuple[str, type] | None:
    """The one argument that takes a dataclass, with the dataclass; None where there is none."""
    required = [p for p in parameters if p.default is inspect.Parameter.empty
                and p.kind not in _ANY]
    if len(required) != 1 or required[0].name in given:
        return None
    module = sys.modules.get(_module_name(factory))
    own = {n: c for n, c in vars(module or object).items()
           if inspect.isclass(c) and dataclasses.is_dataclass(c)}
    note = required[0].annotation
    if isinstance(note, str):
        note = own.get(note.strip("'\""), note)
    if inspect.isclass(note) and dataclasses.is_dataclass(note):
        return required[0].name, note
    if note is inspect.Parameter.empty and len(own) == 1 and _RECORD.search(required[0].name):
        return required[0].name, next(iter(own.values()))
    return None


def _of_record(factory: Callable[..., Any], argument: str, record: Any, given: Mapping[str, Any],
               text: str, name: str) -> Target:
    """A target whose keys are the fields of a dataclass that it takes."""
    values: dict[str, Any] = {}
    for each in dataclasses.fields(record):
        if not each.init:
            continue
        if each.name in given:
            values[each.name] = given[each.name]
        elif each.default is not dataclasses.MISSING:
            values[each.name] = each.default
        elif each.default_factory is not dataclasses.MISSING:
            values[each.name] = each.default_factory()
        else:
            raise TraceError(text, f"needs a value: {each.name}=...")
    unknown = set(given) - set(values)
    if unknown:
        raise BadValue(min(unknown), given[min(unknown)], f"{record.__name__} has no such field")
    return _target(factory, values, text, name,
                   lambda named: factory(**{argument: record(**named)}))
