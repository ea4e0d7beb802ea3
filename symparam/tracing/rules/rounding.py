"""Rules that round: a rational multiple of a key, up, down or to the nearest multiple of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symparam.tracing.recording.terms import Term, number, scaled

#: Steps that are rounded to besides keys.
STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
#: No factor that a person writes has a larger denominator, but for decimals up to hundredths.
MAX_DENOMINATOR = 16

Interval = tuple[Fraction, Fraction]


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator in an open interval of positive numbers.

    >>> simplest(Fraction(26, 10), Fraction(27, 10))
    Fraction(8, 3)
    """
    whole = low.numerator // low.denominator
    if whole + 1 < high:
        return Fraction(whole + 1)
    if low == whole:
        step = 1 / (high - whole)
        return whole + Fraction(1, step.numerator // step.denominator + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


def _factors(wanted: Sequence[int], vector: Sequence[int], steps: Sequence[int],
             mode: str) -> Interval:
    """Where a factor has to lie for its rounded multiples to be what is wanted."""
    half = Fraction(1, 2)
    below, above = {"ceil": (Fraction(1), Fraction(0)), "floor": (Fraction(0), Fraction(1)),
                    "round": (half, half)}[mode]
    sizes = list(zip(wanted, vector, steps, strict=True))
    return max((w - below * s) / x for w, x, s in sizes), min((w + above * s) / x
                                                              for w, x, s in sizes)


def _written(interval: Interval, mode: str) -> Fraction | None:
    """A factor in the interval as a person would write it."""
    low, high = interval
    if not 0 <= low <= high or (low == high and mode != "round"):
        return None
    # the ends that belong to the interval: a half goes either way
    ends = {"ceil": (high,), "floor": (low,), "round": (low, high)}[mode]
    found = low if low == high else simplest(low, high)
    found = min((found, *(end for end in ends if end > 0)), key=lambda f: f.denominator)
    usual = found.denominator <= MAX_DENOMINATOR or 100 % found.denominator == 0
    return found if usual else None


def rounded_multiple(wanted: Sequence[int], atoms: Mapping[tuple[int, ...], Term]) -> Term | None:
    """A rational multiple of an atom, brought to a multiple of a number or of another atom.

    >>> d = ("k", ("d",))
    >>> rounded_multiple((2816, 1536, 5632), {(1024, 513, 2048): d})
    ('*', ('n', 256), ('ceil', ('/', ('/', ('*', ('n', 8), ('k', ('d',))), ('n', 3)), ('n', 256))))
    """
    found: list[tuple[int, int, Term]] = []
    steps = [(number(s), (s,) * len(wanted)) for s in reversed(STEPS)]
    steps += [(term, vector) for vector, term in atoms.items()]
    for order, (step, sizes) in enumerate(steps):
        if any(w % s for w, s in zip(wanted, sizes, strict=True)):
            continue
        for vector, term in atoms.items():
            for mode in ("floor", "ceil", "round"):
                factor = _written(_factors(wanted, vector, sizes, mode), mode)
                if factor is not None and (mode != "round" or _to_even(factor, wanted, vector,
                                                                       sizes)):
                    found.append((factor.denominator, order, _brought(factor, term, step, mode)))
    return min(found, key=lambda each: each[:2])[2] if found else None


def _to_even(factor: Fraction, wanted: Sequence[int], vector: Sequence[int],
             steps: Sequence[int]) -> bool:
    """Whether numbers are rounded as Python does it; where halves may come, one has to be seen."""
    shares = [factor * x / s for x, s in zip(vector, steps, strict=True)]
    seen = any(share.denominator == 2 for share in shares)
    never = factor.denominator % 2 == 1 and len(set(steps)) == 1 and steps[0] % 2 == 1
    return (seen or never) and all(round(share) * s == w for share, s, w in zip(
        shares, steps, wanted, strict=True))


def _brought(factor: Fraction, term: Term, step: Term, mode: str) -> Term:
    if step == number(1):
        return (mode, scaled(factor, term))
    return ("*", step, (mode, ("/", scaled(factor, term), step)))


def rounded_quotient(wanted: Sequence[int], atoms: Mapping[tuple[int, ...], Term]) -> Term | None:
    """One atom over another, rounded up or down.

    >>> d, n = ("k", ("d",)), ("k", ("n",))
    >>> rounded_quotient((4, 3, 5), {(7, 9, 10): d, (2, 3, 2): n})
    ('ceil', ('/', ('k', ('d',)), ('k', ('n',))))
    """
    for top, above in atoms.items():
        for bottom, below in atoms.items():
            if below == above:
                continue
            pairs = list(zip(wanted, top, bottom, strict=True))
            if all(w == -(-x // y) for w, x, y in pairs):
                return ("ceil", ("/", above, below))
            if all(w == x // y for w, x, y in pairs):
                return ("//", above, below)
    return None
