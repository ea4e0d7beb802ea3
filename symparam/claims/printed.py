"""Numbers as papers print them, with the precision that the writing has."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from symparam.arithmetic import decimal
from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.expression import Rational, whole

#: No printed number is longer.
MAX_LENGTH = 80
#: No printed number has a larger power of ten.
MAX_POWER = 40
#: The share of a number of one or two digits beyond which nothing rounds or is cut to it.
REACH = Fraction(1, 4)

_DECIMAL = {"": 0, "k": 3, "thousand": 3, "m": 6, "mm": 6, "mn": 6, "million": 6, "b": 9, "bn": 9,
            "g": 9, "billion": 9, "t": 12, "tn": 12, "trillion": 12, "kb": 3, "mb": 6, "gb": 9,
            "tb": 12}
_BINARY = {"ki": 10, "mi": 20, "gi": 30, "ti": 40, "kib": 10, "mib": 20, "gib": 30, "tib": 40}
#: What may stand behind a number and changes nothing.
_WORDS = frozenset(
    "param params parameter parameters layer layers block blocks head heads token tokens dim dims "
    "byte bytes char chars character characters wide weights entries groups experts".split())

_SPACES = dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000, 0x09], " ")
_NOTHING = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD])
_DASHES = dict.fromkeys([0x2010, 0x2011, 0x2212], "-")
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_GROUPS = r"[1-9]\d{0,2}(?:(?P<mark>[ ,_'’])\d{3})(?:(?P=mark)\d{3})*"
_NUMBER = re.compile(
    rf"(?P<number>(?:{_GROUPS}|\d+)(?:\.\d*)?|\.\d+)"
    r"(?:[eE](?P<e>[-+]?\d{1,4})|\s*[x×·*]\s*10\s*(?:(?:\^|\*\*)\s*\{?(?P<p>[-+]?\d{1,4})\}?"
    r"|(?P<up>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,4})))?"
    r"\s*(?P<unit>%|[A-Za-z]*)(?P<words>(?:\s+[A-Za-z]+)*)\s*")
_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d+)(?![\d.,])")
_ABOUT = re.compile(r"(?:[~≈∼≃]|about\b|around\b|approx(?:imately|\.)?|circa\b|ca\.|c\.)\s*", re.I)
_NOTES = re.compile(r"\s*(?:[*†‡§]+|\[[0-9a-z]{1,2}\]|[¹²³]+)\s*$")


@dataclass(frozen=True)
class Printed:
    """A number with the precision of its writing.

    Attributes:
        text: as it was written.
        value: the number, exactly.
        resolution: the step of its last digit: 10^9 of ``52B``, 10^8 of ``52.5B``; 1 where all
            digits are written out. Zeros behind the first two digits are none of ``about 100``.
        digits: how many digits it has that count: 2 of ``52B``, 3 of ``52.5B``.
        label: whether it may be a size in name alone: one or two digits, zeros behind them that
            fill it up, and a unit.
        about: whether it is said to be approximate.
        unit: whether it has a unit or a power of ten.
    """

    text: str
    value: Rational
    resolution: Rational
    digits: int
    label: bool
    about: bool
    unit: bool = False

    @property
    def full(self) -> bool:
        """Whether every digit is written, so that only the very number is meant."""
        return self.resolution <= 1 and isinstance(self.value, int) and not self.about

    @property
    def reach(self) -> Fraction | None:
        """How far a number of few digits may be from what rounds to it; None where it may freely.

        One digit and a unit say little: half a step of 1GB is half of it, and that is no rounding.
        """
        return abs(Fraction(self.value)) * REACH if self.label else None

    def window(self) -> tuple[Rational, Rational]:
        """The numbers that round or are cut to it: from the first to below the second."""
        if self.full:
            return self.value, self.value + 1
        step = Fraction(self.resolution)
        half, reach = step / 2, step if self.reach is None else self.reach
        return whole(self.value - min(half, reach)), whole(self.value + min(step, reach))


def reprinted(printed: Printed, number: Rational) -> str | None:
    """Another number in the writing of one: its unit, as many places; None where that is none.

    >>> reprinted(read_printed("7.0B"), 6738415616), reprinted(read_printed("~1,330K"), 1301600)
    ('6.7B', '1,300K')
    """
    text = _bare(printed.text)[0]
    match = _NUMBER.search(text)
    if match is None or not printed.value or printed.full:
        return None
    digits = re.sub(r"[ ,_'’]", "", match["number"])
    scale = abs(Fraction(printed.value)) / Fraction(digits.rstrip("."))
    step = Fraction(printed.resolution)
    nearest = (Fraction(number) / step + Fraction(1, 2)) // 1 * step / scale
    written = decimal(nearest, len(digits.partition(".")[2]))
    whole_part, point, places = written.partition(".")
    if match["mark"]:
        whole_part = f"{int(whole_part):,}".replace(",", match["mark"])
    return text[:match.start("number")] + whole_part + point + places + text[match.end("number"):]


def _bare(shown: str) -> tuple[str, bool]:
    """A printed text without its marks of notes, and whether it is said to be about so much."""
    rest = _NOTES.sub("", shown)
    about = _ABOUT.match(rest)
    return (rest[about.end():] if about else rest), about is not None


def plain(text: str) -> str:
    """A text with ordinary spaces and hyphens, without what is not seen.

    >>> plain("6\\u2009738\\u202f415"), plain("Llama\\u20113")
    ('6 738 415', 'Llama-3')
    """
    return " ".join(text.translate(_SPACES).translate(_NOTHING).translate(_DASHES).split())


def pointed(text: str, integral: bool = False) -> str:
    """A number of a text in which a decimal comma is usual, with a point in place of it.

    Args:
        text: the writing.
        integral: whether the number is a whole one, so that three digits are thousands.

    Raises:
        BadValue: three digits stand behind a comma, which may be thousands.

    >>> pointed("0,162 B"), pointed("6,738,415,616"), pointed("50,257", integral=True)
    ('0.162 B', '6,738,415,616', '50,257')
    """
    match = _COMMA.search(text)
    if match is None:
        return text
    before, after = text[:match.end(1)], text[match.start(2):]
    if not re.fullmatch(_GROUPS, match[0]):
        return f"{before}.{after}"
    if integral:
        return text
    raise BadValue("claim", text, f"may be {before}.{after} or {before}{after}, as ';' stands "
                   "between the cells: write it as one of these")


@lru_cache(maxsize=1 << 14)
def read_printed(text: str, name: str = "claim") -> Printed:
    """A number as it stands in a table or a sentence.

    Args:
        text: the writing: ``52B``, ``6.74e9``, ``6,738,415,616``, ``about 1.3 billion``.
        name: what to call it where it cannot be read.

    Raises:
        BadValue: it is none, or it can be read in two ways.

    >>> n = read_printed("52.5B"); n.value, n.resolution, n.digits
    (52500000000, 100000000, 3)
    >>> read_printed("6,738,415,616 parameters").full, read_printed("6.74e9").resolution
    (True, 10000000)
    >>> str(read_printed("31.7%").value)
    '317/1000'
    """
    shown = plain(text)
    if len(shown) > MAX_LENGTH:
        raise BadValue(name, shown, f"longer than {MAX_LENGTH} characters")
    rest, about = _bare(shown)
    sign = -1 if rest.startswith("-") else 1
    match = _NUMBER.fullmatch(rest.removeprefix("-").removeprefix("+").strip()) if rest else None
    if match is None:
        raise BadValue(name, shown or "nothing", _problem(rest))
    digits = re.sub(r"[ ,_'’]", "", match["number"])
    power = int(match["e"] or match["p"] or (match["up"] or "0").translate(_POWERS))
    scale = _scale(match, shown, name) * _power(power, shown, name)
    decimals = len(digits.partition(".")[2])
    bare = digits.replace(".", "").lstrip("0")
    if about and not decimals:  # of "about 130 GB", the last digit may be a filler
        loose = min(len(digits) - len(digits.rstrip("0")), max(len(bare) - 2, 0))
        scale, digits = scale * 10**loose, digits[:len(digits) - loose]
    unit = match["unit"].lower() not in {"", "%"} | _WORDS or power != 0
    resolution = whole(scale / Fraction(10)**decimals)
    value = whole(sign * Fraction(digits.rstrip(".") or "0") * scale)
    counting = len(bare if decimals else bare.rstrip("0"))
    return Printed(shown, value, resolution, len(bare) or 1, unit and counting <= 2,
                   about, unit)


def _problem(rest: str) -> str:
    if re.search(r"\d,\d", rest):
        right = _COMMA.sub(r"\1.\2", rest)
        return ("its commas do not part thousands; a decimal point is written '.', as in "
                f"{'6.74B' if right == rest else right}")
    if re.search(r"\d\s*(?:-|–|—|to|/|±|\+)\s*\d", rest):
        return "one number is expected, not several: give each in a row of its own"
    return "no number: 52B, 6.74e9 and 6,738,415,616 are such"


def _power(power: int, shown: str, name: str) -> Fraction:
    if abs(power) > MAX_POWER:
        raise BadValue(name, shown, f"a power of ten beyond {MAX_POWER}")
    return Fraction(10)**power


def _scale(match: re.Match[str], shown: str, name: str) -> Fraction:
    """What the unit multiplies by."""
    unit, words = match["unit"], match["words"].split()
    if words and words[0].lower() in _DECIMAL and not unit:
        unit, words = words[0], words[1:]
    wrong = next((word for word in words if word.lower() not in _WORDS), "")
    low = unit.lower()
    if unit == "%":
        scale = Fraction(1, 100)
    elif low in _WORDS:
        scale = Fraction(1)
    elif low in _BINARY:
        scale = Fraction(2**_BINARY[low])
    elif low in _DECIMAL:
        scale = Fraction(10**_DECIMAL[low])
    else:
        wrong = unit
        scale = Fraction(1)
    if wrong:
        raise BadValue(name, shown, f"{wrong!r} is no unit that is known (K M B T, thousand to "
                       "trillion, Ki to Ti, GB, GiB, %)")
    return scale
