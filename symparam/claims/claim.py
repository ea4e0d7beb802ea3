"""A claim: what is said to be how large."""

from __future__ import annotations

import re
from collections.abc import Iterable

from symparam import expression as ex
from symparam.claims.printed import Printed, read_printed
from symparam.claims.verdict import Relation
from symparam.dataclass import dataclass
from symparam.dims import TOTAL
from symparam.errors import ParseError
from symparam.grammar import parse_expression

_RELATION = re.compile(r"<=|>=|≤|≥|=|<|>|≈")
_SIGNS: dict[str, Relation] = {"≤": "<=", "≥": ">=", "≈": "="}


@dataclass(frozen=True)
class Claim:
    """A number that is said to be that of an expression.

    Attributes:
        left: in dims, P, parts, matrices and quantities.
        relation: ``=``, or a bound.
        printed: the number as it was written.
    """

    left: ex.Expr
    relation: Relation
    printed: Printed

    @property
    def of_total(self) -> bool:
        """Whether it is about the number of parameters itself."""
        return self.left == ex.Sym(TOTAL.name)

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.printed.text}"


def total_claim(text: str, name: str = "claim") -> Claim:
    """A claim of the number of parameters, from a number alone."""
    return Claim(ex.Sym(TOTAL.name), "=", read_printed(text, name))


def read_claim(text: str, names: Iterable[str] = ()) -> Claim:
    """A claim from ``P=8B``, ``8B`` or ``kv_cache >= 1TB``.

    Args:
        text: an expression, a relation, a number as it is printed.
        names: what the expression may use besides known dims.

    Raises:
        ParseError: the left side is no expression. BadValue: the right side is no number.

    >>> str(read_claim("d_ff/d_model = 2.67")), str(read_claim("8B"))
    ('d_ff/d_model = 2.67', 'P = 8B')
    """
    match = _RELATION.search(text)
    if match is None:
        return total_claim(text)
    left, sign, right = text[:match.start()], match[0], text[match.end():]
    if not left.strip():
        raise ParseError(text, 0, "something has to be claimed: P=8B")
    printed = read_printed(("~" if sign == "≈" else "") + right)
    relation: Relation = _SIGNS.get(sign) or sign  # type: ignore[assignment]
    return Claim(parse_expression(left, names), relation, printed)
