"""Numbers as people read them. Display alone: nothing here is read back."""

from __future__ import annotations

from fractions import Fraction

from symparam.arithmetic import decimal
from symparam.showable import RAISED

_UNITS = ((10**24, "·10²⁴"), (10**21, "·10²¹"), (10**18, "·10¹⁸"), (10**15, "·10¹⁵"),
          (10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"))


def grouped(value: int | Fraction) -> str:
    """An exact number with its thousands apart.

    >>> grouped(6738415616), grouped(Fraction(1, 3))
    ('6,738,415,616', '1/3')
    """
    if isinstance(value, Fraction) and value.denominator != 1:
        return exact_number(value)
    return f"{int(value):,}"


def several(count: int, word: str) -> str:
    """How many there are of a thing.

    >>> several(1, "tensor"), several(4096, "tensor")
    ('1 tensor', '4,096 tensors')
    """
    return f"{grouped(count)} {word}{'' if count == 1 else 's'}"


def exact_number(value: int | Fraction) -> str:
    """An exact number, fraction or not, its thousands apart, with a proper minus.

    >>> exact_number(Fraction(-3226177, 202383360)), exact_number(8192)
    ('−3,226,177/202,383,360', '8,192')
    """
    size = abs(Fraction(value))
    under = f"/{size.denominator:,}" if size.denominator != 1 else ""
    return f"{'−' if value < 0 else ''}{size.numerator:,}{under}"


def rounded(value: int | Fraction, places: int) -> str:
    """A number with a fixed number of places; one that is not 0 never looks like it.

    >>> rounded(Fraction(1, 3), 3), rounded(Fraction(-1, 10**5), 3), rounded(0, 3)
    ('0.333', '−0.00001', '0.000')
    """
    text = decimal(value, places)
    while value and not text.strip("-0.") and places < 12:
        places += 1
        text = decimal(value, places)
    return text.replace("-", "−")


def short(value: int) -> str:
    """A count in the field's units, three digits or two places.

    >>> short(6738415616), short(124439808), short(512)
    ('6.74 B', '124.44 M', '512')
    """
    for size, unit in _UNITS:
        if abs(value) * 200_000 >= size * 199_999:  # what rounds up to 1.00 of it is one of it
            return f"{decimal(Fraction(value, size), 2)} {unit}"
    return str(value)


def percent(part: int | Fraction, of: int | Fraction, places: int = 1) -> str:
    """A share in per cent; what is there but rounds to nothing is shown as less than it.

    >>> percent(1, 8), percent(1, 10**6), percent(0, 5)
    ('12.5 %', '<0.1 %', '0.0 %')
    """
    share = 100 * Fraction(part) / Fraction(of) if of else Fraction(0)
    text = decimal(share, places)
    if share and not text.strip("-0."):
        return f"<{decimal(Fraction(1, 10**places), places)} %"
    return f"{text} %"


def gigabytes(value: int | Fraction) -> str:
    """Bytes in GB, 10^9 of them.

    >>> gigabytes(2243952640), gigabytes(524288)
    ('2.24 GB', '0.00052 GB')
    """
    return f"{_significant(Fraction(value, 10**9))} GB"


def byte_size(value: int | Fraction) -> str:
    """Bytes in the largest unit that they fill, in powers of 1,000.

    >>> byte_size(524288), byte_size(2243952640), byte_size(0)
    ('524.29 kB', '2.24 GB', '0 B')
    """
    for power, unit in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "kB")):
        if value >= 10**power:
            return f"{decimal(Fraction(value) / 10**power, 2)} {unit}"
    return f"{exact_number(value)} B"


def gibibytes(value: int | Fraction) -> str:
    """Bytes in GiB, 2^30 of them.

    >>> gibibytes(42949672960)
    '40.00 GiB'
    """
    return f"{_significant(Fraction(value, 2**30))} GiB"


def flop_unit(value: int | Fraction) -> tuple[int, str]:
    """The unit that a number of operations is written in: how many they are, and its name.

    >>> flop_unit(42863689728), flop_unit(7 * 10**23)
    ((1000000000, 'GFLOP'), (1000000000000000000000, 'ZFLOP'))
    """
    powers = zip((24, 21, 18, 15, 12), "YZEPT", strict=True)
    return next(((10**power, f"{prefix}FLOP") for power, prefix in powers if value >= 10**power),
                (10**9, "GFLOP"))


def power_of_ten(value: int) -> str:
    """A round number as a power of ten times what is left; others in full.

    >>> power_of_ten(10**20), power_of_ten(3 * 10**21), power_of_ten(25 * 10**19)
    ('10²⁰', '3·10²¹', '2.5·10²⁰')
    >>> power_of_ten(38 * 10**3), power_of_ten(10**8), power_of_ten(10**9)
    ('38,000', '100,000,000', '10⁹')
    """
    digits = str(abs(value))
    figures = digits.rstrip("0")
    if len(digits) < 10 or len(figures) > 4:
        return grouped(value)
    power = "10" + "".join(RAISED[int(figure)] for figure in str(len(digits) - 1))
    factor = figures[0] + ("." + figures[1:] if figures[1:] else "")
    return f"{'-' if value < 0 else ''}{'' if factor == '1' else f'{factor}·'}{power}"


def _significant(value: Fraction) -> str:
    """Two places, or two digits where there is less."""
    places = 2
    while value and value * 10**places < 10 and places < 15:
        places += 1
    return decimal(value, places)
