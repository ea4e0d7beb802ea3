"""Solving for what is not a number of parameters: contexts, batches, caches, FLOPs, budgets.

Oracles go through tokens, heads and layers one by one (tests/oracle/work.py), and over every
point of a small lattice (tests/oracle/lattice.py); each is shown to notice what is wrong.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from symparam.cli.main import run
from symparam.descriptions.catalogue import published
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.errors import Contradiction, SymparamError
from symparam.quantities.formats import FORMATS
from symparam.quantities.setting import Setting
from symparam.resolve import numbers, with_overrides
from symparam.solve import Solution, Wanted, Wishes, solve
from symparam.solve.requests import targets
from symparam.solve.requests.goals import Relation
from symparam.solve.requests.parsing import read_wishes
from symparam.solve.searching import pareto
from symparam.solve.searching.pareto import PARTS
from symparam.symbols import to_sympy
from tests.oracle import decoder as oracle
from tests.oracle import lattice as loops
from tests.oracle import work
from tests.strategies import Arch, Dims, architectures, decoders, engine, quick
from tests.test_json import valid
from tests.test_quantities import windowed

FAR = 40
TOUR = (Path(__file__).parent.parent / "docs" / "tour.md").read_text(encoding="utf-8")


def bytes_of(arch: Arch, dims: Mapping[str, int], tokens: int, batch: int = 1,
             window: int | None = None, rules: work.Rules = work.CAREFUL) -> int:
    """Weights and cache in two bytes a number."""
    kept = work.cached(arch, dims, tokens, window, rules)
    return 2 * oracle.total(arch, dims) + 2 * batch * kept


def asked(arch: Arch, dims: Dims, unknown: str, limit: int, window: int | None = None,
          **run_with: int) -> Solution:
    model = engine(arch, dims)
    return solve(model if window is None else windowed(model, window), given=run_with,
                 wishes=Wishes(unknown=[unknown]), wanted=[Wanted("memory", limit, "<=")])


def longest(arch: Arch, dims: Dims, limit: int, window: int | None,
            rules: work.Rules = work.CAREFUL) -> int:
    """The longest sequence within a limit, up to :data:`FAR` or to the last position that is
    learned: all of them tried."""
    fits = [s for s in range(1, most(arch, dims) + 1)
            if bytes_of(arch, dims, s, 1, window, rules) <= limit]
    return max(fits, default=0)


def most(arch: Arch, dims: Mapping[str, int]) -> int:
    """How far sequences are tried."""
    return min(FAR, dims["n_ctx"]) if arch.get("positions") == "learned" else FAR


def check_longest(arch: Arch, dims: Dims, limit: int, window: int | None,
                  rules: work.Rules = work.CAREFUL) -> None:
    """One search for a length held against loops."""
    wanted = longest(arch, dims, limit, window, rules)
    if wanted == FAR:
        return
    found = asked(arch, dims, "s", limit, window)
    one, = found.configurations
    assert found.complete
    assert found.met == (wanted > 0)
    assert one.dims["s"] == max(wanted, 1)
    assert one.counts["memory"] == bytes_of(arch, dims, max(wanted, 1), 1, window, rules)
    kept = [root for root in found.roots.get("s", ()) if not root.rejected]
    assert any(wanted <= root.high and (root.low < wanted + 1 or wanted == most(arch, dims))
               for root in kept) or not wanted


def small(dims: Dims) -> Dims:
    """The same dims with few layers and heads: the oracle visits each."""
    kv = min(dims["n_kv"], 2)
    return {**dims, "L": min(dims["L"], 3), "n_kv": kv,
            "n_heads": dims["n_heads"] // dims["n_kv"] * kv}


@pytest.mark.thinned(3)
@settings(quick, max_examples=8, phases=[Phase.generate])
@given(decoders(), st.integers(-3, FAR), st.none() | st.integers(2, 20), st.integers(-5, 5))
def test_the_longest_context_is_the_one_that_loops_find(case: tuple[Arch, Dims], tokens: int,
                                                        window: int | None, more: int) -> None:
    arch, dims = case[0], small(case[1])
    full = window is not None and tokens > window
    if full or not work.cached(arch, dims, 1):
        return
    check_longest(arch, dims, max(1, bytes_of(arch, dims, max(tokens, 0)) + more), window)


def test_windows_are_full_from_one_length_on() -> None:
    """34 layers, 29 of which see 1024 tokens: the bytes by hand, and the lengths around them."""
    model = published("gemma-3-4b")
    entry, weights = 2 * 2 * 4 * 256, 2 * model.ledger(numbers(model).values).total()
    for length in (1024, 1025):
        limit = int(weights + entry * (5 * length + 29 * min(length, 1024)))
        for spare, best in ((0, length), (entry, length), (-1, length - 1)):
            found = solve(model, wishes=Wishes(unknown=["s"]),
                          wanted=[Wanted("memory", limit + spare, "<=")])
            assert found.configurations[0].dims["s"] == best
            form, = found.closed_forms
            assert ("L - L_window" in str(form.expr)) == (best > 1024)


@settings(quick, max_examples=6)
@given(decoders(), st.integers(1, 9), st.integers(1, 50), st.integers(-5, 5))
def test_the_largest_batch_is_the_one_that_loops_find(case: tuple[Arch, Dims], tokens: int,
                                                      batch: int, more: int) -> None:
    arch, dims = case[0], small(case[1])
    each = bytes_of(arch, dims, tokens, 1) - bytes_of(arch, dims, tokens, 0)
    limit = bytes_of(arch, dims, tokens, batch) + more
    best = batch + (0 if more >= 0 else -1) + (more // each if more >= 0 else 0)
    found = asked(arch, dims, "b", limit, s=tokens)
    assert found.configurations[0].dims["b"] == max(best, 1)
    assert found.met == (best > 0)


@pytest.mark.parametrize("mutant", ["keys-of-all-heads"])
def test_a_cache_counted_wrongly_is_noticed(mutant: str) -> None:
    arch: Arch = {"attention": "gqa"}
    dims = {"V": 9, "L": 3, "d_model": 8, "n_heads": 4, "n_kv": 2, "d_head": 2, "d_ff": 16}
    limits = [bytes_of(arch, dims, s) for s in (3, 11, 20)]
    for limit in limits:
        check_longest(arch, dims, limit, None)
    for limit in limits:
        assert fails(partial(check_longest, arch, dims, limit, None, work.MUTANTS[mutant]))


def fails(call: Callable[[], None]) -> bool:
    try:
        call()
    except AssertionError:
        return True
    return False


# Several targets over a lattice

TOKENS = 3
AXES: dict[str, Any] = {"V": [7, 30], "d_model": [12, 24], "L": [1, 2], "d_head": [2, 4],
                        "n_heads": [2, 4], "n_kv": [1, 2], "d_ff": ("multiples", 4, 8, 40)}


def amount(arch: Arch, name: str, dims: Mapping[str, int],
           rules: work.Rules = work.CAREFUL) -> Fraction:
    """A quantity at one point, by loops."""
    if name == "flops_per_token":
        return Fraction(work.forward(arch, dims, TOKENS, True, rules), TOKENS)
    cache = 2 * work.cached(arch, dims, TOKENS, None, rules)
    total = oracle.total(arch, dims)
    return Fraction({"P": total, "kv_cache": cache, "memory": cache + 2 * total}[name])


def compare(arch: Arch, wanted: list[Wanted], target: int | None, slack: Fraction,
            rules: work.Rules = work.CAREFUL) -> None:
    """One search for several quantities held against loops over all points."""
    every = [*([Wanted("P", target)] if target else []), *wanted]
    points = loops.points(AXES, (), arch.get("positions", "rope") == "rope")
    counts = [[amount(arch, w.name, p, rules) for w in every] for p in points]

    def meets(w: Wanted, value: Fraction) -> bool:
        return value <= w.value if w.relation == "<=" else abs(value - w.value) <= slack * w.value

    def misses(values: list[Fraction]) -> tuple[int, ...]:
        over = [max(Fraction(0), v - w.value) if w.relation == "<=" else abs(v - w.value)
                for w, v in zip(every, values, strict=True)]
        return tuple(int(gap * PARTS // w.value) for w, gap in zip(every, over, strict=True))

    ranges = ["d_model/L=1/1000:1000", "d_ff=8:40:4"]
    ranges += [f"{dim}={','.join(map(str, said))}" for dim, said in AXES.items()
               if isinstance(said, list)]
    found = solve(engine(arch, {}), target, given={"s": TOKENS}, limit=10**6,
                  wishes=read_wishes(ranges=ranges), wanted=wanted, tolerance=slack)
    hits = [p for p, values in zip(points, counts, strict=True)
            if all(map(meets, every, values))]
    assert found.covered == len(points)
    assert found.within == len(hits)
    if hits:
        assert keys(c.dims for c in found.configurations) == keys(hits)
    elif len(every) > 1:
        front = loops.front(sorted({misses(values) for values in counts}))
        assert found.front == len(front)
        assert {misses([Fraction(c.counts[w.name]) for w in every])
                for c in found.configurations} == front


def keys(points: Any) -> set[tuple[tuple[str, int], ...]]:
    return {tuple(sorted(point.items())) for point in points}


@settings(quick, max_examples=4, phases=[Phase.generate])
@given(architectures(dense=True).map(lambda a: {**a, "attention": "gqa", "positions": "rope"}),
       st.data())
def test_several_quantities_together_are_those_that_loops_find(arch: Arch,
                                                               data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(loops.points(AXES)))
    names = data.draw(st.sampled_from([
        ("P", "kv_cache"), ("P", "flops_per_token"), ("P", "memory"), ("memory",),
        ("flops_per_token",), ("P", "kv_cache", "flops_per_token")]))
    relation: Relation = data.draw(st.sampled_from(["=", "<="]))
    slack = data.draw(st.sampled_from([Fraction(1, 50), Fraction(1, 10)]))
    around = {name: max(1, int(amount(arch, name, one) * data.draw(
        st.sampled_from([Fraction(99, 100), Fraction(1), Fraction(11, 10)])))) for name in names}
    wanted = [Wanted(name, around[name], relation if "P" in names else "=")
              for name in names if name != "P"]
    compare(arch, wanted, around.get("P"), slack)


PLAIN: Arch = {"attention": "gqa", "ffn": "swiglu"}
ASKED = [([Wanted("kv_cache", 150, "<=")], 6000), ([Wanted("flops_per_token", 9000)], 5000),
         ([Wanted("memory", 9000, "<=")], 4000)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("mutant", "index"), [
    ("keys-of-all-heads", 0), ("scores-of-key-heads", 1), ("one-operation-a-pair", 1),
    ("keys-of-all-heads", 2)])
def test_a_quantity_counted_wrongly_is_noticed(mutant: str, index: int) -> None:
    wanted, target = ASKED[index]
    compare(PLAIN, wanted, target, Fraction(1, 10))
    assert fails(lambda: compare(PLAIN, wanted, target, Fraction(1, 10), work.MUTANTS[mutant]))


@pytest.mark.slow
def test_a_front_of_three_that_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [Wanted("kv_cache", 60), Wanted("flops_per_token", 4000)]
    compare(PLAIN, wanted, 3500, Fraction(1, 1000))
    real = pareto.gap
    monkeypatch.setattr(pareto, "gap", lambda goal, table: real(goal, table) * (
        goal.name != "kv_cache"))
    assert fails(lambda: compare(PLAIN, wanted, 3500, Fraction(1, 1000)))


# A budget of FLOPs

def test_a_width_for_a_budget_is_a_formula_and_a_number() -> None:
    """C = 6·N·D with D = 20·N: planted widths come back exactly."""
    model = published("llama-2-7b")
    for width in (2048, 8192):
        other = with_overrides(model, {"d_model": width})
        total = int(other.ledger(numbers(other).values).total())
        found = solve(model, wishes=Wishes(unknown=["d_model"]),
                      wanted=[Wanted("optimal_compute", 6 * total * 20 * total)])
        best = found.configurations[0]
        assert (best.dims["d_model"], best.total, best.exact) == (width, total, True)
        form, = found.closed_forms
        known = {name: sp.Integer(value) for name, value in found.real_at.items()}
        assert form.expr is not None
        assert to_sympy(form.expr, {**known, "optimal_compute": sp.Integer(
            120 * total**2)}) == width


@pytest.mark.thinned(3)
def test_a_budget_over_a_lattice_is_a_number_of_parameters() -> None:
    """C is met exactly where P is the root of C/120."""
    lattice = {"V": 100, "d_head": 64}
    wishes = read_wishes(ranges=["L=2:6", "d_model=128:1024:128"], multiples=["d_ff=64"])
    plain = build(None, Options(), {})
    target = solve(plain, 3 * 10**7, given=lattice, wishes=wishes).configurations[0].total
    for slack in (Fraction(0), Fraction(1, 50)):
        budget = solve(plain, given=lattice, wishes=wishes, limit=1000, tolerance=slack,
                       wanted=[Wanted("optimal_compute", 120 * target**2)])
        wide = solve(plain, target, given=lattice, wishes=wishes, limit=1000,
                     tolerance=Fraction(1, 20))
        assert keys(c.dims for c in budget.configurations) == keys(
            c.dims for c in wide.configurations
            if abs(c.total**2 - target**2) <= slack * target**2)
        assert budget.met


@pytest.mark.thinned(3)
def test_a_budget_of_a_mixture_is_that_of_the_parameters_in_use() -> None:
    model = published("mixtral-8x7b")
    found = solve(model, wishes=Wishes(unknown=["top_k"]), wanted=[
        Wanted("optimal_compute", 120 * 46_702_792_704 * 12_879_925_248)])
    assert (found.configurations[0].dims["top_k"], found.configurations[0].exact) == (2, True)


def test_tokens_of_a_training_run_can_be_asked_for() -> None:
    found = solve(published("llama-2-7b"), given={"s": 4096}, wishes=Wishes(unknown=["D"]),
                  wanted=[Wanted("train_head", 39_642_000_000 * 10**9, "<=")])
    assert abs(found.configurations[0].dims["D"] - 10**9) < 10**6


def test_a_context_ends_with_the_learned_positions() -> None:
    for limit, length, words in ((8 * 10**9, 1024, ["n_ctx = 1,024"]), (260 * 10**6, 301, [])):
        found = solve(published("gpt2"), wishes=Wishes(unknown=["s"]),
                      wanted=[Wanted("memory", limit, "<=")])
        assert found.configurations[0].dims["s"] == length
        assert [all(w in line for w in words) for line in found.remarks] == [True] * len(words)
        assert (found.met, found.everywhere) == (True, False)


def test_every_context_is_within_a_limit_once_all_windows_are_full(
        capsys: pytest.CaptureFixture[str]) -> None:
    """Keys and values of 4096 tokens, and no more however many there are."""
    line = ["solve", "mistral-7b", "s=?", "--target", "memory<=80GB"]
    full = 2 * 7_241_732_096 + 4096 * 4 * 32 * 8 * 128
    assert run(line) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Every s is within the limit" in shown
    assert f"memory is {full:,} bytes (15.02 GB) from s = 4,096 on" in shown
    assert run([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    valid("solve", data)
    assert (data["everywhere"], data["met"], data["unknowns"]) == (True, True, ["s"])
    assert data["configurations"][0]["dims"]["s"] == 4096
    model = published("mistral-7b")
    short = solve(model, wishes=Wishes(unknown=["s"]), wanted=[Wanted("memory", full - 1, "<=")])
    assert (short.configurations[0].dims["s"], short.everywhere) == (4095, False)


def test_a_part_that_is_more_than_the_limit_is_named() -> None:
    for unknown in ("s", "b"):
        found = solve(published("llama-2-70b"), wishes=Wishes(unknown=[unknown]),
                      wanted=[Wanted("memory", 80 * 10**9, "<=")])
        assert not found.met
        assert found.remarks == ("weights alone: 137,953,296,384 bytes (137.95 GB), which is more "
                                 "than the limit",)


def test_more_active_parameters_than_parameters_are_refused_before_a_search() -> None:
    mixture = build(None, Options(ffn="moe"), {})
    with pytest.raises(Contradiction, match="active is never more than P"):
        solve(mixture, 10**10, wanted=[Wanted("active", 2 * 10**10)])


def test_formats_are_taken_into_account() -> None:
    model = published("llama-2-7b")
    setting = Setting(run={"s": 4096}, weights=FORMATS["int4"], cache=FORMATS["fp8"])
    found = solve(model, wishes=Wishes(unknown=["b"]), setting=setting,
                  wanted=[Wanted("memory", 80 * 10**9, "<=")])
    assert found.configurations[0].dims["b"] == (80 * 10**9 - 6738415616 // 2) // (262144 * 4096)
    assert ("weights", "a weight takes 4 bits (int4)") in found.assumed


@pytest.mark.parametrize(("line", "words"), [
    ("s=? --target flops<=1e15 --attention-count causal",
     "a causal mask hides not counted"),
    ("L=? --target weights<=20GB --dtype int4 --group 32", "32 inputs share a scale in fp16"),
    ("d_model=? --target optimal_compute=1e22 --tokens-per-parameter 10", "10 tokens a parameter"),
    ("b=? --context 1000 --target memory<=80GB", "a cached number takes 16 bits (bf16)"),
    ("L=? --target training_memory_zero_1<=80GB --devices 8", "L = 70.5755")])
def test_what_a_model_is_run_with_is_said_to_solve_as_to_any_verb(
        line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "llama-2-7b", *line.split()]) == 0
    assert words in " ".join(capsys.readouterr().out.split())


# What is said

@pytest.mark.parametrize(("message", "words"), [
    ("alone leaves nearly everything open", ["--target", "memory<=80GB"]),
    ("needs a target", []),
    ("s given twice", ["llama-2-7b", "s=?", "s=4096", "--target", "memory<=80GB"]),
    ("from s = 4,096 on, however long", ["mistral-7b", "s=?", "--target",
                                         "kv_cache=536870912"]),
    ("memory does not depend on s", ["mamba-370m", "s=?", "--target", "memory<=80GB"]),
    ("combinations of other dims", ["s=?", "--target", "memory<=80GB"]),
    ("the count does not depend on s", ["llama-2-7b", "P=7e9", "s=?"]),
    ("only sums of products", ["deepseek-v4-pro", "s=?", "--target", "memory<=8TB"]),
    ("the count does not depend on s", ["llama-2-7b", "P=7e9", "s=?", "--target", "memory<=80GB"]),
])
def test_requests_that_cannot_be_met_are_one_line(message: str, words: list[str],
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", *words]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert not said.out
    assert len(said.err.strip().splitlines()) <= 3


@pytest.mark.parametrize("line", [
    pytest.param(line, marks=pytest.mark.slow if "optimal" in line else ())
    for line in re.findall(r"`symparam (solve [^`]*--target[^`]*)`", TOUR)])
def test_what_the_tour_names_works(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(shlex.split(line)) == 0
    out = capsys.readouterr().out
    assert "none left out" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_limit_that_nothing_meets_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "llama-2-7b", "s=?", "--target", "memory<=8GB"]) == 1
    assert "No s is within the limit" in capsys.readouterr().out


def test_a_model_with_windows_and_no_numbers_needs_none_for_its_weights() -> None:
    mistral = published("mistral-7b")
    bare = replace(mistral, values={}, equations=())
    assert solve(bare, 7 * 10**9, given={"V": 32000, "L": 32}).met


def test_a_quantity_that_was_searched_wrongly_is_never_handed_out(
        monkeypatch: pytest.MonkeyPatch) -> None:
    honest = targets.amount
    monkeypatch.setattr("symparam.solve.verify.amount",
                        lambda model, goal, setting: honest(model, goal, setting) + 1)
    with pytest.raises(SymparamError, match="memory ="):
        solve(published("llama-2-7b"), given={"s": 10}, wishes=Wishes(unknown=["V"]),
              wanted=[Wanted("memory", 14 * 10**9)])
