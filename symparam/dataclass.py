"""Dataclasses that take a tenth of the time to make.

Python writes and compiles six methods for each frozen dataclass, which takes longer than all else
of importing one. Here ``__init__`` alone is compiled, when it is first asked for; what compares,
hashes, shows and protects the fields is one function for all classes. In everything else they are
the standard library's, whose ``fields``, ``replace`` and ``field`` go with them, and which classes
of its own can inherit from them. There are no slots and no ``InitVar``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from threading import Lock
from typing import TYPE_CHECKING, Any

_LOCK = Lock()

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    def dataclass(cls=None, /, *, frozen=False, kw_only=False, repr=True):
        """As :func:`dataclasses.dataclass`.

        >>> @dataclass(frozen=True)
        ... class Width:
        ...     d_model: int
        ...     d_head: int = 64
        >>> Width(512), Width(512) == Width(512, 64), {Width(512): "narrow"}[Width(512)]
        (Width(d_model=512, d_head=64), True, 'narrow')
        """
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, kw_only=kw_only, repr=repr)
        _collect(cls, frozen, kw_only)
        compared = [f.name for f in dataclasses.fields(cls) if f.compare]
        cls.__compared__ = attrgetter(*compared) if compared else staticmethod(_nothing)
        own = vars(cls)
        _refuse_order(cls)
        methods = {"__init__": _Later(cls, frozen)}
        if repr:
            methods["__repr__"] = _repr
        if "__eq__" not in own:
            methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
        if frozen:
            methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
        for name, method in methods.items():
            if name not in own or (name == "__hash__" and own[name] is None):
                setattr(cls, name, method)
        return cls


def _collect(cls: Any, frozen: bool, kw_only: bool) -> None:
    """Let the standard library find the fields of a class and of those above it.

    It would compile two methods more for a frozen one, so that it is told of none meanwhile.
    """
    above = [vars(each)["__dataclass_params__"] for each in cls.__mro__[1:]
             if "__dataclass_params__" in vars(each)]
    if any(params.frozen is not frozen for params in above):
        raise TypeError(f"{cls.__qualname__}: frozen dataclasses inherit from such alone")
    with _LOCK:
        for params in above:
            params.frozen = False
        try:
            dataclasses.dataclass(cls, init=False, repr=False, eq=False, kw_only=kw_only)
        finally:
            for params in (cls.__dataclass_params__, *above):
                params.frozen = frozen


class _Factory:
    """What stands for a default that is made anew each time."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _refuse_order(cls: type[Any]) -> None:
    """Refuse a field without a default behind one that has it, as the standard library does."""
    before = ""
    for f in dataclasses.fields(cls):
        if f.init and not f.kw_only:
            has = f.default is not MISSING or f.default_factory is not MISSING
            if before and not has:
                raise TypeError(f"{cls.__qualname__}: {f.name} has no default and stands behind "
                                f"{before}, which has one")
            before = f.name if has else before


class _Later:
    """An ``__init__`` that is compiled when it is first asked for: most classes that a command
    imports it makes nothing of."""

    def __init__(self, cls: type[Any], frozen: bool) -> None:
        self.cls, self.frozen = cls, frozen

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        made = vars(self.cls)["__init__"]
        if made is self:
            made = _init(self.cls, self.frozen)
            type.__setattr__(self.cls, "__init__", made)
        return made.__get__(instance, owner)


def _init(cls: type[Any], frozen: bool) -> Any:
    """The ``__init__`` of a class, from its fields."""
    names: dict[str, Any] = {"set_": object.__setattr__, "factory_": _FACTORY}
    positional, named, lines = ["self"], list[str](), list[str]()
    for f in dataclasses.fields(cls):
        made, usual = f"made_{f.name}", f"usual_{f.name}"
        names[made], names[usual] = f.default_factory, f.default
        value, default = f.name, "" if f.default is MISSING else f"={usual}"
        if f.default_factory is not MISSING:
            value, default = f"{made}() if {f.name} is factory_ else {f.name}", "=factory_"
        if f.init:
            (named if f.kw_only else positional).append(f.name + default)
        elif not default:
            continue  # __post_init__ gives it
        else:
            value = f"{made}()" if default == "=factory_" else usual
        lines.append(f"set_(self, {f.name!r}, {value})" if frozen else f"self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ", ".join([*positional, *(["*", *named] if named else [])])
    names["__name__"] = cls.__module__
    try:
        exec(f"def __init__({head}):\n " + "\n ".join(lines or ["pass"]), names)
    except SyntaxError as error:
        raise TypeError(f"{cls.__qualname__}: {error.msg}") from None
    init = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {f.name: f.type for f in dataclasses.fields(cls) if f.init} | {
        "return": None}
    return init


def _nothing(instance: object) -> tuple[()]:
    """What an instance without fields is compared by."""
    return ()


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__compared__(self) == self.__compared__(other)


def _hash(self: Any) -> int:
    return hash(self.__compared__(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self)
                      if f.repr)
    return f"{type(self).__qualname__}({shown})"


def _refuse(self: Any, name: str, *value: object) -> None:
    """Let nothing be changed; an instance of a plain class below may have attributes of its own."""
    if "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
    (object.__setattr__ if value else object.__delattr__)(self, name, *value)
