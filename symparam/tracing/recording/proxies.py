"""Numbers that remember how they were computed.

A proxy *is* an int or a float, so that constructors, validators and torch take it; every operation
on it gives another with its term, and what is compared is written down. ``torch.Size``, ``range``
and a float on the left of a product lose it: what is then not known is found from probes.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

from symparam.tracing.recording.records import Decision, Recording
from symparam.tracing.recording.terms import BINARY, Path, Term, keys_in, number
from symparam.tracing.recording.texts import RecordedText

#: What decides nothing for a model: its lookups are of its own making.
LIBRARIES = sys.stdlib_module_names | {"symparam", "torch", "numpy", "huggingface_hub"}
_OF_MODELS = re.compile(r"\.(modeling|configuration)_|^transformers_modules")
#: What is being recorded now, if anything is: operations have no other place to find it.
_active: Recording | None = None


def term_of(value: Any) -> Term:
    """The term of a proxy; of a plain number, itself."""
    return value.term if isinstance(value, Recorded) else number(value)


def decide(how: str, term: Term, depth: int = 3) -> None:
    """Put down that a number may have decided something, where code of a model did it."""
    if _active is None or not keys_in(term):
        return
    frame = sys._getframe(depth)
    module = str(frame.f_globals.get("__name__"))
    first = module.partition(".")[0]
    if first in LIBRARIES or (first == "transformers" and not _OF_MODELS.search(module)):
        return
    where = f"{frame.f_code.co_filename.replace(chr(92), '/').rpartition('/')[2]}:{frame.f_lineno}"
    _active.decided[Decision(how, term, where)] = None


def is_number(value: Any) -> bool:
    """Whether it is an int or a float, and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def plain(value: Any) -> Any:
    """A number without its memory."""
    if isinstance(value, int):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, float) else value


def made(value: Any, term: Term) -> Any:
    """A number that was computed, with its term, which is put down."""
    if not is_number(value):
        return value
    if _active is not None:
        _active.note(term)
    return RecordedInt(value, term) if isinstance(value, int) else RecordedFloat(value, term)


def _binary(operation: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    call = BINARY[operation]

    def combine(left: Any, right: Any) -> Any:
        a, b = plain(left), plain(right)
        value = call(a, b)
        if operation in ("//", "%") and _active is not None and isinstance(a, int) and (
                isinstance(b, int) and a % b == 0):
            _active.divided[term_of(left), term_of(right)] = None
        return made(value, (operation, term_of(left), term_of(right)))

    def forward(self: Any, other: Any) -> Any:
        if not is_number(other) and isinstance(other, Integral):
            other = int(other)  # numpy's
        return combine(self, other) if is_number(other) else NotImplemented

    def backward(self: Any, other: Any) -> Any:
        return combine(other, self) if is_number(other) else NotImplemented

    return forward, backward


def _ordered(name: str, operation: str, swap: bool, negate: bool) -> Callable[..., Any]:
    """One of ``< > <= >=`` by way of ``<``."""
    def compare(self: Any, other: Any) -> Any:
        if not is_number(other):
            return NotImplemented
        left, right = (other, self) if swap else (self, other)
        outcome = plain(left) < plain(right)
        if _active is not None:
            _active.compare(operation, term_of(left), term_of(right), outcome)
        return outcome != negate
    compare.__name__ = name
    return compare


class Recorded:
    """What both kinds of proxy share."""

    __slots__ = ()
    term: Term

    def __repr__(self) -> str:
        return repr(plain(self))

    def __str__(self) -> str:
        return self._text(str(plain(self)))

    def __format__(self, spec: str) -> str:
        return self._text(format(plain(self), spec))

    def _text(self, text: str) -> str:
        if _active is None:
            return text
        term = self.term
        return RecordedText.of(text, lambda: decide("made a text of which something was asked",
                                                    term))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(plain(self)), (plain(self),)

    def __hash__(self) -> int:
        decide("looked up in a table", self.term, 2)
        return hash(plain(self))

    def __pos__(self) -> Any:
        return self

    def __neg__(self) -> Any:
        return 0 - self  # type: ignore[operator]

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __bool__(self) -> bool:
        zero = plain(self) == 0
        if _active is not None:
            _active.compare("==", term_of(self), number(0), zero)
        return not zero

    def __eq__(self, other: Any) -> Any:
        same = plain(self) == plain(other)
        if _active is not None and is_number(other):
            _active.compare("==", term_of(self), term_of(other), same)
        return same

    def __ne__(self, other: Any) -> Any:
        return not self == other

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    __lt__ = _ordered("__lt__", "<", swap=False, negate=False)
    __gt__ = _ordered("__gt__", "<", swap=True, negate=False)
    __le__ = _ordered("__le__", "<", swap=True, negate=True)
    __ge__ = _ordered("__ge__", "<", swap=False, negate=True)


for _operation, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("//", "floordiv"),
                          ("/", "truediv"), ("%", "mod"), ("**", "pow")):
    _forward, _backward = _binary(_operation)
    setattr(Recorded, f"__{_name}__", _forward)
    setattr(Recorded, f"__r{_name}__", _backward)


class RecordedInt(Recorded, int):
    """A whole number that remembers its term."""

    term: Term

    def __new__(cls, value: int, term: Term) -> RecordedInt:
        self = int.__new__(cls, value)
        self.term = term
        return self

    def __round__(self, digits: Any = None) -> Any:
        return self if digits is None else round(plain(self), digits)

    def __ceil__(self) -> Any:
        return self

    __floor__ = __trunc__ = __ceil__

    def __and__(self, other: Any) -> Any:
        """The bits of both: what is asked of them (``n & (n - 1) == 0``) is a comparison."""
        if not isinstance(other, int) or isinstance(other, bool):
            return NotImplemented
        return RecordedInt(plain(self) & plain(other), ("&", self.term, term_of(other)))

    __rand__ = __and__


def _bitwise(name: str) -> Callable[..., Any]:
    """What is asked of single bits has no term, and may decide whatever is asked of powers of 2."""
    whole = getattr(int, name)

    def ask(self: RecordedInt, *others: Any) -> Any:
        decide("taken bit by bit", self.term, 2)
        return whole(plain(self), *map(plain, others))
    ask.__name__ = name
    return ask


for _name in ("or", "xor", "lshift", "rshift"):
    setattr(RecordedInt, f"__{_name}__", _bitwise(f"__{_name}__"))
    setattr(RecordedInt, f"__r{_name}__", _bitwise(f"__r{_name}__"))
for _name in ("__invert__", "bit_length", "bit_count"):
    setattr(RecordedInt, _name, _bitwise(_name))


class RecordedFloat(Recorded, float):
    """A float that remembers its term."""

    term: Term

    def __new__(cls, value: float, term: Term) -> RecordedFloat:
        self = float.__new__(cls, value)
        self.term = term
        return self

    def __int__(self) -> int:
        made(int(plain(self)), ("int", self.term))
        return int(plain(self))

    def __trunc__(self) -> Any:
        return made(int(plain(self)), ("int", self.term))

    def __round__(self, digits: Any = None) -> Any:
        if digits is not None:
            return round(plain(self), digits)
        return made(round(plain(self)), ("round", self.term))

    def __ceil__(self) -> Any:
        return made(math.ceil(plain(self)), ("ceil", self.term))

    def __floor__(self) -> Any:
        return made(math.floor(plain(self)), ("floor", self.term))

    def is_integer(self) -> bool:
        """Whether it is whole."""
        return bool(plain(self).is_integer())


@contextmanager
def recording() -> Iterator[Recording]:
    """Write down what is computed.

    >>> with recording() as found:
    ...     _ = proxy(96, ("d",)) // 12 == 8
    >>> [c.operation for c in found.compared], len(found.terms)
    (['=='], 1)
    """
    global _active
    before = _active
    _active = found = Recording()
    try:
        yield found
    finally:
        _active = before


def proxy(value: Any, path: Path) -> Any:
    """A key's value as a proxy; what is no number stays as it is."""
    if not is_number(value):
        return value
    kind: Any = RecordedInt if isinstance(value, int) else RecordedFloat
    return kind(value, ("k", path))
