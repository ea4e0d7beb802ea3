"""A whole number that can be added and multiplied, and asked nothing else.

Whoever adds and multiplies alone says the same over integers, symbols, arrays and trees. Whoever
asks more (which of two is larger, whether there is any) has an answer over integers and another
over symbols, so that a formula and a number would drift apart without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NoReturn

#: What cannot be asked, in words, with the methods that would ask it.
_REFUSED = {
    "a comparison": "eq ne lt le gt ge", "a truth value": "bool",
    "a subtraction": "sub rsub neg", "a division": "truediv rtruediv floordiv rfloordiv",
    "a remainder": "mod rmod divmod rdivmod", "a power": "pow rpow",
    "a Python number": "int index float complex", "a rounding": "round trunc floor ceil",
    "a sign or size": "abs pos", "a place in a set or a mapping": "hash",
    "an operation on bits": "and rand or ror xor rxor lshift rlshift rshift rrshift invert",
}


class AskedTooMuch(TypeError):
    """A dim was asked for more than ``+`` and ``*``."""


class Strict:
    """A whole number with the text of what it is made of.

    >>> heads = Strict(7, "n_heads")
    >>> (2 * heads + 1).value
    15
    >>> heads > 2
    Traceback (most recent call last):
    symparam.strict.AskedTooMuch: n_heads is asked for a comparison
    """

    __slots__ = ("text", "value")

    def __init__(self, value: int, text: str) -> None:
        self.value, self.text = value, text

    def __add__(self, other: Strict | int) -> Strict:
        value, text = self._of(other)
        return Strict(self.value + value, f"{self.text} + {text}")

    def __mul__(self, other: Strict | int) -> Strict:
        value, text = self._of(other)
        return Strict(self.value * value, f"{self._factor}*{text}")

    __radd__, __rmul__ = __add__, __mul__

    @property
    def _factor(self) -> str:
        return f"({self.text})" if " + " in self.text else self.text

    def _of(self, other: Strict | int) -> tuple[int, str]:
        """The other number, which is a whole one, and its text."""
        if isinstance(other, Strict):
            return other.value, other._factor
        if isinstance(other, int):
            return other, str(other)
        raise AskedTooMuch(f"{self.text} meets {type(other).__name__} {other!r}, which is no "
                           "whole number")


def _refusal(asked: str) -> Any:
    def refuse(number: Strict, *_: object) -> NoReturn:
        raise AskedTooMuch(f"{number.text} is asked for {asked}")
    return refuse


for _asked, _methods in _REFUSED.items():
    for _method in _methods.split():
        setattr(Strict, f"__{_method}__", _refusal(_asked))


class Listening:
    """Numbers as attributes, which notes which of them are asked for.

    >>> seen = Listening({"d_model": 3, "d_ff": 5})
    >>> seen.d_model, seen.names
    (3, {'d_model'})
    """

    def __init__(self, values: Mapping[str, int]) -> None:
        self._values, self.names = values, set[str]()

    def __getattr__(self, name: str) -> int:
        self.names.add(name)
        return self._values[name]


def strict(values: Mapping[str, int]) -> dict[str, Strict]:
    """Numbers of dims that can be added and multiplied and no more."""
    return {name: Strict(value, name) for name, value in values.items()}


def plain(entry: Any) -> Any:
    """An entry of a list over such numbers as it is over integers.

    >>> plain((Strict(3, "d_model"), 2))
    (3, 2)
    """
    if isinstance(entry, Strict):
        return entry.value
    if isinstance(entry, tuple):
        return tuple(plain(each) for each in entry)
    if is_dataclass(entry) and not isinstance(entry, type):
        return type(entry)(**{f.name: plain(getattr(entry, f.name)) for f in fields(entry)})
    return entry
