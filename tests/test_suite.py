"""Suites of solutions, and the guide's rule of thumb with what it misses by."""

from __future__ import annotations

import json
import shlex
from fractions import Fraction
from typing import Any

import pytest

import symparam as sp
from symparam.cli.main import run
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.errors import BadValue, Contradiction
from symparam.model import Model
from symparam.solve.guide import suggest
from symparam.solve.parsing import read_wishes
from symparam.solve.solver import spread
from symparam.solve.suite import ladder, strategies
from tests.oracle import decoder as oracle

SIZES = [125 * 10**6, 350 * 10**6, 10**9, 3 * 10**9, 7 * 10**9, 13 * 10**9, 30 * 10**9, 70 * 10**9]

#: What the guide's own calculator gives for those targets, read from it.
GUIDE = [186_934_272, 455_655_552, 1_310_824_448, 3_865_757_568, 8_616_718_080, 15_960_807_808,
         36_896_802_432, 86_879_045_760]


def decoder(**options: Any) -> Model:
    return build(None, Options(**options), {})


@pytest.mark.parametrize(("target", "total"), list(zip(SIZES, GUIDE, strict=True)))
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


def test_a_ladder_has_one_aspect_ratio() -> None:
    suite = ladder(decoder(ffn="swiglu"), SIZES[:4], aspect=Fraction(96))
    assert suite.met
    for (label, solution), target in zip(suite.rows, SIZES, strict=False):
        best = solution.configurations[0]
        assert int(label) == target
        assert abs(best.error) <= Fraction(1, 100)
        assert abs(Fraction(best.dims["d_model"], best.dims["L"]) / 96 - 1) <= Fraction(1, 10)
    assert str(suite.aspect) == "86.4 ≤ d_model/L ≤ 105.6"


def test_each_strategy_is_what_it_says() -> None:
    suite = strategies(decoder(ffn="swiglu"), 256 * 10**6, given={"V": 259}, limit=5)
    shapes = {label: [Fraction(c.dims["d_model"], c.dims["L"]) for c in s.configurations]
              for label, s in suite.rows}
    assert list(shapes) == ["deep", "balanced", "wide"]
    assert max(shapes["deep"]) <= 64 <= min(shapes["balanced"])
    assert max(shapes["balanced"]) <= 160 <= min(shapes["wide"])
    assert sum(s.covered for _, s in suite.rows) >= 10**6


@pytest.mark.parametrize(("error", "message", "call"), [
    (BadValue, "1 to 100 sizes", lambda: ladder(decoder(), [])),
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
    assert all(abs(row["configurations"][0]["relative_error"]) <= 0.01 for row in data["rows"])


@pytest.mark.parametrize(("line", "message"), [
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
    assert "1.00 M: no configuration within 1 %; the nearest has 8,290,688" in out


def test_suites_from_python_show_themselves() -> None:
    suite = sp.decoder(ffn="swiglu").ladder(["1B", "3B"], aspect=96, ranges=["n_heads=8:64:8"])
    assert repr(suite) == "<ladder of decoder (mha, swiglu): 1000000000, 3000000000>"
    assert "a ladder of 2 sizes" in suite.text()
    assert suite.json()["suite"] == "ladder"
    three = sp.decoder(ffn="swiglu").strategies(P="1B", limit=1, weights={"close": 9})
    assert "deep" in three.markdown()
