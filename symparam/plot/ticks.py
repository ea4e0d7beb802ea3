"""Ticks of axes, and how numbers are said at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symparam.notation.numbers import short


def plain_ticks(axis: Any, values: Sequence[int], within: Sequence[int] | None = None) -> None:
    """Ticks at whole numbers, written out."""
    from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

    low, high = (min(within), max(within)) if within else (min(values), max(values))
    axis.set_major_locator(FixedLocator([v for v in sorted(set(values)) if low <= v <= high]))
    axis.set_major_formatter(formatter(lambda v: f"{v:,.0f}"))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def round_ticks(axis: Any, values: Sequence[int]) -> None:
    """Ticks at 1, 2 and 5 times the powers of ten between numbers; at these alone over decades."""
    from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

    steps = (1,) if max(values) > 200 * min(values) else (1, 2, 5)
    ticks = [step * 10**k for k in range(25) for step in steps]
    low, high = min(values) / 2, max(values) * 2
    axis.set_major_locator(FixedLocator([tick for tick in ticks if low < tick < high]))
    axis.set_major_formatter(formatter(round_count))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def formatter(text: Callable[[Any], str]) -> Any:
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, _: text(round(value) if value >= 10 else value))


def round_count(value: int) -> str:
    """A round number of parameters, without places that are 0.

    >>> round_count(10**9), round_count(1500000)
    ('1 B', '1.5 M')
    """
    number, _, unit = short(value).partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}".strip()


def round_bytes(value: float) -> str:
    """Bytes as people say them.

    >>> [round_bytes(value) for value in (2 * 10**12, 42949672960, 10**6, 10**3, 999)]
    ['2 TB', '42.9 GB', '1 MB', '1 kB', '999 B']
    """
    for size, unit in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.0f} B"


def round_tokens(value: float) -> str:
    """Tokens as people say them.

    >>> round_tokens(131072), round_tokens(1000)
    ('128Ki', '1,000')
    """
    return f"{value / 1024:.0f}Ki" if value % 1024 == 0 else f"{value:,.0f}"
