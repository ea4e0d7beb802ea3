"""What all relations that numbers must meet have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from symparam import expression as ex
from symparam.errors import ConstraintViolated

_C = TypeVar("_C", bound="Check")


class Check(ABC):
    """A relation that numbers must meet: a frozen dataclass that says what breaks it.

    Attributes:
        of: the fields that hold dims: a name, names, an expression, or a number in the place of
            a name.
        looks_at: those of them that are looked at, where these are not all.
        reason: why numbers must meet it.
    """

    of: ClassVar[tuple[str, ...]]
    looks_at: ClassVar[tuple[str, ...]] = ()
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return tuple(dict.fromkeys(name for field in self.looks_at or self.of
                                   for name in _names(getattr(self, field))))

    def check(self, dims: Mapping[str, int]) -> None:
        """Pass, or raise ConstraintViolated; while a dim has no number nothing is checked."""
        if any(name not in dims for name in self.dims):
            return
        here = {name: dims[name] for name in self.dims}
        remedy = self.broken(here)
        if remedy is not None:
            raise ConstraintViolated(str(self), self.reason, here, remedy)

    @abstractmethod
    def broken(self, here: Mapping[str, int]) -> str | None:
        """What would be right where its dims' numbers break it; None where they meet it."""

    def renamed(self: _C, names: Mapping[str, str]) -> _C:
        """The same relation between dims of other names."""
        changed: dict[str, Any] = {field: _renamed(getattr(self, field), names)
                                   for field in self.of}
        return replace(self, **changed)  # type: ignore[type-var]  # each one is a dataclass


def _names(held: Any) -> Iterable[str]:
    """The dims that a field holds."""
    if isinstance(held, str):
        return (held,)
    if isinstance(held, ex.Expr):
        return ex.symbols_in(held)
    return held if isinstance(held, tuple) else ()


def _renamed(held: Any, names: Mapping[str, str]) -> Any:
    """The same with other names."""
    if isinstance(held, str):
        return names.get(held, held)
    if isinstance(held, ex.Expr):
        return ex.substitute(held, {old: ex.Sym(new) for old, new in names.items()})
    return tuple(names.get(name, name) for name in held) if isinstance(held, tuple) else held
