"""What a search over forward passes says of a target; the traces of them are written by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from symparam import expression as ex
from symparam.constraints import Compares, Equation, Standing
from symparam.traced.records import Assumption, Evidence, Trace, TracedRow, WorkRow
from symparam.tracing.sources.target import Target
from symparam.tracing.working.calls import CALL, KEYS, sizes_of_call
from symparam.tracing.working.costs import FOLLOWED, _work

B, S, D = (ex.Sym(name) for name in ("call_b", "call_s", "d_model"))
CALLED = Target("t", "t", lambda values: {}, {KEYS["b"]: 3, KEYS["s"]: 67, ("hidden_size",): 96})
ROWS = (
    TracedRow("q.weight@0", (ex.Num(1), ex.product_of(B, S), D, D), (ex.Sym("L"),),
              module="weight"),
    TracedRow("attn.product.0", (B, S, D, S), (), module="product", numbers="every 2nd from 0"),
    TracedRow("attn.keys", (B, S, D), (), module="state"),
    TracedRow("embed.weight", (ex.Num(1),), (), module="used"),
    TracedRow("embed.weight", (ex.Num(2),), (), module="used"))


def found(*assumptions: Assumption) -> Trace:
    """A trace of forward passes that rests on something."""
    return Trace("t", "t", (), (), (Compares(S, "<=", ex.Num(900), "longer is refused"),), ROWS,
                 assumptions, Evidence(6, 20, 74, 0, {}, digest="x", moved=("call_s", "d_model")))


def test_rows_are_in_tokens_and_sequences_and_what_was_only_used_is_named_once() -> None:
    rule = Equation("d_head", ex.Quotient(D, ex.Num(8)), "heads split the width",
                    Standing.DEFAULT)
    work = _work(found(Assumption("range", ("call_s",), "call_s 4 to 900 was run"),
                       Assumption("unread", ("dropout",), "dropout is read by nothing")),
                 CALLED, [rule])
    b, s = ex.Sym("b"), ex.Sym("s")
    assert work.rows == (
        WorkRow("weight", "q.weight@0", (ex.Num(1), ex.product_of(b, s), D, D), (ex.Sym("L"),), ""),
        WorkRow("product", "attn.product.0", (b, s, D, s), (), "every 2nd from 0"),
        WorkRow("state", "attn.keys", (b, s, D), (), ""))
    assert (work.used, work.unset) == (("embed.weight",), "")
    assert [str(check) for check in work.checks] == [
        str(Compares(ex.Sym("d_head"), "=", rule.expr, FOLLOWED)),
        str(Compares(s, "<=", ex.Num(900), "longer is refused"))]
    assert work.assumptions == (Assumption("range", ("s",), "s 4 to 900 was run"),)
    assert work.evidence is not None
    assert (work.evidence.digest, work.evidence.moved) == ("", ("s", "d_model"))


@pytest.mark.parametrize(("kind", "keys", "unset"), [
    ("disagrees", (), True), ("copies", ("n",), True), ("pinned", ("call_s",), True),
    ("held", ("call_b", "n"), True), ("tied", ("d_model",), False), ("range", ("call_s",), False)])
def test_work_is_unset_where_its_search_is_not_through_or_says_nothing_of_tokens(
        kind: Any, keys: tuple[str, ...], unset: bool) -> None:
    work = _work(found(Assumption(kind, keys, "so it is with call_s and call_b")), CALLED, [])
    assert work.unset == ("so it is with s and b" if unset else "")
    assert bool(work.rows) is not unset


@pytest.mark.parametrize(("forward", "names"), [
    (lambda input_ids, attention_mask: None, ("b", "s")), (lambda pixel_values: None, ()),
    (lambda input_ids, decoder_input_ids: None, ("b", "s", "s_encoder"))])
def test_a_module_is_called_with_what_its_forward_pass_takes(
        forward: Any, names: tuple[str, ...]) -> None:
    """Once with a long sequence, once with a short one."""
    sizes = sizes_of_call(SimpleNamespace(forward=forward))
    assert [[*each] for each in sizes] == [[(CALL, name) for name in names]] * 2 * bool(names)
    assert all(len({each[path] for each in sizes}) == 2 for each in sizes
               for path in each if path != KEYS["b"])
