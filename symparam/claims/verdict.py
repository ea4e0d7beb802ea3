"""What a printed number is to the number that it is said to be."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

from symparam.claims.printed import Printed
from symparam.dataclass import dataclass
from symparam.expression import Rational

Name: TypeAlias = Literal["exact", "rounds", "truncates", "nominal", "convention", "wrong",
                          "holds", "impossible", "incomplete"]
Relation: TypeAlias = Literal["=", "<=", ">=", "<", ">"]

#: How far a size label may be from the size.
NOMINAL = Fraction(5, 100)

#: What each of them says.
MEANINGS: dict[Name, str] = {
    "exact": "the very number",
    "rounds": "rounds to what is printed",
    "truncates": "cut, not rounded, to what is printed",
    "nominal": "a size label within 5 %, not the size",
    "convention": "not the number of parameters; true under a convention that is named",
    "wrong": "not true",
    "holds": "the bound holds",
    "impossible": "no model has these numbers",
    "incomplete": "too little is known of the row to judge it"}

#: Verdicts under which a claim is false.
FALSE: frozenset[Name] = frozenset({"wrong", "impossible"})
#: Those under which it is not the number as it is said to be counted, or not known to be.
LOOSE: frozenset[Name] = FALSE | {"nominal", "convention", "incomplete"}


@dataclass(frozen=True)
class Verdict:
    """A verdict on a number by itself.

    Attributes:
        name: which one.
        difference: what the printed number is too large by.
    """

    name: Name
    difference: Rational


def judge(computed: Rational, printed: Printed, relation: Relation = "=") -> Verdict:
    """The verdict on a printed number; under other conventions it may be another.

    A half may be rounded either way. Cutting is towards zero. To one or two digits and a unit
    nothing rounds that is a quarter away.

    >>> from symparam.claims.printed import read_printed
    >>> [judge(n, read_printed(text)).name for n, text in (
    ...     (8030261248, "8B"), (70553706496, "70B"), (6738415616, "6738415616"),
    ...     (13476831232, "14GB"), (56815872, "256.3M"))]
    ['rounds', 'truncates', 'exact', 'nominal', 'wrong']
    """
    difference = printed.value - computed
    if relation != "=":
        return Verdict("holds" if _bounded(computed, printed.value, relation) else "wrong",
                       difference)
    return Verdict(_equal(computed, printed), difference)


def _equal(computed: Rational, printed: Printed) -> Name:
    value, step = Fraction(printed.value), Fraction(printed.resolution)
    gap = Fraction(computed) - value
    if gap == 0:
        return "exact"
    coarse = not printed.full or Fraction(computed).denominator != 1
    beyond = gap if value >= 0 else -gap
    if printed.reach is not None and not -printed.reach <= beyond < printed.reach:
        return "wrong"
    if coarse and abs(gap) <= step / 2:
        return "rounds"
    if coarse and 0 < beyond < step:
        return "truncates"
    near = abs(gap) <= NOMINAL * abs(Fraction(computed))
    return "nominal" if near and (printed.about or _names(printed, gap)) else "wrong"


def _names(printed: Printed, gap: Fraction) -> bool:
    """Whether a number is a size label; where zeros fill it up its second digit has to be right."""
    filled = printed.digits > 2
    second = Fraction(printed.resolution) * 10**(printed.digits - 2)
    return printed.label and (not filled or abs(gap) < second)


def _bounded(computed: Rational, value: Rational, relation: Relation) -> bool:
    return {"<=": computed <= value, ">=": computed >= value, "<": computed < value,
            ">": computed > value}[relation]
