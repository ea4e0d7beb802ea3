"""Fits of what compute is best spent on: the best number of parameters, or the loss of a run.

A fit is an expression of the closed grammar: in C the best number of parameters for C FLOPs, in N
and D the loss of a model of N parameters after D tokens. Both are measured by others, of dense
decoders trained on their data; a number that follows from one is no count.
"""

from __future__ import annotations

from math import inf, nan

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import BadValue, ParseError, UnknownName
from symparam.grammar import parse_expression

HOFFMANN = "Hoffmann et al. 2022, arXiv:2203.15556"


@dataclass(frozen=True)
class Fit:
    """A fit by its name.

    Attributes:
        name: as it is asked for.
        expr: in C, or in N and D.
        text: the same as it was written.
        source: who measured it, and where it stands.
        called: what a picture calls it.
    """

    name: str
    expr: ex.Expr
    text: str
    source: str
    called: str

    @property
    def is_loss(self) -> bool:
        """Whether it is a loss, and not a number of parameters."""
        return "C" not in ex.symbols_in(self.expr)

    def value(self, **numbers: int) -> float:
        """What it gives: N and D the parameters and tokens, or C the FLOPs; a float, for it is
        measured.

        Raises:
            BadValue: it is no positive number there.

        >>> round(fit("hoffmann-3").value(N=70 * 10**9, D=1400 * 10**9), 4)
        1.9366
        >>> round(fit("hoffmann-1").value(C=121 * 10**18))
        1000000000
        """
        try:
            found = float(ex.evaluate(self.expr, {name: float(n) for name, n in numbers.items()}))
        except (ArithmeticError, TypeError, ValueError):
            found = nan
        if not 0 < found < inf:
            at = ", ".join(f"{name} = {n}" for name, n in numbers.items())
            raise BadValue("--fit", self.text, f"is no positive number for {at}")
        return found


#: Named fits: the text of each, and its source. Of the first two the paper states the exponent and
#: the optimum of each size; the row of a billion parameters fixes the factor.
FITS = {
    "hoffmann-1": ("10**9*(C/(121*10**18))**0.5",
                   f"{HOFFMANN}, approach 1 (minimum over training curves), table 3"),
    "hoffmann-2": ("10**9*(C/(120*10**18))**0.49",
                   f"{HOFFMANN}, approach 2 (IsoFLOP profiles), table A3"),
    "hoffmann-3": ("1.69 + 406.4/N**0.34 + 410.7/D**0.28",
                   f"{HOFFMANN}, approach 3 (parametric loss), eq. 10"),
}


EXPECTED = (f"expected {', '.join(FITS)}, or a formula: in C of the best number of parameters, in "
            "N and D of the loss")


def fit(text: str) -> Fit:
    """A fit by its name, or a formula of one's own.

    Raises:
        BadValue: it is neither, or a formula in neither C alone nor N and D.

    >>> fit("2.1 + 400/N**0.3 + 500/D**0.3").is_loss, fit("0.1*C**0.5").is_loss
    (True, False)
    """
    if text in FITS:
        formula, source = FITS[text]
        called = f"Hoffmann et al. 2022, approach {text[-1]}"
        return Fit(text, parse_expression(formula, "CND"), formula, source, called)
    try:
        expr = parse_expression(text, "CND")
    except (ParseError, UnknownName) as error:
        why = f" ({error})" if isinstance(error, ParseError) else ""
        raise BadValue("--fit", text, f"{EXPECTED}{why}") from None
    if set(ex.symbols_in(expr)) not in ({"C"}, {"N", "D"}):
        raise BadValue("--fit", text, EXPECTED)
    return Fit("own", expr, text, "a formula of one's own", f"the formula {text}")
