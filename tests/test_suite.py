"""Suites of solutions, and the guide's rule of thumb with what it misses by."""

from __future__ import annotations

import csv
import inspect
import json
import shlex
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symparam as sp
from symparam.cli.main import run
from symparam.descriptions.catalogue import published
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.errors import BadValue, Contradiction
from symparam.model import Model
from symparam.points.ratios import Ratio
from symparam.solve.guide import suggest
from symparam.solve.requests.parsing import read_wishes
from symparam.solve.solver import solve, spread
from symparam.solve.suite import ladder, strategies
from tests.helpers import together
from tests.oracle import decoder as oracle
from tests.strategies import quick

SIZES = [125 * 10**6, 350 * 10**6, 10**9, 3 * 10**9, 7 * 10**9, 13 * 10**9, 30 * 10**9, 70 * 10**9]

#: What the guide's own calculator gives for those targets, read from it.
GUIDE = [186_934_272, 455_655_552, 1_310_824_448, 3_865_757_568, 8_616_718_080, 15_960_807_808,
         36_896_802_432, 86_879_045_760]


def decoder(**options: Any) -> Model:
    return build(None, Options(**options), {})


@together(("target", "total"), list(zip(SIZES, GUIDE, strict=True)))
def test_the_guide_suggests_what_it_suggests(target: int, total: int) -> None:
    found = suggest(target)
    assert found.total == total
    dims = {**found.dims, "n_kv": found.dims["n_heads"]}
    assert oracle.total({"ffn": "swiglu", "tied": True}, dims) == total
    assert found.error > Fraction(22, 100)
    ungated = suggest(target, gated=False)
    assert ungated.dims["d_ff"] == 4 * ungated.dims["d_model"]


@pytest.mark.parametrize("target", [1, 10**3, 10**15, 10**24])
def test_the_guide_stays_within_its_own_bounds(target: int) -> None:
    dims = suggest(target).dims
    assert 512 <= dims["d_model"] <= 16384
    assert dims["L"] >= 6


def test_the_nearest_multiple_to_a_cube_root_is_exact() -> None:
    for target in range(10**9, 10**9 + 50):
        width = suggest(target).dims["d_model"]
        low, high = Fraction(width - 64) ** 3, Fraction(width + 64) ** 3
        assert low <= target / Fraction(12, 100) <= high


NINE = [125 * 10**6, 350 * 10**6, 760 * 10**6, 13 * 10**8, 27 * 10**8, 67 * 10**8, 13 * 10**9,
        30 * 10**9, 175 * 10**9]


@pytest.mark.parametrize(("ffn", "ratio", "aspect"), [
    ("mlp", 4, 128), ("swiglu", Fraction(8, 3), 96)])
def test_the_sizes_of_a_family_share_their_shape(ffn: str, ratio: Fraction, aspect: int) -> None:
    suite = ladder(decoder(ffn=ffn), NINE[::-1], aspect=Fraction(aspect), given={"V": 50304})
    assert suite.met
    assert [int(label) for label, _ in suite.rows] == NINE
    sizes = [solution.configurations[0] for _, solution in suite.rows]
    for one, target in zip(sizes, NINE, strict=True):
        dims, step = one.dims, 256 if target >= 10**9 else 64
        assert abs(Fraction(dims["d_model"], aspect) - dims["L"]) < 1 or "d_model/L" in one.not_held
        assert (abs(ratio * dims["d_model"] - dims["d_ff"]) < step) == (
            "d_ff/d_model" not in one.not_held)
        assert one.total == oracle.total({"ffn": ffn}, dims)
        assert abs(Fraction(one.total, target) - 1) <= Fraction(1, 20)
        assert dims["n_heads"] * dims["d_head"] == dims["d_model"]
    assert len({one.dims["d_head"] for one in sizes}) == 1
    assert sum(bool(one.not_held) for one in sizes) <= 1
    for dim in ("L", "d_model"):
        assert sorted(one.dims[dim] for one in sizes) == [one.dims[dim] for one in sizes]


def shapes(target: int, least: tuple[int, int], tight: bool = True) -> tuple[int, ...]:
    """Of a plain decoder with heads of 64 the best (looseness of depth and FFN, error in tenths of
    a percentage point) by trying every depth, width and FFN from one size on.

    Args:
        target: the parameters.
        least: the smallest width and depth.
        tight: whether looseness goes before the error.
    """
    found = []
    for width in range(max(64, least[0]), 3000, 64):
        near = width // 128
        for depth in range(max(1, least[1], near - 8), near + 9):
            for ffn in range(max(64, 4 * width - 512), 4 * width + 513, 64):
                off = (abs(Fraction(width, 128) - depth), abs(4 * width - ffn) / Fraction(64))
                loose = [sum(distance >= steps for steps in (1, 2, 4)) for distance in off]
                layer = 4 * width**2 + 2 * width * ffn + 2 * width
                total = 2 * 32000 * width + depth * layer + width
                error = abs(Fraction(total, target) - 1)
                if max(off) < 8 and error <= Fraction(1, 20):
                    tenths = int(error * 1000)
                    found.append((*loose, tenths) if tight else (tenths, *loose))
    return min(found)


@pytest.mark.slow
def test_a_size_is_the_best_of_the_tightest_shape() -> None:
    suite = ladder(decoder(), [5 * 10**7, 10**8, 2 * 10**8], given={"V": 32000, "d_head": 64})
    least, noticed = (1, 1), False
    for label, solution in suite.rows:
        best = solution.configurations[0]
        expected = shapes(int(label), least)
        assert int(abs(best.error) * 1000) == expected[-1]
        assert ("d_model/L" in best.not_held, "d_ff/d_model" in best.not_held) == (
            expected[0] > 0, expected[1] > 0)
        noticed |= shapes(int(label), least, tight=False)[0] != expected[-1]
        least = (best.dims["d_model"], best.dims["L"])
    assert noticed  # an order by error alone is another one


def test_heads_and_experts_are_shared_as_ratios() -> None:
    suite = ladder(decoder(attention="gqa", ffn="moe"), [10**9, 10**10])
    for _, solution in suite.rows:
        dims = solution.configurations[0].dims
        assert (dims["n_experts"], dims["top_k"], dims["n_heads"]) == (8, 2, 4 * dims["n_kv"])
    fixed = ladder(decoder(attention="gqa"), [10**9, 10**10], given={"n_kv": 8, "L": 24})
    assert {s.configurations[0].dims["n_kv"] for _, s in fixed.rows} == {8}
    assert fixed.aspect is None
    assert not any("n_kv" in line for line in fixed.held)


def test_a_published_model_keeps_its_own_shape() -> None:
    found = ladder(published("llama-2-7b"), [6_738_415_616, 13 * 10**9])
    first = found.rows[0][1].configurations[0]
    assert first.exact
    assert (first.dims["d_model"], first.dims["L"], first.dims["d_ff"]) == (4096, 32, 11008)
    assert found.held == ("d_model/L = 128 within one layer", "d_ff/d_model = 2.6875 within one "
                          "step of d_ff", "d_head = 128", "n_heads/n_kv = 1")
    stacks = ladder(published("whisper-tiny"), [10**8]).rows[0][1].configurations[0].dims
    assert abs(Fraction(stacks["d_model"], 96) - stacks["L_encoder"]) < 1
    assert stacks["L_encoder"] == stacks["L_decoder"]


def test_what_a_size_does_not_hold_is_marked_in_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    line = "solve --ladder 50M,1B --attention gqa --ffn swiglu"
    _, out, _ = shown(capsys, line)
    rows = [row.split() for row in out.splitlines() if row.split()[1:2] in (["M"], ["B"])]
    data = json.loads(shown(capsys, f"{line} --json")[1])
    for row, size in zip(rows, data["rows"], strict=False):
        off = size["configurations"][0]["not_held"]
        assert row[2].endswith("*") == ("d_model/L" in off)
    assert any(size["configurations"][0]["not_held"] for size in data["rows"])
    assert "*: not held" in out


def test_configurations_are_written_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = shown(capsys, "solve --ladder 125M,1B --format csv")
    for row in csv.DictReader(out.splitlines()):
        dims = {name: int(row[name]) for name in ("V", "L", "d_model", "n_heads", "n_kv", "d_head",
                                                  "d_ff")}
        assert int(row["P"]) == oracle.total({}, dims)
        assert float(row["relative_error"]) == pytest.approx(
            int(row["P"]) / int(row["wanted"]) - 1, abs=1e-8)
    _, out, _ = shown(capsys, "solve P=1e9 --max 3 --format csv")
    assert [row["number"] for row in csv.DictReader(out.splitlines())] == ["1", "2", "3"]


@given(top=st.integers(1, 10**6), factor=st.fractions(Fraction(1, 9), 50, max_denominator=9),
       step=st.integers(1, 300), steps=st.integers(0, 9), down=st.booleans())
@quick
def test_a_ratio_reaches_as_far_as_its_steps(top: int, factor: Fraction, step: int, steps: int,
                                             down: bool) -> None:
    ratio = Ratio("x", "y", factor, factor)
    dim, ideal = ("y", top / factor) if down else ("x", top * factor)
    first, last = ratio.reach(dim, top, step, steps)
    around = range(int(ideal // step) - steps - 2, int(ideal // step) + steps + 3)
    inside = [n for n in around if (abs(n * step - ideal) < steps * step if steps
                                    else n * step == ideal)]
    assert inside == list(range(first, last + 1))


def test_each_strategy_is_what_it_says() -> None:
    suite = strategies(decoder(ffn="swiglu"), 256 * 10**6, given={"V": 259}, limit=5)
    shapes = {label: [Fraction(c.dims["d_model"], c.dims["L"]) for c in s.configurations]
              for label, s in suite.rows}
    assert list(shapes) == ["deep", "balanced", "wide"]
    assert max(shapes["deep"]) <= 64 <= min(shapes["balanced"])
    assert max(shapes["balanced"]) <= 160 <= min(shapes["wide"])
    assert sum(s.covered for _, s in suite.rows) >= 10**6


@together(("error", "message", "call"), [
    (BadValue, "1 to 100 sizes", lambda: ladder(decoder(), [])),
    (BadValue, "1 to 100 sizes", lambda: ladder(decoder(), range(10**8, 10**8 + 101))),
    (Contradiction, "given twice", lambda: ladder(decoder(), [10**9, 10**9])),
    (BadValue, "above 0", lambda: ladder(decoder(), [10**9], aspect=Fraction(0))),
    (Contradiction, "one aspect ratio", lambda: ladder(
        decoder(), [10**9], wishes=read_wishes(strategy="deep"))),
    (Contradiction, "one aspect ratio", lambda: ladder(
        decoder(), [10**9], wishes=read_wishes(ranges=["d_model/L=1:2"]))),
])
def test_suites_that_cannot_be_are_refused(error: type, message: str, call: Any) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_spread_keeps_both_ends() -> None:
    points = [{"L": n} for n in range(100)]
    for limit in (1, 2, 3, 7, 99, 100, 200):
        chosen = [p["L"] for p in spread(points, limit)]
        assert chosen[0] == 0
        assert limit == 1 or chosen[-1] == 99
        assert chosen == sorted(set(chosen))
        assert len(chosen) == min(limit, 100)


def shown(capsys: pytest.CaptureFixture[str], line: str) -> tuple[int, str, str]:
    code = run(shlex.split(line))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_guide_stands_beside_the_solver(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, "solve P=7e9 --ffn swiglu --heuristic guide --max 1")
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.startswith((" guide", " solved"))]
    assert rows[0][-3:-1] == ["8,616,718,080", "+23.096"]
    assert abs(float(rows[1][-2].replace("−", "-"))) <= 1
    code, out, _ = shown(capsys, "solve --ladder 125M,350M,1B,3B,7B,13B,30B,70B --ffn swiglu "
                         "--heuristic guide --json")
    data = json.loads(out)
    assert [h["P"] for h in data["heuristic"]] == GUIDE
    assert all(abs(row["configurations"][0]["relative_error"]) <= 0.05 for row in data["rows"])


@together(("line", "message"), [
    ("solve --ladder 1B,3B P=7e9", "takes the place of P="),
    ("solve --ladder 1B --strategy all", "one aspect ratio"),
    ("solve --ladder 1B --target active=3", "for one size"),
    ("solve --ladder 1B,x", "unknown symbol"), ("solve --ladder 1.5", "whole number"),
    ("solve P=7e9 --aspect 64", "goes with --ladder"),
    ("solve --ladder 1B --aspect x*y", "unknown symbol"),
    ("solve P=7e9 --range L=", "expected KEY=VALUES"),
    ("solve P=7e9 --target kv<3", "expected QUANTITY"),
    ("solve P=7e9 --strategy flat", "not one of"),
    ("solve d_model=100 n_heads=7 P=1e9", "d_head = d_model/n_heads is 100/7"),
    ("solve P=7e9 L=3 L=4", "given twice"), ("solve P=7e9 P=8e9", "given twice"),
    ("solve", "needs a target")])
def test_wrong_use_is_one_line(capsys: pytest.CaptureFixture[str], line: str, message: str) -> None:
    code, out, err = shown(capsys, line)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_no_solution_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, "solve P=7e9 L=200 d_model=1024 --max 2")
    assert code == 1
    assert "the nearest misses" in out
    assert "1 ≤ d_ff/d_model ≤ 8: with 0.125 ≤ d_ff/d_model ≤ 64 there would be 2" in out
    code, out, _ = shown(capsys, "solve --ladder 1M,1B --max 1")
    assert code == 1
    assert "1.00 M: no configuration within 5 %; the nearest has 8,274,304" in out


def test_suites_from_python_show_themselves() -> None:
    suite = sp.decoder(ffn="swiglu").ladder(["1B", "3B"], aspect=96, ranges=["n_heads=8:64:8"])
    assert repr(suite) == "<ladder of decoder (mha, swiglu): 1000000000, 3000000000>"
    assert "a family of 2 sizes" in suite.text()
    assert suite.json()["suite"] == "ladder"
    three = sp.decoder(ffn="swiglu").strategies(P="1B", limit=1, weights={"shape": 9})
    assert "deep" in three.markdown()


@pytest.mark.parametrize("values", ["L=6,12,24,48", "d_model=768,2048"])
def test_listed_depths_and_widths_grow_as_well(values: str,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, f"solve --ladder 125M,1B --range {values} --json")
    assert code == 0
    dim, _, listed = values.partition("=")
    found = [row["configurations"][0]["dims"][dim] for row in json.loads(out)["rows"]]
    assert found == sorted(found)
    assert {str(each) for each in found} <= set(listed.split(","))


def test_one_per_cent_is_met_wherever_nothing_is_said() -> None:
    for call in (solve, strategies, sp.Model.solve, sp.Model.strategies):
        assert inspect.signature(call).parameters["tolerance"].default == Fraction(1, 100), call
