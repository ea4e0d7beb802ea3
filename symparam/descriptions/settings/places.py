"""Where a format keeps a setting: by which keys, and what holds where they are not there."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions.reading.source import shown
from symparam.errors import BadValue


class Unsaid:
    """What stands for a value that a format leaves open: it has no default, and no place."""

    def __repr__(self) -> str:
        return "not said"


UNSAID = Unsaid()


@dataclass(frozen=True)
class Source:
    """A configuration, and what its model's numbers say beside it.

    Attributes:
        data: its keys and values.
        depth: how many layers there are. width: that of a head.
        ffn: the name of the feed-forward network's component.
        positions: how they are told.
        windows: the window of each layer as the model has them, None for no window anywhere;
            unsaid where it is not known which layers have one.
    """

    data: Mapping[str, Any]
    depth: int = 1
    width: int = 1
    ffn: str = ""
    positions: str = "rope"
    windows: Any = UNSAID


@dataclass(frozen=True)
class Place:
    """Where a format keeps a setting.

    Attributes:
        read: its value in a configuration, the format's default where no key says it.
        write: the keys that say a value; None where the format has no words for it.
        keys: those that are looked at.
    """

    read: Callable[[Source], Any]
    write: Callable[[Any], dict[str, Any] | None] = lambda value: None
    keys: tuple[str, ...] = ()


def always(value: Any) -> Place:
    """A format in which there is nothing else."""
    return Place(lambda source: value)


#: A format that leaves it open.
OPEN = always(UNSAID)


def wrong(key: str, value: Any, expected: str) -> BadValue:
    """An error at a key."""
    return BadValue(key, shown(value), f"expected {expected}")


def as_number(key: str, value: Any) -> Any:
    """A finite number, whole where it is written so; a text as YAML reads 1e-6 is one too.

    Raises:
        BadValue: none.

    >>> as_number("eps", 5), as_number("eps", "1e-6")
    (5, 1e-06)
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise wrong(key, value, "a number") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise wrong(key, value, "a number")
    return value


def as_single(key: str, value: Any) -> Any:
    """A number that is stored in four bytes, as it was written: the shortest of those that are
    stored so.

    >>> as_single("eps", 9.999999747378752e-06)
    1e-05
    """
    number = as_number(key, value)
    for digits in range(1, 10):
        short = float(f"{number:.{digits}g}")
        if abs(short) < 1e38 and struct.pack("<f", short) == struct.pack("<f", number):
            return short
    return number


def as_text(key: str, value: Any) -> Any:
    """A text."""
    if not isinstance(value, str):
        raise wrong(key, value, "a text")
    return value


def as_flag(key: str, value: Any) -> Any:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong(key, value, "true or false")
    return value


def as_tokens(key: str, value: Any) -> Any:
    """The number of a token, or a list of some."""
    if not (type(value) is int or (isinstance(value, list) and value
                                   and all(type(each) is int for each in value))):
        raise wrong(key, value, "the number of a token, or a list of some")
    return value


def plain(number: Any) -> Any:
    """A float that is whole as the whole number, which some formats ask for.

    >>> plain(500000.0), plain(0.5)
    (500000, 0.5)
    """
    return int(number) if isinstance(number, float) and number.is_integer() else number


def key(*names: str, default: Any = UNSAID, kind: Callable[[str, Any], Any] = as_number,
        written: Callable[[Any], Any] = lambda value: value, nullable: bool = False) -> Place:
    """A setting under a key: the first of these that is there; the first is written.

    Args:
        names: the key, and other names of it that are read.
        default: what holds where none is there, or null stands.
        kind: what a value has to be.
        written: how it is written.
        nullable: whether null is a value, and not as good as missing.
    """
    def read(source: Source) -> Any:
        for name in names:
            if nullable and name in source.data and source.data[name] is None:
                return None
            if source.data.get(name) is not None:
                return kind(name, source.data[name])
        return default

    return Place(read, lambda value: {names[0]: written(value)}, names)
