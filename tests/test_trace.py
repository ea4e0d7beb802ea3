"""Traces of builders that return plain tables: what is found is exact, or an assumption says so."""

from __future__ import annotations

import inspect
import math
import operator
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from symparam.api import Model
from symparam.constraints import Divides
from symparam.descriptions.architecture.traced_file import read_trace
from symparam.descriptions.reading.source import parse_toml
from symparam.errors import BadValue, ConstraintViolated
from symparam.traced.foundation import sentences
from symparam.traced.model import model_of
from symparam.traced.records import Trace
from symparam.traced.written import toml_of
from symparam.tracing import Interrupted, TraceError, trace
from symparam.tracing.result import Result
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.draws import Drawing
from symparam.tracing.searching.engine import Finder
from symparam.tracing.searching.sizes import Sizes
from tests.traces import BINDING, allowed, fault, told

Builder = Callable[..., Mapping[str, tuple[int, ...]]]


def llama(vocab: int = 320, width: int = 96, layers: int = 4, heads: int = 6, groups: int = 2,
          inner: int = 256) -> dict[str, tuple[int, ...]]:
    """A decoder with grouped heads that split the width."""
    if width % heads:
        raise ValueError("heads do not split the width")
    head = width // heads
    found = {"embed": (vocab, width), "norm": (width,)}
    for i in range(layers):
        found |= {f"layers.{i}.q": (heads * head, width), f"layers.{i}.k": (groups * head, width),
                  f"layers.{i}.up": (inner, width), f"layers.{i}.norm": (width,)}
    return found


def agrees(found: Trace, build: Builder, values: Mapping[str, int]) -> bool | None:
    """Whether rows are what a builder gives at a point; None where it or a check refuses it."""
    try:
        table = build(**values)
    except (ValueError, ZeroDivisionError):
        return None
    dims = {key.name: values[str(key.path[0])] for key in found.keys if key.path[0] in values}
    if not allowed(found, dims):
        return None
    return not fault(found, dims, [(name, tuple(shape), "trainable")
                                   for name, shape in table.items()])


def test_a_decoder_is_found_with_names_shapes_and_copies() -> None:
    found = trace(llama)
    assert {row.pattern: ([str(a) for a in row.shape], [str(c) for c in row.copies])
            for row in found.rows} == {
        "embed": (["V", "d_model"], []), "norm": (["d_model"], []),
        "layers.*.q": (["d_model", "d_model"], ["L"]),
        "layers.*.k": (["groups*(d_model/n_heads)", "d_model"], ["L"]),
        "layers.*.up": (["inner", "d_model"], ["L"]), "layers.*.norm": (["d_model"], ["L"])}
    assert told(found) == []


@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_holds_at_points_of_another_generator(seed: int) -> None:
    found, rng, right = trace(llama, seed=seed), random.Random(f"other {seed}"), 0
    while right < 20:
        heads = rng.choice((1, 2, 3, 5, 7))
        point = {"vocab": rng.randint(50, 900), "width": heads * rng.randint(8, 60),
                 "layers": rng.randint(1, 7), "heads": heads, "groups": rng.randint(1, 4),
                 "inner": rng.randint(60, 700)}
        assert agrees(found, llama, point), point
        right += 1


def test_a_dim_without_a_rule_is_a_number_with_an_assumption() -> None:
    def build(d: int = 96, n: int = 8) -> dict[str, tuple[Any, ...]]:
        return {"power": (1 << (int(d) - 1).bit_length(), d), "root": (int((int(d) * 7)**.5), n)}
    found = trace(build)
    assert {a.kind for a in told(found)} == {"number", "decided"}  # (bits are asked for)
    assert [str(row.shape[0]) for row in found.rows] == ["128", "25"]


# -- what a trace may get wrong, and must not in silence -----------------------------------------


def hostile(d: int = 96, n: int = 8, width: int = 48) -> dict[str, tuple[int, ...]]:
    """Dims by bits, roots, sums, branches, digits and tables; numbers lose their memory."""
    d, n, width = map(operator.index, (d, n, width))
    return {"bits": (1 << (d - 1).bit_length(),), "root": (math.isqrt(d * 7),),
            "sum": (sum(3 * i for i in range(n)) + 1,), "branch": (d if n > 6 else 2 * d,),
            "digits": (sum(map(int, str(width))) + 1,),
            "table": ({48: 64, 96: 128}.get(width, 32),),
            "half": (int(2.5 * d),), "fine": (d + 4 * n,)}


def moved(found: Trace) -> list[str]:
    """The arguments that no assumption keeps where they are."""
    kept = {name for a in found.assumptions if a.kind in BINDING for name in a.keys}
    return [str(key.path[0]) for key in found.keys
            if key.kind in ("size", "structure", "inert") and key.name not in kept]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_wrong_is_said_of_what_cannot_be_traced(seed: int) -> None:
    found, rng = trace(hostile, seed=seed), random.Random(seed)
    assert {"number"} <= {a.kind for a in found.assumptions}
    base = {"d": 96, "n": 8, "width": 48}
    for _ in range(30):
        point = {**base, **{name: rng.randint(1, 300) for name in moved(found)}}
        assert agrees(found, hostile, point), point


def test_a_divisor_that_the_code_worked_out_as_a_float_is_a_whole_number() -> None:
    def build(d: int = 96, windows: int = 16) -> dict[str, tuple[int, ...]]:
        if windows % math.sqrt(windows):
            raise ValueError("windows are a square")
        return {"w": (d, windows)}

    found = trace(build)
    checks = [check for check in found.checks if isinstance(check, Divides)]
    assert [(check.divisor, type(check.divisor)) for check in checks] == [(4, int)]
    assert checks[0].broken({checks[0].dividend: 18}) == "16 or 20 would do"


def test_what_the_target_says_is_said_with_a_check() -> None:
    def build(d: int = 96, n: int = 8, k: int = 4) -> dict[str, tuple[int, ...]]:
        if d % n:
            raise ValueError("heads do not split the width, says somebody")
        if n < k:
            raise AssertionError
        return {"w": (d // n, d, k)}
    reasons = {str(check): getattr(check, "reason", "") for check in trace(build).checks}
    assert reasons["n divides d_model"].endswith(
        "else the target says ValueError: heads do not split the width, says somebody")
    assert any("AssertionError" in reason for reason in reasons.values()), reasons


def cased(vocab: int = 300, d_in: int = 128, d_out: int = 128, layers: int = 3,
          groups: int = 1) -> dict[str, tuple[int, ...]]:
    """A projection that stands between widths only where they differ."""
    found = {"embed": (vocab, d_in)}
    if d_in != d_out:
        found["project"] = (d_out, d_in)
    return found | {f"h.{i}.w": (d_out, d_out // groups) for i in range(layers)}


@pytest.mark.parametrize(("base", "said"), [
    ({}, {"d_in = d_out"}), ({"d_out": 72}, {"d_in differs from d_out"})])
def test_what_exists_in_one_case_alone_is_said_with_the_case(
        base: dict[str, int], said: set[str]) -> None:
    found = trace(cased, base=base)
    declared = {*map(str, found.equations), *map(str, found.checks)}
    assert {s.replace("d_out", names(found)["d_out"]).replace("d_in", names(found)["d_in"])
            for s in said} <= declared
    assert ("project" in {row.pattern for row in found.rows}) is bool(base)


def names(found: Trace) -> dict[str, str]:
    """The dim of each argument."""
    return {str(key.path[0]): key.name for key in found.keys}


def equal_widths(d: int = 24, e: int = 24) -> dict[str, tuple[int, ...]]:
    """One joint matrix where two widths are equal, three where they are not."""
    return {"w": (3 * d, d)} if d == e else {"q": (d, d), "k": (d, e), "v": (d, e)}


def test_widths_that_are_equal_in_the_case_that_holds_are_moved_together_or_not_at_all() -> None:
    found = trace(equal_widths)
    d, e = names(found)["d"], names(found)["e"]
    assert any(a.kind == "existence" and d in a.text and e in a.text for a in found.assumptions)
    model = Model.wrap(model_of(found))
    assert model.count(**{d: 48, e: 48}) == 3 * 48 * 48
    for alone in (d, e):
        with pytest.raises(ConstraintViolated, match="else there are other tensors"):
            model.count(**{alone: 48})


def branched(d: int = 96, n: int = 8) -> dict[str, tuple[int, ...]]:
    """A width that is doubled for few heads."""
    return {"w": (d if n > 6 else 2 * d, n)}


def test_a_branch_on_a_number_is_a_case() -> None:
    found = trace(branched)
    assert [str(axis) for axis in found.rows[0].shape] == [names(found)["d"], names(found)["n"]]
    assert [a.text for a in found.assumptions if a.kind == "existence"] == [
        "6 < n; else there are other shapes"]
    with pytest.raises(ConstraintViolated, match="6 < n"):
        found.checks[0].check({names(found)["n"]: 4})


def kinds_of_layer(d: int = 96, layers: int = 9, every: int = 3, first: int = 2, experts: int = 4
                   ) -> dict[str, tuple[int, ...]]:
    """Experts in each n-th layer, and something more in all but the first."""
    found: dict[str, tuple[int, ...]] = {}
    for i in range(layers):
        if i % every == 0:
            found |= {f"layers.{i}.experts.{j}.w": (d, 2 * d) for j in range(experts)}
        else:
            found[f"layers.{i}.mlp"] = (d, 3 * d)
        if i >= first:
            found[f"layers.{i}.late"] = (d,)
    return found


def test_layers_of_a_kind_are_counted_and_numbered() -> None:
    found = trace(kinds_of_layer)
    rows = {row.pattern: ([str(c) for c in row.copies], row.numbers) for row in found.rows}
    count = names(found)["layers"]
    assert rows == {
        "layers.*.experts.*.w": ([f"up({count}/every)", names(found)["experts"]],
                                 "every n-th from 0, n = every"),
        "layers.*.mlp": ([f"{count} - up({count}/every)"], "all but every n-th from 0, n = every"),
        "layers.*.late": ([f"{count} - first"], "from first")}
    assert told(found) == []


def stages(d: int = 32, expand: int = 4, depths: tuple[int, ...] = (3, 3, 3, 3, 8, 3, 3, 3, 8)
           ) -> dict[str, tuple[int, ...]]:
    """Stages that double, their inner matrices as wide as the outer ones two stages on."""
    found: dict[str, tuple[int, ...]] = {}
    for i, depth in enumerate(depths):
        for j in range(depth):
            found |= {f"stage.{i}.block.{j}.fc1": (expand * d * 2**i,),
                      f"stage.{i}.block.{j}.fc2": (d * 2**i,)}
    return found


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(3))
def test_shapes_that_agree_at_the_targets_own_numbers_are_not_taken_for_each_other(
        seed: int) -> None:
    found, rng = trace(stages, seed=seed), random.Random(f"stages {seed}")
    assert told(found) == []
    count = {row.pattern: [str(c) for c in row.copies] for row in found.rows}
    assert count == {f"stage.{i}.block.*.fc{j}": [f"L_{i}"] for i in range(9) for j in (1, 2)}
    for _ in range(20):
        depths = [n if rng.random() < .7 else rng.randint(1, 9)
                  for n in (3, 3, 3, 3, 8, 3, 3, 3, 8)]
        dims = {"d_model": 32, names(found)["expand"]: 4,
                **{f"L_{i}": n for i, n in enumerate(depths)}}
        assert not fault(found, dims, [(name, tuple(shape), "trainable")
                                       for name, shape in stages(depths=tuple(depths)).items()])


def test_a_count_without_a_rule_is_held_and_said() -> None:
    def build(d: int = 96, layers: int = 6) -> dict[str, tuple[int, ...]]:
        return {f"h.{i}.w": (d * (i + 1),) for i in range(layers)}
    found = trace(build)
    assert [(a.kind, a.keys) for a in told(found)] == [("held", (names(found)["layers"],))]
    assert [str(row.shape[0]).partition("*")[0] for row in found.rows][1:] == list("23456")


def test_an_axis_without_a_rule_is_told_from_its_like_by_its_number() -> None:
    def build(d: int = 96, layers: int = 6) -> dict[str, tuple[int, ...]]:
        power = 1 << operator.index(d).bit_length()
        return {f"h.{i}.w": (power if i % 3 == 1 else d, 5) for i in range(layers)}
    found, rng = trace(build), random.Random("like")
    assert {"number", "held"} <= {a.kind for a in found.assumptions}
    assert agrees(found, build, {"d": 96, "layers": 6})
    for _ in range(20):
        point = {"d": 96, "layers": 6, **{name: rng.randint(1, 300) for name in moved(found)}}
        assert agrees(found, build, point), point


def test_what_follows_a_logarithm_does_not_pass_for_nothing() -> None:
    def build(d: int = 96, factor: int = 8) -> dict[str, tuple[int, ...]]:
        depth = operator.index(factor).bit_length() - 1
        return {f"h.{i}.w": (d, d) for i in range(depth)}
    assert {str(each) for each in trace(build).checks} == {"8 <= factor", "factor <= 15"}


def test_a_key_that_is_held_is_a_number_in_its_place() -> None:
    found = trace(llama, hold=["inner"])
    assert {str(row.shape[0]) for row in found.rows if row.pattern.endswith("up")} == {"256"}
    assert ("held", ("inner",)) in {(a.kind, a.keys) for a in found.assumptions}
    said = " ".join(sentences(found))
    assert "fresh points of a second generator that move " in said
    assert "(not moved: inner)" in said
    assert {"d_model", "n_heads"} <= set(found.evidence.moved)


def test_a_key_that_is_held_must_be_one() -> None:
    with pytest.raises(BadValue, match="is no key of llama"):
        trace(llama, hold=["outer"])


# -- as a model, and from its file ---------------------------------------------------------------


def numel(build: Builder, point: Mapping[str, int]) -> int:
    """The numbers in all tensors of a point."""
    return sum(math.prod(shape) for shape in build(**point).values())


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("build", "point"), [
    (llama, {"width": 120, "heads": 5, "layers": 7, "groups": 3}), (cased, {"layers": 5}),
    (branched, {"d": 50, "n": 9}), (kinds_of_layer, {"layers": 14, "every": 4, "first": 3})])
def test_a_trace_counts_alike_from_its_file(build: Builder, point: dict[str, int]) -> None:
    found = trace(build)
    text = toml_of(found)
    again = read_trace("mine.toml", parse_toml(text), "?")
    assert again == found
    named = {names(found)[argument]: value for argument, value in point.items()}
    for model in (model_of(found), model_of(again)):
        assert Model.wrap(model).count(**named) == numel(build, point)


@pytest.mark.parametrize(("build", "dim"), [(branched, {"n": 5}), (hostile, {"d": 100})])
def test_a_number_that_breaks_an_assumption_is_refused(build: Builder, dim: dict[str, int]) -> None:
    found = trace(build)
    model = Model.wrap(model_of(found))
    assert model.count() == numel(build, {})
    with pytest.raises(ConstraintViolated):
        model.count(**{names(found)[argument]: value for argument, value in dim.items()})


# -- stopped before the end ----------------------------------------------------------------------


def test_without_time_nothing_is_said() -> None:
    with pytest.raises(TraceError, match="before anything was found"):
        trace(llama, seconds=0)


def stopping_at(stage: str, done: int) -> Callable[[str, int, int], None]:
    """What interrupts a trace at a step of a stage."""
    def stop(now: str, step: int, _of: int) -> None:
        if (now, step) == (stage, done):
            raise KeyboardInterrupt
    return stop


def test_before_layers_are_followed_only_the_first_build_is_known() -> None:
    """Rows of a build with fewer layers are none of the target's own."""
    own = numel(llama, {})
    for stage in ("record", "held out"):
        with pytest.raises(Interrupted) as caught:
            trace(llama, progress=stopping_at(stage, 0 if stage == "record" else 3))
        assert caught.value.known is None
        assert f"it has {own:,} parameters" in caught.value.first

    def slow(**sizes: int) -> dict[str, tuple[int, ...]]:
        time.sleep(.02)
        return llama(**sizes)
    slow.__signature__ = inspect.signature(llama)  # type: ignore[attr-defined]
    with pytest.raises(TraceError, match=f"{own:,} parameters"):
        trace(slow, seconds=.9, points=400)


def test_without_layers_what_is_known_is_said_when_time_is_up() -> None:
    def slow(d: int = 8, n: int = 6) -> dict[str, tuple[int, ...]]:
        time.sleep(.02)
        return {"a": (d, n), "b": (3 * d,)}
    found = trace(slow, seconds=.9, points=400)
    assert "unfinished" in {a.kind for a in found.assumptions}
    assert Model.wrap(model_of(found)).count() == 8 * 6 + 24


def test_an_interruption_carries_what_is_known() -> None:
    def stop(stage: str, done: int, _of: int) -> None:
        if (stage, done) == ("together", 3):
            raise KeyboardInterrupt
    with pytest.raises(Interrupted) as caught:
        trace(llama, progress=stop)
    assert caught.value.known is not None
    assert [a.text for a in told(caught.value.known)] == ["interrupted: 22 points were "
                                                                "held out"]


def test_the_same_seed_gives_the_same_trace() -> None:
    assert trace(llama, seed=5) == trace(llama, seed=5)


# -- mutants of the tracer -----------------------------------------------------------------------


def sound(build: Builder, base: Mapping[str, int], seed: int = 0) -> None:
    """A trace that rests on nothing, and holds at points of another generator; else it fails."""
    found, rng = trace(build, seed=seed), random.Random("sound")
    assert told(found) == []
    for _ in range(60):
        point = {name: rng.randint(1, 9) if value < 20 else rng.randint(40, 900)
                 for name, value in base.items()}
        assert agrees(found, build, point) is not False, point


def fives(d: int = 96, n: int = 8) -> dict[str, tuple[int, ...]]:
    """A width that differs at each fifth number; the number has lost its memory."""
    wide = operator.index(d)
    return {"w": (wide + (wide % 5 == 0), n)}


LLAMA = {"vocab": 320, "width": 96, "layers": 4, "heads": 6, "groups": 2, "inner": 256}


def test_an_ordinary_trace_is_sound() -> None:
    sound(llama, LLAMA)


def test_a_hidden_key_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Domain.numbers
    monkeypatch.setattr(Domain, "numbers", lambda self: {
        path: value for path, value in before(self).items() if path != ("inner",)})
    with pytest.raises(AssertionError):
        sound(llama, LLAMA)
    assert any(a.kind in {"number", "pinned"} and "256" in a.text
               for a in trace(llama).assumptions)


def test_two_keys_that_are_tied_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Domain.drawn

    def tied(self: Domain, drawing: Drawing) -> Values:
        values = before(self, drawing)
        return {**values, ("groups",): values["heads",]}
    monkeypatch.setattr(Domain, "drawn", tied)
    monkeypatch.setattr(Finder, "near_point", lambda _: None)
    monkeypatch.setattr(Finder, "_built_before", lambda _: [])
    tied_ones = [a for a in trace(llama, base={"groups": 6}).assumptions if a.kind == "tied"]
    assert any({"groups", "n_heads"} <= set(a.keys) for a in tied_ones), tied_ones


def test_a_counterexample_that_is_dropped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {a.kind for a in trace(fives).assumptions}
    assert "number" in kinds
    monkeypatch.setattr(Sizes, "wrong", lambda *_: [])
    with pytest.raises((AssertionError, TraceError)):
        sound(fives, {"d": 96, "n": 8})


def test_an_audit_that_is_skipped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trace(hostile).assumptions
    monkeypatch.setattr(Result, "audit", lambda *_: None)
    with pytest.raises(AssertionError):
        sound(hostile, {"d": 96, "n": 8, "width": 48})
