"""Layers in stages, layers in layers and layers beside an offset: counted right, or said."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from symparam.traced.records import Trace
from symparam.tracing import trace
from symparam.tracing.rules import copies
from symparam.tracing.rules.counts import Counts
from symparam.tracing.searching import cases, engine, intervals, joint, kinds
from symparam.tracing.searching.engine import Finder
from symparam.tracing.searching.structure import Structure
from tests.strategies import SEED
from tests.traces import bound, faults, free, told

Built = dict[str, tuple[int, ...]]
Builder = Callable[..., Built]


def listed(d: int = 96, num_stages: int = 4, depths: tuple[int, ...] = (2, 2, 3, 2),
           widths: tuple[int, ...] = (8, 16, 32, 64)) -> Built:
    """Stages, as many as lists have numbers for; the last width is read of the list's end."""
    return {"norm": (widths[-1],)} | {f"s.{i}.h.{j}.w": (widths[i], d) for i in range(num_stages)
                                      for j in range(depths[i])}


def without_its_last(d: int = 96, depths: tuple[int, ...] = (3, 3, 6, 4),
                     widths: tuple[int, ...] = (48, 56, 112, 220)) -> Built:
    """The last layer of each stage has no norm, and each norm has a number of steps."""
    found: Built = {}
    for i, depth in enumerate(depths):
        for j in range(depth - 1):
            found |= {f"n.{2 * i}.h.{j}.norm.w": (widths[i],), f"n.{2 * i}.h.{j}.norm.steps": ()}
        if depth:
            found[f"n.{2 * i}.h.{depth - 1}.last.w"] = (widths[i], d)
    return found


def in_each_other(d: int = 96, wide: int = 128, depth: int = 2) -> Built:
    """As many layers in each layer as there are layers beyond two."""
    found: Built = {}
    for i in range(depth):
        found |= {f"h.{i}.w": (d, d), f"h.{i}.mlp.up": (wide, d)}
        found |= {f"h.{i}.mlp.layers.{j}": (wide, wide) for j in range(depth - 2)}
    return found


def merged(d: int = 96, out: int = 160, times: int = 1, depth: int = 3) -> Built:
    """Steps of which the last alone has another width; there is one of them."""
    shapes = [(d, 4 * d)] * (times - 1) + [(out, 4 * d)]
    return {f"m.{i}.w": shape for i, shape in enumerate(shapes)} | {
        f"h.{i}.w": (d, d) for i in range(depth)}


def beside(d: int = 96, wide: int = 160, depth: int = 8, period: int = 2, offset: int = 1
           ) -> Built:
    """Every n-th layer is wide, from an offset that has to be below the period."""
    if offset >= period:
        raise ValueError("offset must be smaller than period")
    return {f"h.{i}.{'e' if i % period == offset else 'm'}": (
        (wide, d) if i % period == offset else (d, d)) for i in range(depth)}


def alike(d: int = 96, n_kv: int = 2, d_head: int = 256, depth: int = 24) -> Built:
    """Every sixth layer and the last one are 512 wide, as the others are by default."""
    wide = {i for i in range(depth) if (i + 1) % 6 == 0 or i == depth - 1}
    return {f"h.{i}.k": (512 if i in wide else n_kv * d_head, d) for i in range(depth)} | {
        f"h.{i}.o": (d, d) for i in range(depth)}


def but_for_three(d: int = 96, depth: int = 45, experts: int = 8) -> Built:
    """The first three layers have no experts."""
    sparse = set(range(3, depth))
    return {f"h.{i}.{'e' if i in sparse else 'm'}": ((experts, d) if i in sparse else (d, d))
            for i in range(depth)}


def at_least_one(d: int = 96, depth: int = 32) -> Built:
    """Every fourth layer is wide; with fewer than four, the last one."""
    wide = [*range(3, depth, 4)] or [operator.index(depth) - 1]
    return {f"h.{i}.{'w' if i in wide else 'n'}": ((d, d) if i in wide else (d,))
            for i in range(depth)}


def more_levels(d: int = 96, levels: int = 4, depth: int = 3) -> Built:
    """Three levels are given, the fourth is made of the third, and each further one of the last."""
    shapes = [(d, 8), (d, 16), (d, 40), (d, 40, 3), *[(d, d, 3)] * (levels - 4)]
    made = max(3, operator.index(levels))
    return {"table": (levels, d)} | {f"p.{i}.w": shape for i, shape in enumerate(shapes[:made])} | {
        f"h.{i}.w": (d, d) for i in range(depth)}


def fourth_alike(d: int = 96, heads: int = 4, d_head: int = 32, others: int = 4, wide: int = 32,
                 depth: int = 27) -> Built:
    """Every fourth layer but the first has heads of its own, which are as the others' by default.
    """
    return {f"h.{i}.o": (d, heads * d_head if i and i % 4 == 0 else others * wide)
            for i in range(depth)}


def shifting(d: int = 96, residual: int = 1, kernel: int = 7, ratios: tuple[int, ...] = (4, 3, 2)
             ) -> Built:
    """A list in which everything moves up by the layers before it."""
    found, number, width = {"l.0.conv": (d, 1, kernel)}, 1, d
    for ratio in ratios:
        for _ in range(residual):
            found[f"l.{number}.block.1.w"] = (width, width, 3)
            number += 1
        found[f"l.{number + 1}.conv"] = (2 * width, width, 2 * ratio)
        number, width = number + 2, 2 * width
    return found | {f"l.{number + 1}.conv": (64, width, kernel)}


def tokens(d: int = 96, depth: int = 3, extra: int = 0) -> Built:
    """The third stage too has tokens, and what goes with them, where there are any."""
    found: Built = {}
    for i, count in enumerate((64, 8, operator.index(extra))):
        found |= {f"s.{i}.h.{j}.w": (d, d) for j in range(depth)}
        if count:
            found |= {f"s.{i}.tokens": (count, d), f"s.{i}.down": (d, d)}
    return found


def halvings(d: int = 96, reduction: int = 8, depth: int = 3) -> Built:
    """As many steps as the logarithm of an even number has whole ones."""
    if reduction % 2:
        raise ValueError("must be a multiple of 2")
    steps = int(math.log2(operator.index(reduction)))
    return {f"c.{i}.w": (d, 3) for i in range(steps)} | {f"h.{i}.w": (d, d) for i in range(depth)}


def rates(d: int = 96, rate: int = 24000, kernel: int = 3) -> Built:
    """The ratio of two rates that follow a third one is 2 nearly everywhere."""
    return {"w": (d, kernel), "up": (d, 2 * math.floor(math.ceil(rate / 960) / (rate / 1920)))}


def made_by(build: Builder) -> Callable[[Mapping[tuple[Any, ...], Any]], list[Any]]:
    """What a builder makes at a point: tuples of their elements."""
    def made(values: Mapping[tuple[Any, ...], Any]) -> list[Any]:
        given: dict[str, Any] = {}
        for path, value in sorted(values.items(), key=str):
            if len(path) == 1:
                given[path[0]] = value
            else:
                given[path[0]] = (*given.get(path[0], ()), value)
        return [(name, shape, "trainable") for name, shape in build(**given).items()]
    return made


def doubts(found: Trace) -> set[str]:
    """The kinds of what is assumed, but for cases that are stated and numbers that code has."""
    return {a.kind for a in told(found) if "none of the keys" not in a.text} - {
        "switch", "existence", "asserted"}


MOVED = [
    (listed, {"depths_3", "widths_3"}), (without_its_last, {"depths_2"}),
    (in_each_other, {"depth"}), (merged, {"times"}), (beside, {"period", "offset", "depth"}),
    (alike, {"depth"}), (but_for_three, {"depth"}), (at_least_one, {"depth"}),
    (more_levels, {"levels"}), (fourth_alike, {"depth"}),
    (shifting, {"residual"}),
    (tokens, {"depth"}), (halvings, {"reduction"}), (rates, {"rate"})]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("build", "moved"), MOVED)
@pytest.mark.parametrize("seed", [0, SEED])
def test_layers_are_counted_and_nothing_is_held(build: Builder, moved: set[str],
                                                seed: int) -> None:
    found = trace(build, seed=seed)
    assert doubts(found) == set()
    keys = {"_".join(map(str, key.path)) for key in free(found, structure=True)}
    assert keys >= moved
    assert not bound(found)
    sizes, both, wrong = faults(found, made_by(build), str(seed), wanted=40)
    assert min(sizes, both) >= 10
    assert wrong == []


def test_a_sum_of_two_quotients_that_fits_some_numbers_by_chance_is_not_taken(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """With this seed 1 + ceil(n/3) - ceil((n - 3)/5) is the logarithm at all that is drawn."""
    def wrong() -> list[str]:
        return faults(trace(halvings, seed=98071), made_by(halvings), "98071", wanted=40)[2]
    assert wrong() == []
    monkeypatch.setattr(joint, "EACH", 0)
    assert wrong() != []


def _never(*_: object, **__: object) -> Any:
    return frozenset()


def _nothing(*_: object) -> None:
    return None


@pytest.mark.slow
@pytest.mark.parametrize(("build", "holder", "name", "instead"), [
    (listed, engine, "list_lengths", _never), (merged, Structure, "wider", _never),
    (beside, kinds, "beside", _never), (alike, Structure, "_enough", _never),
    (without_its_last, copies, "MAX_SPLIT", 3),
    (more_levels, cases, "_from_where_it_begins", lambda *_: []),
    (fourth_alike, Structure, "wider", lambda *_: {}),
    (at_least_one, Counts, "_at_least", _nothing),
    (halvings, engine, "steady", _never)])
def test_without_what_finds_them_they_would_be_held(
        build: Builder, holder: object, name: str, instead: object,
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holder, name, instead)
    assert doubts(trace(build))


def test_a_number_that_a_key_seldom_moves_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the fifth seed no point that was drawn showed what the rate does."""
    def wrong(seed: int) -> list[str]:
        return faults(trace(rates, seed=seed), made_by(rates), str(seed), wanted=40)[2]

    assert wrong(5) == []
    monkeypatch.setattr(engine.told, "telling", lambda *_: [])
    assert wrong(5)
    monkeypatch.setattr(Finder, "_follow", _never)
    assert doubts(trace(rates))


def test_as_many_as_a_list_has_is_stated() -> None:
    assert "num_stages = 4" in map(str, trace(listed).checks)


def test_a_number_of_layers_that_is_a_lists_by_chance_is_moved() -> None:
    def build(d: int = 96, depth: int = 4, widths: tuple[int, ...] = (8, 16, 32, 64)) -> Built:
        return {f"h.{i}.w": (d, d) for i in range(depth)} | {
            f"s.{i}.w": (width, d) for i, width in enumerate(widths)}
    found = trace(build)
    assert next(k.kind for k in found.keys if k.path == ("depth",)) == "structure"


def test_a_period_that_few_layers_do_not_show_does_not_pass_for_nothing(
        monkeypatch: pytest.MonkeyPatch) -> None:
    def grouped(d: int = 96, depth: int = 24, group: int = 6) -> Built:
        """Every n-th layer, and what is left of the last group, without a simple rule."""
        wide = {i for i in range(depth) if (i + 1) % group == 0 or i >= depth // group * group}
        return {f"h.{i}.{'a' if i in wide else 'b'}": (d, 5) for i in range(depth)}
    monkeypatch.setattr(intervals, "MIN_STEADY", 1)
    found = trace(grouped)
    group = next(key for key in found.keys if key.path == ("group",))
    assert group.kind != "inert"
    assert not faults(found, made_by(grouped), wanted=60)[2]
