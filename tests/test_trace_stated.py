"""What a check states of a key is no assumption: other numbers of it are refused by name."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Mapping

import pytest

from symparam.traced.records import Trace
from symparam.tracing import trace
from tests.traces import allowed, fault, free, points, told

Built = Mapping[str, tuple[int, ...]]
Builder = Callable[..., Built]


def equal(d: int = 96, other: int = 96) -> Built:
    """Two widths that have to be equal."""
    if d != other:
        raise ValueError("other must equal d")
    return {"w": (d, other), "v": (d,)}


def chain(d: int = 96, e: int = 96, f: int = 96) -> Built:
    """Three of them."""
    if d != e or e != f:
        raise ValueError("must be equal")
    return {"w": (d, e, f), "v": (d,)}


def table(d: int = 96, types: int = 0) -> Built:
    """A table that is there where it has rows."""
    return {"w": (d, d)} | ({"types": (types, d)} if types else {})


def registers(d: int = 96, extra: int = 0) -> Built:
    """A tensor of which an axis may have no numbers."""
    return {"w": (d, d), "registers": (extra, d)}


def dense(d: int = 96, wide: int = 200, depth: int = 6, first: int = 0) -> Built:
    """The first layers may be of another kind."""
    return {f"h.{i}.{'dense' if i < first else 'sparse'}": (d, wide if i < first else 7)
            for i in range(depth)}


def only(d: int = 96, top: int = 1) -> Built:
    """One number that is taken alone."""
    if top != 1:
        raise ValueError("top is 1")
    return {"w": (d, top + 4)}


def power(d: int = 96, codes: int = 1024) -> Built:
    """A power of 2."""
    if 2 ** (operator.index(codes).bit_length() - 1) != codes:
        raise ValueError("a power of 2")
    return {"w": (d, d), "codes": (codes, d)}


def bits(d: int = 96, codes: int = 64) -> Built:
    """Warns where a number is no power of 2, and makes nothing of it."""
    if codes & (codes - 1):
        warnings.warn("slower", stacklevel=2)
    return {"w": (d, d), "codes": (codes, 5)}


def languages(d: int = 96, n_langs: int = 1) -> Built:
    """A table where there are two languages."""
    return {"w": (d, d)} | ({"langs": (n_langs, d)} if n_langs > 1 else {})


def halved(d: int = 96, factor: int = 8) -> Built:
    """As many steps as a factor has powers of 2."""
    return {f"h.{i}.w": (d, d) for i in range(operator.index(factor).bit_length() - 1)}


def blind(d: int = 96, top: int = 4) -> Built:
    """One number that is taken alone, by nothing that is seen."""
    if operator.index(top) != 4:
        raise ValueError("4")
    return {"w": (d, top)}


def odd(d: int = 96, factor: int = 40) -> Built:
    """Another tensor at every third number, by nothing that is seen."""
    return {"w": (d, d)} | ({"v": (d,)} if operator.index(factor) % 3 == 0 else {})


def ratios(d: int = 96, depth: int = 3, first: int = 4, last: int = 1) -> Built:
    """Layers of two stages have a convolution where a ratio is above 1."""
    return {f"{stage}.{i}.w": (d, d) for stage in (0, 1) for i in range(depth)} | {
        f"{stage}.{i}.reduce": (d, ratio) for stage, ratio in enumerate((first, last))
        for i in range(depth) if ratio > 1}


def kinds(found: Trace) -> set[str]:
    """The kinds of what is assumed."""
    return {each.kind for each in told(found)} - {"switch"}


def wrong(found: Trace, build: Builder) -> list[str]:
    """What is otherwise at points that are allowed, after at least ten were."""
    def made(values: Mapping[tuple[str | int, ...], int]) -> list[tuple[str, tuple[int, ...], str]]:
        return [(name, shape, "trainable") for name, shape in build(
            **{str(path[0]): value for path, value in values.items()}).items()]
    seen = [*points(found, made, "stated", structure=True)]
    assert len(seen) >= 10
    return [problem for _, problem in seen if problem]


@pytest.mark.parametrize(("build", "checks", "moved"), [
    (equal, {"d = other"}, {"d", "other"}), (chain, {"d = e", "e = f"}, set("def")),
    (table, {"types = 0"}, {"d"}), (registers, set(), {"d", "extra"}),
    (dense, {"first is at most depth", "0 < depth"}, {"d", "wide", "depth", "first"}),
    (only, {"top = 1"}, {"d"}), (power, set(), {"d", "codes"}),
    (languages, {"n_langs = 1"}, {"d"}), (halved, {"8 <= factor", "factor <= 15"}, {"d", "factor"}),
    (bits, set(), {"d", "codes"}),
    (ratios, {"1 < first", "last = 1"}, {"d", "depth", "first"})])
@pytest.mark.filterwarnings("ignore:slower")
def test_what_is_stated_is_no_assumption(build: Builder, checks: set[str], moved: set[str]) -> None:
    found = trace(build)
    assert kinds(found) <= {"existence", "asserted"}
    names = {key.path[0]: key.name for key in found.keys}
    assert {_plain(str(each), names) for each in found.checks} == checks
    assert {str(key.path[0]) for key in free(found, structure=True)} >= moved
    assert wrong(found, build) == []


def _plain(text: str, names: Mapping[str | int, str]) -> str:
    """A check in the target's own names, the sides of an equation in order."""
    for own, name in names.items():
        text = " ".join(str(own) if word == name else word for word in text.split())
    sides = text.split(" = ")
    return " = ".join(sorted(sides)) if not sides[-1].isdigit() else text


@pytest.mark.parametrize(("build", "kind"), [(blind, "pinned"), (odd, "held")])
def test_what_no_comparison_shows_stays_an_assumption(build: Builder, kind: str) -> None:
    assert kind in kinds(trace(build))


def test_keys_that_are_in_one_ratio_by_chance_are_tied() -> None:
    def build(d: int = 96, other: int = 96) -> Built:
        if operator.index(d) != operator.index(other):
            raise ValueError("by nothing that is seen")
        return {"w": (d, other)}
    assert {"tied", "pinned"} & kinds(trace(build))


def test_a_point_beyond_what_is_stated_is_refused() -> None:
    found = trace(halved)
    at = {key.name: key.base for key in found.keys if isinstance(key.base, int)}
    assert [n for n in range(1, 40) if allowed(found, {**at, "factor": n})] == list(range(8, 16))
    dims = {**at, "factor": 11}
    name = next(name for name in at if name != "factor")
    assert fault(found, dims, [(n, s, "trainable") for n, s in halved(at[name], 11).items()]) == ""
