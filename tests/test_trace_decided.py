"""What code decides by a number without comparing it: lookups and texts are said, prints not."""

from __future__ import annotations

import ast
import copy
import gc
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from symparam.traced.records import Assumption
from symparam.tracing import trace
from symparam.tracing.recording import indexing, proxies
from symparam.tracing.recording.proxies import proxy, recording
from symparam.tracing.recording.texts import ASKING, RecordedText

Shapes = dict[str, tuple[int, ...]]


def lookup(d: int = 64, depth: int = 12) -> Shapes:
    """A table of one's own."""
    width = {20: 5}.get(depth, 3)
    return {"w": (d, width)}


def member(d: int = 64, depth: int = 12) -> Shapes:
    """One of a set."""
    return {"w": (d, 2 if depth + 1 in {21, 31} else 3)}


def ending(d: int = 64, depth: int = 12) -> Shapes:
    """The last digit."""
    return {"w": (d, 2 if str(depth).endswith("7") else 3)}


def inside(d: int = 64, depth: int = 12) -> Shapes:
    """Any digit."""
    return {"w": (d, 2 if "77" in f"{depth}" else 3)}


@cache
def _kept(depth: int) -> int:
    return 3


def kept(d: int = 64, depth: int = 12) -> Shapes:
    """Worked out once for each number."""
    return {"w": (d, _kept(depth))}


SIZES = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 3, 5, 7, 9, 11, 12, 14]


def picked(d: int = 64, depth: int = 12) -> Shapes:
    """One of a list."""
    return {"w": (d, SIZES[depth])}


def cut(d: int = 64, depth: int = 12) -> Shapes:
    """The end of a list is left out."""
    return {"w": (d, 2 if 5 in SIZES[:depth - 1] else 3)}


class Holder:
    """Has a list, and a number to look up in it."""

    sizes: list[int] = SIZES

    def __init__(self, place: int) -> None:
        self.place = place

    @property
    def size(self) -> int:
        """Worked out in a function inside a function."""
        return (lambda place: self.sizes[place])(self.place)


def held(d: int = 64, depth: int = 12) -> Shapes:
    """One of a list that an object has."""
    return {"w": (d, Holder(depth).size)}


def powers(d: int = 64, depth: int = 12) -> Shapes:
    """A number with single bits turned around."""
    return {"w": (d, 2 if (depth ^ 3) > 9 else 3)}


def whole(d: int = 64, depth: int = 12) -> Shapes:
    """A list that nothing is left out of, and a number that has lost its memory."""
    kinds = ["a"] * depth
    return {f"h.{i}.w": (d, len(kinds[i])) for i, _ in enumerate(kinds[:depth])}


def rates(d: int = 64, depth: int = 12) -> Shapes:
    """Fractions are no widths."""
    found = [i / 50 for i in range(30)]
    return {"w": (d, 3 + len([found[depth]]) + 0 * int(sum(found[:depth])))}


def printed(d: int = 64, depth: int = 12) -> Shapes:
    """Tells of itself, and asks nothing."""
    print(f"{d} wide", str(depth), f"{depth}", repr(d), f"{d:,}")
    note = f"d={d}, depth={depth:>4}"
    json.dumps({"d": d, "text": str(d)})
    kept = copy.deepcopy({"d": d, "text": str(d), "note": note})
    if kept["d"] < 1:
        raise ValueError(f"{d} is too small")
    return {"w": (d, depth)}


@pytest.fixture(autouse=True)
def _seen() -> Iterator[None]:
    """Functions that the collector was told to leave alone are not found by it."""
    gc.unfreeze()
    yield
    gc.freeze()


def said(build: Callable[..., Any]) -> list[Assumption]:
    """What a trace says was decided."""
    return [a for a in trace(build).assumptions if a.kind == "decided"]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("build", "how"), [
    (lookup, "L was looked up in a table"), (member, "L + 1 was looked up in a table"),
    (kept, "L was looked up in a table"),
    (ending, "L was made a text of which something was asked"),
    (inside, "L was made a text of which something was asked"),
    (picked, "L was used to pick something out of a list"),
    (held, "L was used to pick something out of a list"),
    (cut, "L - 1 was used to cut a list"),
    (powers, "L was taken bit by bit")])
def test_what_is_decided_without_a_comparison_is_said_with_its_place(
        build: Callable[..., Shapes], how: str) -> None:
    (found,) = said(build)
    assert found.keys == ("L",)
    assert found.text.startswith(f"{how} (test_trace_decided.py:")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("build", [printed, whole, rates])
def test_what_is_only_printed_or_counted_decides_nothing(build: Callable[..., Shapes]) -> None:
    assert said(build) == []


def test_functions_are_as_they_were_when_a_trace_is_over() -> None:
    before = [f.__code__ for f in (picked, cut, held, Holder.size.fget)]  # type: ignore[attr-defined]
    said(picked), said(held)
    assert [f.__code__ for f in (picked, cut, held, Holder.size.fget)] == before  # type: ignore[attr-defined]
    assert not {indexing.ITEM, indexing.PART} & set(globals())


def test_what_was_looked_up_before_is_looked_up_in_its_own_words() -> None:
    source = """
from __future__ import annotations
def asked(xs: list[int], n: int) -> dict[str, int]:
    total: list[int] = [xs[n]]
    total[0] += xs[1:n][-1]
    del xs[n]
    return {f"{xs[n - 1]}": total[0], "all": sum(x[0] for x in [xs, xs][:n])}
"""
    plain, asking = {}, {indexing.ITEM: indexing._item, indexing.PART: indexing._part}
    exec(source, plain)
    exec(compile(indexing._Asking().visit(ast.parse(source)), "f", "exec"), asking)
    args = [1, 2, 3, 4, 5], 3
    assert asking["asked"](*copy.deepcopy(args)) == plain["asked"](*copy.deepcopy(args))
    assert asking["asked"].__annotations__ == plain["asked"].__annotations__


def test_without_calls_in_their_place_lookups_in_lists_would_be_missed(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_rewritten", lambda _: {})
    assert said(picked) == said(cut) == []


def test_without_the_record_a_lookup_would_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxies, "decide", lambda *_: None)
    assert said(lookup) == []


def test_a_text_of_a_number_is_the_text() -> None:
    with recording() as found:
        text = str(proxy(1077, ("d",)))
        assert isinstance(text, RecordedText)
        for name in ASKING:
            assert getattr(RecordedText, name) is not getattr(str, name)
        assert not found.decided
        assert (text == "1077", text[0], "77" in text, len(text), text.split("7")) == (
            True, "1", True, 4, ["10", "", ""])
        assert {text: 1}["1077"] == 1
        assert len({each.where for each in found.decided}) == 2
    before = len(found.decided)
    assert text.endswith("7")
    assert len(found.decided) == before
    assert type(str(proxy(7, ("d",)))) is str


def test_torch_and_what_it_makes_of_names_decides_nothing() -> None:
    torch = pytest.importorskip("torch")

    def layers(d: int = 64, depth: int = 3) -> Any:
        made = torch.nn.ModuleDict({f"n{i}": torch.nn.Linear(d, 2 * d) for i in range(depth)})
        made.register_buffer("steps", torch.zeros(d, depth))
        made.extra = torch.nn.Conv1d(d, d, 3, groups=1, padding="same")
        return made
    assert said(layers) == []
