"""Keys that are worked out of others where they are not given: by which rule, or by none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from symparam.traced.records import Trace
from symparam.tracing import Target, trace
from symparam.tracing.recording.terms import Term, key, keys_in
from symparam.tracing.searching import derived
from tests.traces import told

WIDTH, HEADS, OTHER, INNER = ("text", "width"), ("text", "heads"), ("other",), ("text", "inner")
Values = Mapping[tuple[str | int, ...], Any]


def traced(rule: Callable[[Values], Any]) -> Trace:
    """A target with a key that a rule gives where nobody gives it."""
    base: dict[tuple[str | int, ...], Any] = {WIDTH: 96, HEADS: 6, OTHER: 48}

    def build(values: Values) -> dict[str, tuple[int, ...]]:
        width, heads, other, inner = (values[path] for path in (WIDTH, HEADS, OTHER, INNER))
        return {"w": (width, heads), "u": (inner, other)}
    first = rule({**base, INNER: 24})
    inner = first if type(first) is int else 24
    return trace(Target("t", "t", build, {**base, INNER: inner},
                        derived=lambda values: {INNER: rule(values)}, opened=frozenset({INNER})))


def unseen(value: Any) -> int:
    """A number of which it is not seen where it comes from."""
    return int(str(int(value)))


def rules(rule: Callable[[Values], Any]) -> tuple[list[str], list[tuple[str, ...]]]:
    """The rules of a trace, and the dims that it says have none."""
    found = traced(rule)
    assert {a.kind for a in told(found)} <= {"stays"}
    assert {e.reason for e in found.equations} <= {"where it is not given"}
    return [str(e) for e in found.equations], [a.keys for a in told(found)]


def test_the_rule_is_what_the_target_computes() -> None:
    """However it is written, where it holds at every point."""
    assert rules(lambda v: v[WIDTH] // v[HEADS] + 7) == (["inner = down(d_model/n_heads) + 7"], [])
    assert rules(lambda v: 1 + v[HEADS] * 7919 % 97)[0] == [
        "inner = 7919*n_heads - 97*down(7919*n_heads/97) + 1"]


def test_where_the_target_does_not_show_what_it_computes_a_rule_is_fitted() -> None:
    """Keys beside it come first; others where these have none."""
    assert rules(lambda v: 4 * unseen(v[WIDTH])) == (["inner = 4*d_model"], [])
    assert rules(lambda v: 4 * unseen(v[OTHER])) == (["inner = 4*other"], [])


def test_what_follows_others_by_no_rule_is_said_to_stay() -> None:
    """Whole numbers by chance, what is no number, and what holds at some points only."""
    def chance(values: Values) -> int:
        return 1 + unseen(values[HEADS]) * 7919 % 97
    assert rules(chance) == ([], [("inner",)])
    assert rules(lambda v: None if unseen(v[HEADS]) % 2 else 8) == ([], [("inner",)])
    assert rules(lambda v: 2.0 * v[HEADS]) == ([], [("inner",)])

    def sometimes(values: Values) -> Any:
        return 2 * values[HEADS] if unseen(values[HEADS]) % 3 == 0 else chance(values)
    assert rules(sometimes) == ([], [("inner",)])


def test_what_is_always_the_same_or_is_given_itself_has_no_rule() -> None:
    """The former is a number like another; the latter would be a rule of itself."""
    assert rules(lambda v: 24) == ([], [])
    assert rules(lambda v: v[INNER]) == ([], [("inner",)])
    assert rules(lambda v: v[INNER] + v[HEADS]) == ([], [("inner",)])


def ruled(seen: list[tuple[int, int, int, int]], apart: list[tuple[int, int, int, int]],
          pool: Sequence[Term] = (), computed: Term | None = None) -> Any:
    """The term for ``inner`` at points of other, width, heads and inner."""
    def points(rows: list[tuple[int, int, int, int]]) -> Any:
        return [(dict(zip((OTHER, WIDTH, HEADS), row, strict=False)), {INNER: row[3]})
                for row in rows]
    leaves = [key(path) for path in (OTHER, WIDTH, HEADS)]
    writing: Any = SimpleNamespace(expression=lambda term: term)
    return derived._rule(INNER, points(seen), points(apart), leaves, pool, writing, computed)


def test_of_two_rules_that_fit_the_one_of_keys_beside_it_is_taken() -> None:
    """Sizes of one part follow each other; what all keys beside it make is of that part too."""
    alike = [(w, w, h, 2 * w) for w, h in ((12, 5), (20, 3), (33, 7), (50, 4), (64, 6))]
    assert keys_in(ruled(alike, [])) == {WIDTH}
    over: list[Term] = [("//", key(OTHER), key(HEADS)), ("//", key(WIDTH), key(HEADS))]
    assert keys_in(ruled([(o, w, h, 3 * (w // h)) for o, w, h, _ in alike], [], over)) == {
        WIDTH, HEADS}


def test_a_rule_has_to_hold_where_it_was_not_found() -> None:
    """One that is fitted, and one that the target computes."""
    seen = [(9, w, h, 2 * w) for w, h in ((12, 5), (20, 3), (33, 7), (50, 4), (64, 6))]
    assert ruled(seen, [(9, 70, 8, 140)]) is not None
    assert ruled(seen, [(9, 70, 8, 140), (9, 70, 8, 141)]) is None
    twice: Term = ("*", ("n", 2), key(HEADS))
    assert ruled([(9, 12, 5, 10)], [(9, 12, 6, 12)], computed=twice) == twice
    assert ruled(seen, [(9, 70, 35, 70)], computed=twice) is None
