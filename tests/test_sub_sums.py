"""Letters for long sums: as few as a line needs, and no formula of more than can be read."""

from __future__ import annotations

import pytest

from symparam import expression as ex
from symparam.writers.sub_sums import equalities

DIMS = "d_model d_ff d_head n_heads n_kv V L".split()


def long_sum(number: int) -> ex.Expr:
    """A sum of four products, another one for each number."""
    return ex.sum_of(*(ex.product_of(ex.Num(k + number + 2), ex.Sym(DIMS[k]),
                                     ex.Sym(DIMS[(k + number) % 7])) for k in range(4)))


@pytest.mark.parametrize(("sums", "lefts"), [(1, ["x", "b"]), (2, ["x", "b", "c"]), (3, [])])
def test_a_formula_has_two_letters_at_most(sums: int, lefts: list[str]) -> None:
    whole = ex.Quotient(ex.product_of(*map(long_sum, range(1, sums + 1))), ex.Sym("V"))
    found = list(equalities([(ex.Sym("x"), whole)]))
    assert [str(each.left) for each in found] == lefts
    assert [str(each.sides[0][1][0].expr) for each in found[:1]] == [
        f"{'*'.join(lefts[1:])}/V"][:len(found)]
