"""Layers counted from the end, by every n-th, or not at all: counted right, or refused."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from symparam.api import Model
from symparam.errors import ConstraintViolated
from symparam.traced.model import model_of
from symparam.traced.records import Trace
from symparam.tracing import trace
from symparam.tracing.rules.counts import Counts
from symparam.tracing.searching import engine
from symparam.tracing.searching.domain import Domain
from symparam.tracing.searching.engine import Finder
from symparam.tracing.searching.structure import Structure
from symparam.tracing.searching.turning import Turning
from tests.strategies import SEED
from tests.traces import allowed, fault, told

Shapes = dict[str, tuple[int, ...]]


def shared(d: int = 96, heads: int = 4, wide: int = 8, depth: int = 8, sharing: int = 2) -> Shapes:
    """Every sixth layer is wide, and the last one; the last few have no keys of their own, and
    there has to be a wide one before them."""
    kinds = ["wide" if (i + 1) % 6 == 0 else "narrow" for i in range(depth)]
    kinds[-1] = "wide"
    if sharing and set(kinds[:depth - sharing]) != set(kinds):
        raise ValueError("no layer of a kind has keys of its own")
    found: Shapes = {}
    for i, kind in enumerate(kinds):
        found[f"h.{i}.q"] = (d, heads * (wide if kind == "wide" else 4))
        if i < depth - sharing:
            found[f"h.{i}.k"] = (d, wide if kind == "wide" else 4)
    return found


def spare(d: int = 96, depth: int = 4, extra: int = 2) -> Shapes:
    """What is there where there is nothing else."""
    found = {f"h.{i}.w": (d, d) for i in range(depth)} | {f"e.{i}.w": (d,) for i in range(extra)}
    return found if len(found) > depth else found | {"alone": (d, 7)}


def right(found: Trace, build: Callable[..., Shapes], depths: range, others: range) -> list[bool]:
    """Whether rows are what a builder gives, at every two numbers that pass."""
    names = {str(key.path[0]): key.name for key in found.keys}
    base = {key.name: key.base for key in found.keys}
    other = names["sharing" if build is shared else "extra"]
    said = []
    for depth in depths:
        for number in others:
            dims = {**base, names["depth"]: depth, other: number}
            try:
                built = build(**{argument: dims[name] for argument, name in names.items()})
            except ValueError:
                continue
            if allowed(found, dims):
                said.append(not fault(found, dims, [(n, s, "trainable") for n, s in built.items()]))
    return said


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", [75425, 422395, 630241, 753949, SEED])
def test_layers_that_share_with_others_are_counted_at_every_depth(seed: int) -> None:
    found = trace(shared, seed=seed)
    said = right(found, shared, range(7, 60), range(1, 12))
    assert all(said)
    assert len(said) > 200 or any(a.kind == "held" for a in told(found))


def test_a_rule_takes_every_nth_of_what_code_took_away() -> None:
    long, less = ("k", ("L",)), ("k", ("s",))
    rng = random.Random(SEED)
    points = [{("L",): rng.randint(7, 60), ("s",): rng.randint(1, 6)} for _ in range(40)]
    rest = [p["L",] - p["s",] for p in points]
    rule = Counts([("L",), ("s",)], points, [("-", long, less)])
    assert rule.find([n // 6 for n in rest]) == ("//", ("-", long, less), ("n", 6))
    assert rule.find([n - n // 6 for n in rest]) == (
        "-", ("-", long, less), ("//", ("-", long, less), ("n", 6)))


def test_none_of_a_kind_is_refused_where_other_tensors_come_with_it() -> None:
    model = Model.wrap(model_of(trace(spare)))
    assert model.count(extra=1) == 4 * 96 * 96 + 96
    with pytest.raises(ConstraintViolated, match="0 < extra"):
        model.count(extra=0)


def test_without_a_build_of_none_it_would_be_counted_wrong(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turning, "none", lambda _: None)
    found = trace(spare)
    assert right(found, spare, range(3, 5), range(2)) == [False, True] * 2


@pytest.mark.slow
def test_few_depths_and_nothing_looked_back_at_would_be_counted_wrong(
        monkeypatch: pytest.MonkeyPatch) -> None:
    def once(self: Structure, wanted: int, tried: object) -> None:
        for values in list(tried)[:wanted]:  # type: ignore[call-overload]
            self._build({**values, ("sharing",): 2})
    monkeypatch.setattr(Structure, "_until", once)
    monkeypatch.setattr(Finder, "_built_before", lambda _: [])
    monkeypatch.setattr(Finder, "joint_point", lambda _: None)
    monkeypatch.setattr(Finder, "near_point", lambda _: None)
    monkeypatch.setattr(Domain, "kept_near", lambda _, values: {**values, ("sharing",): 2})
    found = trace(shared)
    assert not all(right(found, shared, range(7, 60), range(1, 12)))


def named_by_a_list(d: int = 96, depth: int = 12, window: int = 14) -> Shapes:
    """Four layers are of another width, and have no table."""
    found: Shapes = {}
    for i in range(depth):
        apart = i in (2, 5, 8, 11)
        found[f"h.{i}.w"] = (127 if apart else 2 * window - 1, d)
        if not apart:
            found[f"h.{i}.table"] = (d,)
    return found


def sparse(d: int = 96, experts: int = 8, wide: int = 70, depth: int = 9, step: int = 1,
           dense: int = 0) -> Shapes:
    """Every n-th layer has experts, but for the first ones; where n is 1, that is all of them."""
    return {f"h.{i}.experts" if i >= dense and (i + 1) % step == 0 else f"h.{i}.up":
            (experts, d, d) if i >= dense and (i + 1) % step == 0 else (d, wide)
            for i in range(depth)}


def sparse_after_two(d: int = 96, experts: int = 8, wide: int = 70, depth: int = 9,
                     step: int = 1) -> Shapes:
    """The same with a list that names the first two."""
    return sparse(d, experts, wide, depth, step, 2)


def every_nth(d: int = 96, experts: int = 8, wide: int = 70, depth: int = 9,
              step: int = 1) -> Shapes:
    """The same without any."""
    return sparse(d, experts, wide, depth, step)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("build", "more"), [
    (named_by_a_list, ("window", range(2, 7))), (sparse_after_two, ("step", range(1, 9))),
    (every_nth, ("step", range(1, 9)))])
@pytest.mark.parametrize("seed", [0, 492531, SEED])
def test_layers_that_a_list_or_a_step_names_are_counted(build: Callable[..., Shapes],
                                                        more: tuple[str, range], seed: int) -> None:
    found = trace(build, seed=seed)
    assert {a.kind for a in told(found)} <= {"number"}  # (127 is written in the code)
    names = {str(key.path[0]): key.name for key in found.keys}
    base = {key.name: key.base for key in found.keys}
    for depth in range(1, 50):
        for number in more[1]:
            dims = {**base, names["depth"]: depth, names[more[0]]: number}
            built = build(**{argument: dims[name] for argument, name in names.items()})
            seen = [(name, shape, "trainable") for name, shape in built.items()]
            assert allowed(found, dims)
            assert not fault(found, dims, seen), dims


def test_without_a_kind_that_its_own_numbers_do_not_show_a_step_would_be_held(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "richer", lambda _: None)
    monkeypatch.setattr(Structure, "wider", lambda *_: {})
    assert "step = 1" in map(str, trace(every_nth).checks)


def last_apart(d: int = 96, depth: int = 18) -> Shapes:
    """The last layer is narrower and gives nothing on, wherever it is."""
    found: Shapes = {}
    for i in range(depth):
        found[f"h.{i}.w"] = ((2 if i == depth - 1 else 6) * d, d)
        if i < depth - 1:
            found[f"h.{i}.out"] = (d,)
    return found


def skipping(narrow: int = 224, middle: int = 448, wide: int = 672, depth: int = 2) -> Shapes:
    """Down and up again: what comes from the side is joined, and its width steps where the way's
    does; the widths double, as those of a model do that somebody draws up."""
    found: Shapes = {}
    widths = (narrow, middle, wide)
    for k, (before, here) in enumerate(zip((narrow, *widths), widths, strict=False)):
        for j in range(depth):
            found[f"down.{k}.{j}.w"] = (here, before if j == 0 else here)
        if before != here:
            found[f"down.{k}.0.short"] = (here, before)
    back = widths[::-1]
    for k, (before, here) in enumerate(zip((wide, *back), back, strict=False)):
        for j in range(depth + 1):
            side = back[min(k + 1, 2)] if j == depth else here
            found[f"up.{k}.{j}.w"] = (here, (before if j == 0 else here) + side)
    return found


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("build", "depths"), [(last_apart, range(1, 50)),
                                               (skipping, range(1, 12))])
@pytest.mark.parametrize("seed", [0, SEED])
def test_a_layer_whose_number_moves_with_others_is_found_wherever_it_is(
        build: Callable[..., Shapes], depths: range, seed: int) -> None:
    found, rng = trace(build, seed=seed), random.Random(seed)
    assert {a.kind for a in told(found)} <= {"existence"}
    names = {str(key.path[0]): key.name for key in found.keys}
    for depth in depths:
        dims = {name: rng.randint(8, 900) for name in names.values()} | {names["depth"]: depth}
        if allowed(found, dims):
            built = build(**{argument: dims[name] for argument, name in names.items()})
            seen = [(name, shape, "trainable") for name, shape in built.items()]
            assert not fault(found, dims, seen), dims
    assert allowed(found, {key.name: key.base for key in found.keys})
