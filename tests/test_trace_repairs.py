"""Points that are brought back to where a comparison holds: a dividend and its divisor."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from symparam.tracing.recording.terms import Term, evaluate, key, number
from symparam.tracing.searching.relations import _divided
from tests.strategies import quick

D, HEADS, TIMES = ("d",), ("heads",), ("times",)
#: The most of a divisor that is gone through.
MOST = 64


@quick
@example(d=1, heads=7, times=1, factor=1, both=False, held=frozenset())
@example(d=12, heads=8, times=1, factor=2, both=False, held=frozenset())
@given(d=st.integers(1, 5000), heads=st.integers(1, 200), times=st.integers(1, 9),
       factor=st.integers(1, 6), both=st.booleans(),
       held=st.frozensets(st.sampled_from((D, HEADS, TIMES)), max_size=2))
def test_each_key_is_moved_alone_to_where_the_division_goes_up(
        d: int, heads: int, times: int, factor: int, both: bool,
        held: frozenset[tuple[str]]) -> None:
    """Of the dividend each key to a point that is a multiple, of the divisor each down to one."""
    values = {D: d, HEADS: heads, TIMES: times}
    top: Term = ("*", number(factor), key(D))
    bottom: Term = ("*", key(HEADS), key(TIMES)) if both else key(HEADS)
    found = list(_divided(values, top, bottom, held))
    moved: dict[tuple[str], list[int]] = {}
    for point in found:
        keys = [path for path in values if point[path] != values[path]]
        assert len(keys) <= 1
        assert not set(keys) & held
        assert min(point.values()) > 0
        for path in keys:
            moved.setdefault(path, []).append(point[path])
    below = evaluate(bottom, values)
    if D not in held:
        times_more = next(k for k in range(1, below + 1) if factor * d * k % below == 0)
        assert {d * times_more, max(d - d % below, below)} == {d, *moved.get(D, ())} - (
            {d} - {d * times_more, max(d - d % below, below)})
    for path in ({HEADS, TIMES} if both else {HEADS}) - held:
        assert {*moved.get(path, ()), values[path]} == {
            *range(1, min(values[path], MOST) + 1), values[path]}
    assert list(_divided(values, top, ("-", key(HEADS), key(HEADS)), held)) == []
    assert list(_divided(values, ("/", key(D), number(2)), bottom, held)) == []
    assert list(_divided(values, key(("absent",)), bottom, held)) == []


def test_which_point_needs_no_move_is_among_them() -> None:
    values = {D: 64, HEADS: 8}
    found = list(_divided(values, key(D), key(HEADS), frozenset()))
    assert values in found
    assert [point[HEADS] for point in found if point[D] == 64][-8:] == [8, 7, 6, 5, 4, 3, 2, 1]
