"""Complete searches against loops over every point; several targets, ranges, what is in the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, isqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symparam.descriptions import catalogue
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.errors import (
    BadValue,
    Contradiction,
    MissingDims,
    NotDerivable,
    ParseError,
    SymparamError,
    UnknownName,
)
from symparam.grammar import Rule, parse_rule
from symparam.model import Model
from symparam.points import table as tables
from symparam.points.axes import MAX_DIM
from symparam.points.parsing import axis
from symparam.polynomial import NOTHING
from symparam.solve import Solution, Wanted, solve
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.parsing import read_target, read_wishes
from symparam.solve.searching import pareto, search
from symparam.solve.searching.pareto import PARTS
from symparam.solve.searching.roles import roles
from tests.helpers import message, rounded, together, value
from tests.oracle import decoder as oracle
from tests.oracle import lattice as loops
from tests.strategies import Arch, architectures, engine, quick

EVERYTHING = 10**6
EXACT = "no error at all"
DRAWN = ("V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff", "n_experts", "top_k", "d_expert")


def decoder(**options: Any) -> Model:
    return build(None, Options(**options), {})


def keys(points: Any) -> set[tuple[tuple[str, int], ...]]:
    return {tuple(sorted(point.items())) for point in points}


# Drawn lattices


@st.composite
def axes_of(draw: st.DrawFn, arch: Arch) -> dict[str, Any]:
    """A small lattice for an architecture, as the oracle takes it."""
    kind = arch.get("attention", "mha")
    found: dict[str, Any] = {"V": draw(st.lists(st.integers(1, 40), min_size=1, max_size=2,
                                                unique=True).map(sorted))}
    found["d_model"] = draw(st.sampled_from([[12, 24], [16, 40], ("multiples", 8, 8, 24)]))
    found["L"] = draw(st.sampled_from([[1, 2], [3], ("multiples", 1, 1, 3),
                                       ("multiples", 2, 2, 4)]))
    found["d_head"] = draw(st.sampled_from([[2, 4], [3, 4], ("multiples", 2, 2, 6)]))
    found["n_heads"] = draw(st.sampled_from([[2, 4], [4], ("multiples", 2, 2, 4)]))
    found["n_kv"] = {"mha": ("times", 1, 1, "n_heads", "", 1), "mqa": [1]}.get(
        kind, draw(st.sampled_from([("divisors", "n_heads", 1, 3), [1, 2, 4]])))
    if arch.get("ffn") == "moe":
        found["n_experts"] = draw(st.sampled_from([[2, 4], ("multiples", 1, 3, 5)]))
        found["top_k"] = draw(st.sampled_from([[1, 2, 4], [2]]))
        found["d_expert"] = draw(st.sampled_from([("multiples", 4, 4, 24), [8, 9, 30]]))
    else:
        found["d_ff"] = draw(st.sampled_from([
            ("multiples", 4, 8, 40), [5, 30, 31], ("times", 8, 3, "d_model", "", 1),
            ("times", 8, 3, "d_model", "up", 16), ("times", 5, 2, "d_model", "nearest", 7),
            ("times", 7, 4, "d_model", "down", 5)]))
    if arch.get("positions") == "learned":
        found["n_ctx"] = [9]
    return found


def request(axes: Mapping[str, Any]) -> tuple[dict[str, int | Rule], list[str]]:
    """The same as numbers, rules and ranges in text."""
    given_dims: dict[str, int | Rule] = {}
    ranges = []
    for dim, said in axes.items():
        if isinstance(said, list) and len(said) == 1:
            given_dims[dim] = said[0]
        elif isinstance(said, list):
            ranges.append(f"{dim}={','.join(map(str, said))}")
        elif said[0] == "multiples":
            ranges.append(f"{dim}={said[2]}:{said[3]}:{said[1]}")
        elif said[0] == "times" and said[1:3] != (1, 1):
            tail = f", {said[4]} to {said[5]}" if said[4] else ""
            given_dims[dim] = parse_rule(f"{said[1]}/{said[2]}*{said[3]}{tail}")
    return given_dims, ranges


def asked(arch: Arch, axes: dict[str, Any], target: int, tolerance: Fraction,
          wanted: list[Wanted] | None = None, ratio: str = "") -> Solution:
    given_dims, ranges = request(axes)
    ranges += [ratio or "d_model/L=1/1000:1000"]
    if isinstance(axes["n_kv"], tuple) and axes["n_kv"][0] == "divisors":
        axes["n_kv"] = list(range(axes["n_kv"][2], axes["n_kv"][3] + 1))
        ranges.append("n_kv=" + ",".join(map(str, axes["n_kv"])))
    return solve(engine(arch, {}), target, given=given_dims, wishes=read_wishes(ranges=ranges),
                 wanted=wanted or [], tolerance=tolerance, limit=EVERYTHING)


def drawn_architecture(arch: Arch) -> Arch:
    return {**arch, "attention": "gqa"} if arch.get("attention") == "mla" else arch


def compare(arch: Arch, axes: dict[str, Any], target: int, tolerance: Fraction,
            shape: tuple[int, int] | None = None) -> None:
    """One search held against loops over all its points."""
    ratios = [("d_model", "L", Fraction(shape[0]), Fraction(shape[1]))] if shape else []
    said = f"d_model/L={shape[0]}:{shape[1]}" if shape else ""
    points = loops.points(axes, ratios, arch.get("positions", "rope") == "rope")
    if not points:
        with pytest.raises(NotDerivable, match="no configuration of the lattice exists"):
            asked(arch, axes, target, tolerance, ratio=said)
        return
    totals = [(oracle.total(arch, p), p) for p in points]
    found = asked(arch, axes, target, tolerance, ratio=said)
    hits = [p for total, p in totals if abs(total - target) <= tolerance * target]
    assert found.enumerated <= found.covered == len(points)
    assert (found.within, found.complete) == (len(hits), True)
    if hits:
        assert keys(c.dims for c in found.configurations) == keys(hits)
    else:
        nearest = min(abs(total - target) for total, _ in totals)
        assert abs(found.configurations[0].total - target) == nearest


@settings(quick, max_examples=40)
@given(architectures().map(drawn_architecture), st.data())
def test_a_drawn_lattice_has_the_hits_that_loops_find(arch: Arch, data: st.DataObject) -> None:
    axes = data.draw(axes_of(arch))
    shape = data.draw(st.sampled_from([None, None, (4, 12)]))
    points = loops.points(axes, [], arch.get("positions", "rope") == "rope")
    planted = oracle.total(arch, data.draw(st.sampled_from(points))) if points else 1000
    target = max(1, planted + data.draw(st.just(0) | st.integers(-300, 300)))
    tolerance = data.draw(st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 20)]))
    compare(arch, axes, target, tolerance, shape)


def compare_both(arch: Arch, axes: dict[str, Any], wanted: tuple[int, int], relation: Any,
                 slack: Fraction) -> None:
    """A search for total and active parameters held against loops."""
    points = loops.points(axes, (), arch.get("positions", "rope") == "rope")
    counts = [((oracle.total(arch, p), loops.active(arch, p)), p) for p in points]
    total, used = wanted

    def misses(a: int, b: Any) -> tuple[int, int]:
        over = max(0, b - used) if relation == "<=" else abs(b - used)
        return abs(a - total) * PARTS // total, over * PARTS // used

    if relation == "=" and ceil(used * (1 - slack)) > floor(total * (1 + slack)):
        with pytest.raises(Contradiction, match="active is never more than P"):
            asked(arch, axes, total, slack, [Wanted("active", used, relation)])
        return
    found = asked(arch, axes, total, slack, [Wanted("active", used, relation)])
    hits = [p for (a, b), p in counts if abs(a - total) <= slack * total and (
        b <= used if relation == "<=" else abs(b - used) <= slack * used)]
    assert (found.covered, found.within) == (len(points), len(hits))
    assert found.enumerated <= found.covered
    if hits:
        assert keys(c.dims for c in found.configurations) == keys(hits)
        return
    front = loops.front(sorted({misses(a, b) for (a, b), _ in counts}))
    assert found.front == len(front)
    assert {misses(c.total, c.counts["active"]) for c in found.configurations} == front


@pytest.mark.thinned(4)
@settings(quick, max_examples=20)
@given(architectures().map(lambda a: {**drawn_architecture(a), "ffn": "moe", "bias": ()}),
       st.data())
def test_total_and_active_together_are_those_that_loops_find(arch: Arch,
                                                             data: st.DataObject) -> None:
    axes = data.draw(axes_of(arch))
    points = loops.points(axes, (), arch.get("positions", "rope") == "rope")
    if not points:
        return
    one = data.draw(st.sampled_from(points))
    total, used = (max(1, n + data.draw(st.integers(-200, 200)))
                   for n in (oracle.total(arch, one), loops.active(arch, one)))
    relation = data.draw(st.sampled_from(["=", "<="]))
    slack = data.draw(st.sampled_from([Fraction(1, 50), Fraction(1, 10)]))
    compare_both(arch, axes, (total, used), relation, slack)


PLANTED: list[tuple[dict[str, Any], dict[str, int], list[str]]] = [
    ({"attention": "gqa", "ffn": "swiglu"}, {"V": 128256, "L": 126, "d_model": 16384,
                                            "n_heads": 128, "n_kv": 8, "d_head": 128,
                                            "d_ff": 53248}, []),
    ({}, {"V": 32000, "L": 37, "d_model": 2944, "n_heads": 46, "n_kv": 46, "d_head": 64,
          "d_ff": 21760}, []),
    ({"attention": "gqa", "ffn": "moe"}, {"V": 32000, "L": 48, "d_model": 2048, "n_heads": 16,
                                          "n_kv": 4, "d_head": 128, "n_experts": 128, "top_k": 8,
                                          "d_expert": 768}, ["active"]),
]


@pytest.mark.parametrize(("options", "dims", "also"), PLANTED)
def test_a_planted_configuration_is_always_found(options: dict[str, Any], dims: dict[str, int],
                                                 also: list[str]) -> None:
    """Nothing but V is given, and no error is allowed."""
    target = oracle.total(options, dims)
    wanted = [Wanted("active", loops.active(options, dims)) for _ in also]
    found = solve(decoder(**options), target, given={"V": dims["V"]}, wanted=wanted,
                  tolerance=Fraction(0), limit=1000)
    assert dims in [dict(c.dims) for c in found.configurations]
    assert found.within == len(found.configurations)


SMALL = {"V": [7], "d_model": [12, 24], "L": [1, 2], "d_head": [2, 4], "n_heads": [2, 4],
         "n_kv": [1, 2]}
DENSE = {**SMALL, "d_ff": ("multiples", 4, 8, 60)}
MOE = {**SMALL, "n_experts": [2, 4], "top_k": [1, 2], "d_expert": ("multiples", 4, 4, 40)}


def fails(call: Any) -> bool:
    """Whether a comparison notices that something is wrong."""
    try:
        call()
    except AssertionError:
        return True
    return False


def off_by_one(*arguments: Any) -> Any:
    low, high = WINDOW(*arguments)
    return low, np.maximum(high - 1, low - 1)


def one_less(*arguments: Any) -> Any:
    found = RUNS(*arguments)
    return tables.Runs(found.first, np.maximum(found.count - 1, 0), found.step)


def all_kept(self: Any, table: Any, spans: Any) -> Any:
    return table.take(np.arange(table.rows) > 0)


WINDOW, RUNS, GAP = search.window, tables.runs, pareto.gap


@pytest.mark.thinned(3)
def test_the_nearest_point_of_a_target_that_is_missed_is_that_of_loops() -> None:
    """Below all points, above them, and beside single ones: both ends of a row are places too."""
    arch: Arch = {"attention": "gqa"}
    axes = {**DENSE, "V": [7], "d_model": [24], "n_heads": [2, 4]}
    totals = sorted({oracle.total(arch, p) for p in loops.points(axes)})
    gaps = [low + 1 for low, high in pairwise(totals) if high - low > 2]
    for target in (totals[0] // 2, totals[0] - 1, *gaps[::len(gaps) // 3], 2 * totals[-1]):
        compare(arch, dict(axes), target, Fraction(0))


@pytest.mark.slow
@pytest.mark.parametrize(("where", "name", "mutant"), [
    (search, "window", off_by_one), (search, "runs", one_less),
    (search.Search, "_reachable", all_kept)])
def test_a_search_that_leaves_a_point_out_is_noticed(monkeypatch: pytest.MonkeyPatch, where: Any,
                                                     name: str, mutant: Any) -> None:
    arch = {"attention": "gqa"}
    targets = [oracle.total(arch, p) for p in loops.points(DENSE)][::80]
    axes = {**DENSE, "L": ("multiples", 1, 1, 2)}
    for target in targets:
        compare(arch, dict(axes), target, Fraction(1, 100))
    monkeypatch.setattr(where, name, mutant)
    assert any(fails(lambda t=t: compare(arch, dict(axes), t, Fraction(1, 100))) for t in targets)


@pytest.mark.slow
@pytest.mark.parametrize(("where", "name", "mutant"), [
    (pareto.Front, "_beaten", lambda self, gaps: np.arange(len(gaps[0])) > 0),
    (pareto, "gap", lambda goal, table: GAP(goal, table) * (goal.name != "P"))])
def test_a_front_that_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch, where: Any, name: str,
                                          mutant: Any) -> None:
    arch = {"attention": "gqa", "ffn": "moe"}
    wanted = [(12_000, 3000), (9000, 8000), (4000, 3500)]
    for pair in wanted:
        compare_both(arch, dict(MOE), pair, "=", Fraction(1, 100))
    monkeypatch.setattr(where, name, mutant)
    assert any(fails(lambda p=p: compare_both(arch, dict(MOE), p, "=", Fraction(1, 100)))
               for p in wanted)


@pytest.mark.parametrize("relation", ["=", "<="])
@quick
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 12)), min_size=1, max_size=5),
       st.integers(1, 50))
def test_no_number_between_two_is_nearer_to_a_goal_than_is_said(
        relation: Any, spans: list[tuple[int, int]], aim: int) -> None:
    """Rows are left out by this: were it more than the smallest miss, points would be lost."""
    goal = Goal("P", NOTHING, aim, relation)
    low, high = (np.array([low + more * up for low, more in spans], dtype=object) for up in (0, 1))
    missed = [min(PARTS * max(n - aim, 0 if relation == "<=" else aim - n) // aim
                  for n in range(first, last + 1)) for first, last in zip(low, high, strict=True)]
    assert pareto.ideal_gap(goal, low, high).tolist() == missed


# Wide numbers, small steps


def test_python_integers_take_over_where_64_bits_end() -> None:
    dims = {"V": 10**9, "L": 9 * 10**5, "d_model": 3 * 2**20, "n_heads": 3 * 2**13, "n_kv": 8,
            "d_head": 128, "d_ff": 7 * 2**20}
    one_layer = oracle.total({"attention": "gqa"}, {**dims, "L": 1})
    target = one_layer + (dims["L"] - 1) * (
        oracle.total({"attention": "gqa"}, {**dims, "L": 2}) - one_layer)
    assert target > 2**63
    found = solve(decoder(attention="gqa"), target, tolerance=Fraction(0), given={
        "V": dims["V"], "d_head": 128, "n_kv": 8, "L": dims["L"], "d_model": dims["d_model"],
        "n_heads": dims["n_heads"]}, wishes=read_wishes(ranges=["d_ff=1:100000000"]))
    assert [dict(c.dims) for c in found.configurations] == [dims]
    assert found.covered == 10**8


def test_cost_grows_with_what_is_enumerated_not_with_what_is_solved_for() -> None:
    def cost(ranges: list[str]) -> tuple[int, int]:
        found = solve(decoder(), 7 * 10**9, given={"d_head": 64}, tolerance=Fraction(1, 10**6),
                      wishes=read_wishes(ranges=ranges))
        return found.covered, found.enumerated

    usual, finer = cost([]), cost(["d_ff/d_model=1:8", "d_ff=1:1000000"])
    assert finer[0] > 200 * usual[0]
    assert finer[1] < 3 * usual[1]
    assert cost(["d_model=64:51200:64"])[1] > 1.5 * usual[1]


# What is said in words


def test_ranges_multiples_and_ratios_replace_their_parts() -> None:
    wishes = read_wishes(ranges=["L=24:40:4", "n_kv=8,2", "d_ff/d_model=2:3"],
                         multiples=["d_ff=512", "d_model=256"])
    found = solve(decoder(attention="gqa", ffn="swiglu"), 7 * 10**9, wishes=wishes, limit=500)
    assert found.met
    for one in found.configurations:
        d = one.dims
        assert d["L"] in range(24, 41, 4)
        assert d["n_kv"] in {2, 8}
        assert d["d_model"] % 256 == d["d_ff"] % 512 == 0
        assert 2 * d["d_model"] <= d["d_ff"] <= 3 * d["d_model"]
    assert "d_ff: multiples of 512, 2 ≤ d_ff/d_model ≤ 3" in found.lattice
    assert "n_kv: 2 or 8" in found.lattice


def test_a_multiple_holds_for_a_dim_that_follows_too() -> None:
    found = solve(decoder(ffn="swiglu"), 7 * 10**9, given={"d_ff": parse_rule("8/3*d_model")},
                  wishes=read_wishes(multiples=["d_ff=1024"]), limit=100,
                  tolerance=Fraction(1, 5))
    assert found.met
    assert all(c.dims["d_ff"] % 1024 == 0 for c in found.configurations)


def test_several_unknowns_of_a_named_model_are_searched_around_its_own() -> None:
    found = solve(build("mixtral-8x7b", Options(), {}), 90 * 10**9,
                  wishes=read_wishes(unknown=["n_experts", "d_expert"]), limit=200)
    assert found.met
    assert found.unknowns == ("n_experts", "d_expert")
    assert all(c.dims["L"] == 32 and c.dims["d_model"] == 4096 for c in found.configurations)
    assert "n_experts: from 2 to 32" in found.lattice


@pytest.mark.parametrize("name", ["deep", "balanced", "wide"])
def test_a_strategy_is_a_range_of_shapes(name: str) -> None:
    low, high = {"deep": (32, 64), "balanced": (64, 160), "wide": (160, 256)}[name]
    found = solve(decoder(ffn="swiglu"), 256 * 10**6, given={"V": 259},
                  wishes=read_wishes(strategy=name))
    assert found.met
    assert all(low * c.dims["L"] <= c.dims["d_model"] <= high * c.dims["L"]
               for c in found.configurations)


def test_the_vocabulary_in_steps_of_64() -> None:
    found = solve(build("gpt2", Options(), {}), 150 * 10**6, wishes=read_wishes(
        unknown=["V"], multiples=["V=64"]))
    assert {c.dims["V"] for c in found.configurations} == {83520, 83584}


def test_heads_that_split_the_width_are_preferred() -> None:
    found = solve(decoder(attention="gqa"), 10**9, limit=60,
                  given={"L": 24, "V": 32000, "n_kv": 8, "d_head": 128},
                  wishes=read_wishes(ranges=["n_heads=8:32:8", "d_model=1024:4096:1024"],
                                         weights=["split=50"]))
    split = "heads together as wide as d_model"
    assert split in {p.name for p in found.preferences}
    held = [split in c.notes for c in found.configurations]
    assert held == [c.dims["n_heads"] * 128 == c.dims["d_model"] for c in found.configurations]
    assert {*held} == {True, False}


def test_weights_change_the_order_and_nothing_else() -> None:
    wishes = {key: read_wishes(weights=[f"{key}=50"]) for key in ("kv", "power")}
    found = {key: solve(decoder(attention="gqa"), 7 * 10**9, wishes=said, limit=40)
             for key, said in wishes.items()}
    assert {c.dims["n_kv"] for c in found["kv"].configurations[:20]} == {8}
    assert all(c.dims["d_model"].bit_count() == 1 for c in found["power"].configurations[:20])
    for one in found.values():
        weight = {p.name: p.weight for p in one.preferences}
        for c in one.configurations:
            assert c.score == sum(weight[n] for n in c.notes) + weight[EXACT] * c.exact
        assert [c.score for c in one.configurations] == sorted(
            (c.score for c in one.configurations), reverse=True)
    assert found["kv"].within == found["power"].within


@together(("error", "message", "said"), [
    (BadValue, "expected KEY=VALUES", {"ranges": ["L"]}),
    (BadValue, "start first", {"ranges": ["L=9:3"]}),
    (BadValue, "at least 1", {"ranges": ["L=0:3"]}),
    (BadValue, "whole number", {"ranges": ["L=1.5,2"]}),
    (BadValue, "two dims and low:high", {"ranges": ["d_model/L=9:3"]}),
    (BadValue, "ratios of numbers up to", {"ranges": ["d_model/L=1:1e9"]}),
    (BadValue, "more than 1,000,000 values", {"ranges": ["V=1:1e12:7"]}),
    (UnknownName, "unknown symbol", {"ranges": ["d_modle=9:30"]}),
    (Contradiction, "given twice", {"ranges": ["L=9:30", "n_layer=2"]}),
    (Contradiction, "given twice", {"ranges": ["d_model/L=9:30", "L/d_model=1/9:1"]}),
    (Contradiction, "given twice", {"multiples": ["L=9", "L=30"]}),
    (BadValue, "a ratio is for --range", {"multiples": ["d_model/L=9"]}),
    (BadValue, "expected KEY=NUMBER", {"multiples": ["d_model<=9"]}),
    (ParseError, "cannot read", {"ranges": ["L=9:x!"]}),
    (BadValue, "NAME=NUMBER", {"weights": ["ffn"]}),
    (BadValue, "NAME=NUMBER", {"weights": ["ffn=1/2"]}),
    (Contradiction, "given twice", {"weights": ["ffn=1", "ffn=2"]}),
])
def test_words_that_cannot_be_read_are_one_line(error: type, message: str,
                                                said: dict[str, Any]) -> None:
    with pytest.raises(error, match=message) as caught:
        read_wishes(**said)
    assert "\n" not in str(caught.value)


@together(("error", "message", "call"), [
    (Contradiction, "--range L", lambda: asked_plainly({"L": 32}, ranges=["L=3:4"])),
    (Contradiction, "a multiple of 128", lambda: asked_plainly({"d_model": 100},
                                                               multiples=["d_model=128"])),
    (Contradiction, "64 ≤ d_model/L", lambda: asked_plainly(
        {"d_model": 4096, "L": 1}, ranges=["d_model/L=64:160"])),
    (NotDerivable, "has no n_experts", lambda: asked_plainly({}, ranges=["n_experts=2,4"])),
    (NotDerivable, "d_head = d_model/n_heads is 100/7",
     lambda: asked_plainly({"n_heads": 7, "d_model": 100})),
    (UnknownName, "preference 'ffm'", lambda: asked_plainly({}, weights=["ffm=3"])),
    (BadValue, "0 to 1000", lambda: asked_plainly({}, weights=["ffn=-3"])),
    (Contradiction, "a strategy is a range", lambda: asked_plainly(
        {}, ranges=["d_model/L=64:160"], strategy="deep")),
    (BadValue, "deep, balanced, wide", lambda: asked_plainly({}, strategy="flat")),
    (UnknownName, "quantity 'latency'", lambda: solve(decoder(), 10**9,
                                                      wanted=[Wanted("latency", 3)])),
    (NotDerivable, "without experts", lambda: solve(decoder(), 10**9,
                                                    wanted=[Wanted("active", 3)])),
    (BadValue, "asked for twice", lambda: solve(decoder(ffn="moe"), 10**9, wanted=[
        Wanted("active", 3), Wanted("active", 4)])),
    (BadValue, "at least 1", lambda: solve(decoder(ffn="moe"), 10**9,
                                           wanted=[Wanted("active", 0)])),
    (MissingDims, "q_rank", lambda: solve(decoder(attention="mla"), 10**9)),
    (NotDerivable, "solved for one target", lambda: solve(
        build("mixtral-8x7b", Options(), {}), 10**10, wishes=read_wishes(unknown=["V"]),
        wanted=[Wanted("active", 10**9)])),
])
def test_requests_that_cannot_be_met_are_one_line(error: type, message: str, call: Any) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def asked_plainly(given_dims: dict[str, int], **said: Any) -> Solution:
    return solve(decoder(), 10**9, given=given_dims, wishes=read_wishes(**said))


@pytest.mark.parametrize(("text", "wanted"), [
    ("active=3B", Wanted("active", 3 * 10**9)), ("active <= 2**30", Wanted("active", 2**30, "<=")),
    ("kv_cache<=2GiB", Wanted("kv_cache", 2**31, "<=")),
    ("weights=14GB", Wanted("weights", 14 * 10**9))])
def test_targets_are_read(text: str, wanted: Wanted) -> None:
    assert read_target(text) == wanted


@together("text", ["active", "active<3", "active=1/3", "a/b=3", "active=x"])
def test_targets_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(SymparamError):
        read_target(text)


# No solution


def test_a_constraint_that_stands_in_the_way_is_named() -> None:
    found = solve(decoder(), 7 * 10**9, given={"L": 200, "d_model": 1024})
    assert not found.met
    said = {b.constraint: b for b in found.bindings or ()}
    assert set(said) == {"1 ≤ d_ff/d_model ≤ 8", "d_model = 1024", "L = 200"}
    loosened = solve(decoder(), 7 * 10**9, given={"L": 200, "d_model": 1024},
                     wishes=read_wishes(ranges=["d_ff/d_model=1/8:64"]))
    assert said["1 ≤ d_ff/d_model ≤ 8"].within == loosened.within > 0
    assert dict(said["1 ≤ d_ff/d_model ≤ 8"].example) in [
        dict(c.dims) for c in loosened.configurations]


def test_where_no_single_constraint_is_to_blame_that_is_said() -> None:
    found = solve(decoder(), 7 * 10**9, given={"L": 32}, tolerance=Fraction(0))
    assert (found.met, found.bindings) == (False, ())
    assert found.nearest


def test_a_front_is_shown_from_end_to_end() -> None:
    moe = decoder(attention="gqa", ffn="moe")
    given_dims: dict[str, int | Rule] = {"n_experts": 8, "top_k": 2, "L": 24, "d_model": 2048}
    found = solve(moe, 30 * 10**9, given=given_dims, wanted=[Wanted("active", 2 * 10**9)], limit=4)
    assert found.front > 4
    assert len(found.configurations) == 4
    totals = [abs(c.total - 30 * 10**9) for c in found.configurations]
    used = [abs(Fraction(c.counts["active"]) - 2 * 10**9) for c in found.configurations]
    assert totals == sorted(totals)
    assert used == sorted(used, reverse=True)


def test_progress_is_told_and_a_long_search_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[float] = []
    solve(decoder(), 7 * 10**9, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    monkeypatch.setattr(search, "FORESEEN", 1000)
    with pytest.raises(NotDerivable, match=r"10\^\d+ combinations to go through"):
        solve(decoder(), 7 * 10**9, wishes=read_wishes(ranges=["d_model=1:1000000000"]))


@together("text", ["1:9000000:2", "5:1", "0", "1:2:3:4", "1.5", "9" * 30])
def test_a_range_that_cannot_be_read_is_refused_by_its_dim_and_as_it_was_written(text: str) -> None:
    for dim in ("L", "d_model"):
        with pytest.raises(BadValue) as caught:
            axis(dim, text)
        assert message(caught.value).startswith(f"{dim} = {text[:12]}")


# Rules over rows

RULES = ("8/3*d_model", "8/3*d_model, up to 64", "d_model/L, nearest to 3", "5*d_model, down to 7",
         "down(d_model/L)", "2*max(d_model, 40*L)", "up(d_model/7) + L", "d_model - 20*L",
         "d_model**(1/2)", "d_model*L/(d_model - 36)", "nearest(d_model/(3*L)), up to 4")


@pytest.mark.parametrize("text", RULES)
@quick
@example(points=[(20, 1), (36, 2), (19, 1), (36, 1), (7, 3)], big=False, least=0)
@given(points=st.lists(st.tuples(st.integers(1, 150), st.integers(1, 5)), min_size=1, max_size=6),
       big=st.booleans(), least=st.integers(0, 3))
def test_a_rule_is_at_every_row_what_it_is_at_that_point(
        text: str, points: list[tuple[int, int]], big: bool, least: int) -> None:
    """With numbers of 64 bits, with larger ones, and row by row where a rule needs that."""
    rule = parse_rule(text)
    widths = [width * 10**12 if big else width for width, _ in points]
    table = tables.PointTable({}, {"d_model": np.array(widths, dtype=np.int64), "L": np.array(
        [depth for _, depth in points], dtype=np.int64)}, len(points))
    found, kept = tables.follow(rule, table, least)
    for i, (width, (_, depth)) in enumerate(zip(widths, points, strict=True)):
        wanted = at_a_point(rule, {"d_model": Fraction(width), "L": Fraction(depth)}, least)
        assert bool(kept[i]) == (wanted is not None), (text, width, depth)
        assert wanted is None or int(found[i]) == wanted


@pytest.mark.parametrize("text", ["d_model + L", "(d_model + L)**1, nearest to 1"])
def test_a_rule_gives_no_number_beyond_those_that_a_dim_may_be(text: str) -> None:
    rule, around = parse_rule(text), [MAX_DIM - 1, MAX_DIM, MAX_DIM + 1]
    table = tables.PointTable({"L": 1}, {"d_model": np.array([n - 1 for n in around])}, 3)
    assert tables.follow(rule, table)[1].tolist() == [True, True, False]


def at_a_point(rule: Rule, dims: dict[str, Fraction], least: int) -> int | None:
    """The whole number that a rule gives; None where there is none, or none that a dim may be."""
    if str(rule.expr) == "d_model**(1/2)":
        root = isqrt(int(dims["d_model"]))
        if root * root != dims["d_model"]:
            return None
        exact = Fraction(root)
    else:
        try:
            exact = value(rule.expr, dims)
        except ZeroDivisionError:
            return None
    if rule.rounding is not None:
        step = rule.rounding.multiple
        exact = step * rounded(rule.rounding.mode, exact / step)
    return int(exact) if exact.denominator == 1 and least <= exact <= MAX_DIM else None


def test_what_a_search_takes_for_widths_and_heads_is_as_it_was_read(
        golden: Callable[[str, str], None]) -> None:
    """Of the first model of every second lineage: inner widths, heads, and what covers a width."""
    lines = []
    for name in [models[0] for _, models in catalogue.lineages()][::2]:
        found = roles(catalogue.published(name))
        covering = " ".join(f"{n}={expr}" for n, expr in sorted(found.covering.items()))
        lines.append(f"{name}: {' '.join(sorted(found.inner))} | {' '.join(sorted(found.heads))} | "
                     f"{covering}")
    golden("roles.txt", "\n".join(lines) + "\n")
