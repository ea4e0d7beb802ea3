"""Builtins that lose the memory of numbers, and what traced modules have in their place."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from types import ModuleType
from typing import Any

from symparam.tracing.recording.proxies import (
    Recorded,
    RecordedInt,
    is_number,
    made,
    plain,
    term_of,
)


class _KeepingMeta(type):
    """Makes a class pass for ``int`` wherever a module asks."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, int)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, int)

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if len(args) == 1 and not named and isinstance(args[0], Recorded):
            return math.trunc(args[0])  # type: ignore[arg-type]
        return int(*args, **named)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is int or other is RecordedInt

    def __hash__(cls) -> int:
        return hash(int)

    def __getattr__(cls, name: str) -> Any:
        return getattr(int, name)


class _Keeping(metaclass=_KeepingMeta):
    """Stands for ``int`` in a traced module: ``int(x)`` would forget the term of x."""


class _KeepingExtreme:
    """Stands for ``max`` or ``min`` in a traced module: they hand out one of what they compare, and
    forget the others."""

    def __init__(self, name: str) -> None:
        self.name, self.call = name, getattr(builtins, name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) == 1:
            args = (list(args[0]),)
        found = self.call(*args, **named)
        each = args[0] if len(args) == 1 else args
        if named or len(each) < 2 or not all(map(is_number, each)) or not any(
                isinstance(one, Recorded) for one in each):
            return found
        return made(plain(found), reduce(lambda left, right: (self.name, left, right),
                                          map(term_of, each)))

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.call

    def __hash__(self) -> int:
        return hash(self.call)


#: What a traced module has in place of builtins that lose the memory of numbers.
_KEPT = {"int": _Keeping, "max": _KeepingExtreme("max"), "min": _KeepingExtreme("min")}


@contextmanager
def stepped(modules: Iterable[ModuleType]) -> Iterator[None]:
    """Let ``torch.arange`` put down how many numbers it makes: it forgets what it counts to.

    Args:
        modules: those that imported it by its name have the same.
    """
    torch: Any = sys.modules.get("torch")
    before = getattr(torch, "arange", None)
    if before is None:
        yield
        return

    def arange(*args: Any, **named: Any) -> Any:
        names = ("end",) if len(args) == 1 and "end" not in named else ("start", "end", "step")
        numbers: dict[str, Any] = {"start": 0, "step": 1, **named}
        numbers |= dict(zip(names, args, strict=False))
        if all(is_number(numbers.get(name)) for name in ("start", "end", "step")) and (
                numbers["step"]):
            math.ceil((numbers["end"] - numbers["start"]) / numbers["step"])
        return before(*args, **named)
    holders = [each for each in (torch, *modules) if vars(each).get("arange") is before]
    try:
        for holder in holders:
            vars(holder)["arange"] = arange
        yield
    finally:
        for holder in holders:
            vars(holder)["arange"] = before


@contextmanager
def kept_in(modules: Iterable[ModuleType]) -> Iterator[None]:
    """Let ``int``, ``max`` and ``min`` keep proxies in modules that have none of their own.

    >>> module = ModuleType("m")
    >>> exec("def least(n): return max(n, 1)", vars(module))
    >>> with kept_in([module]):
    ...     module.least(RecordedInt(8, ("k", ("n",)))).term
    ('max', ('k', ('n',)), ('n', 1))
    """
    changed: list[tuple[ModuleType, str]] = []
    modules = list(modules)
    for module in modules:
        for name, kept in _KEPT.items():
            if name not in vars(module):
                vars(module)[name] = kept
                changed.append((module, name))
    try:
        with stepped(modules):
            yield
    finally:
        for module, name in changed:
            vars(module).pop(name, None)
