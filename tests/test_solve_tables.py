"""Relative errors in tables of solutions: a reader gets the number back."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symparam.documents.solutions.tables import signed
from tests.strategies import quick

MILLIONTH, THOUSANDTH = Fraction(1, 10**8), Fraction(1, 10**5)  # of a per cent
errors = st.builds(Fraction, st.integers(-10**9, 10**9), st.integers(1, 10**12))


@quick
@given(errors)
@example(MILLIONTH)
@example(-MILLIONTH)
@example(THOUSANDTH)
@example(-THOUSANDTH)
@example(MILLIONTH * Fraction(99_999, 100_000))
@example(THOUSANDTH * Fraction(99_999, 100_000))
@example(-THOUSANDTH * Fraction(99_999, 100_000))
@example(Fraction(1))
def test_a_relative_error_is_read_back(error: Fraction) -> None:
    text = signed(error)
    if error == 0:
        assert text == "exact"
        return
    assert text.startswith("+" if error > 0 else "−")
    if abs(error) < MILLIONTH:
        assert text == f"{text[0]}<10⁻⁶ %"
        return
    match = re.fullmatch(r"[+−](\d+)\.(\d+) %", text)
    assert match is not None, text
    assert len(match[2]) == (3 if abs(error) >= THOUSANDTH else 6)
    shown = Fraction(f"{match[1]}.{match[2]}")
    assert shown
    assert abs(shown - 100 * abs(error)) <= Fraction(1, 2 * 10**len(match[2]))


@pytest.mark.parametrize("error", [Fraction(0), Fraction(1, 3)])
def test_nothing_and_a_third(error: Fraction) -> None:
    assert signed(error) == ("exact" if not error else "+33.333 %")
