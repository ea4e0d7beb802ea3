"""Every equation that a page prints is worked out again, by a reader that knows nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import pytest

from symparam.cli.main import run
from tests.helpers import data, together
from tests.oracle import decoder as oracle
from tests.oracle.printed import Equation, equations, names, root, value
from tests.oracle.slope import slope

Numbers = dict[str, Fraction]

TOTALS: dict[str, int] = data("catalogue_totals.json")

#: Models whose totals were counted elsewhere, with what is asked of each; the first every day.
DERIVED = ("gpt2", "llama-2-7b --detail full", "deepseek-v3", "gemma-3-1b", "t5-base",
           "mixtral-8x7b --detail full", "jamba-v0.1", "bert-base", "qwen3-next-80b-a3b")
QUANTITIES = ("llama-2-7b kv_cache", "gpt2 flops", "mixtral-8x7b flops_per_token",
              "gemma-3-1b kv_cache", "deepseek-v3 flops", "qwen3-next-80b-a3b flops",
              "llama-2-7b train_narayanan", "gpt2 activations_tensor", "llama-2-7b weights")
DIFFERENCES = ("gpt2 llama-2-7b", "llama-2-7b --ffn mlp", "llama-2-7b V=32001",
               "llama-2-7b d_ff=11264", "gpt2 d_model=1536", "llama-2-7b mixtral-8x7b",
               "gpt2 --untied", "bert-base t5-base", "llama-2-7b L=33 d_ff=11264",
               "llama-2-7b --bias qkv")
SENSITIVE = ("gpt2", "albert-base", "mixtral-8x7b", "llama-2-7b", "t5-base", "deepseek-v3",
             "llama-2-7b --assume d_ff=8/3*d_model", "bert-base")
SOLVED = ("P=7e9 L=32 --ffn swiglu", "P=1e9 L=16", "llama-2-7b P=13e9 d_ff=?",
          "P=1e9 d_model=2048 L=?", "gpt2 P=1e9 V=?", "P=3e9 L=24 --tied",
          "mixtral-8x7b P=20e9 n_experts=?")


def everyday(lines: tuple[str, ...], number: int) -> list[Any]:
    """The first ones every day, the others with the slow tests."""
    return [line if i < number else pytest.param(line, marks=pytest.mark.slow)
            for i, line in enumerate(lines)]


def printed(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, Any]:
    """The page that a command prints, and its data."""
    assert run([*line.split(), "--quiet"]) in {0, 1}, capsys.readouterr().err
    page = capsys.readouterr().out
    assert run([*line.split(), "--quiet", "--json"]) in {0, 1}
    return page, json.loads(capsys.readouterr().out)


def worked_out(found: list[Equation], at: Mapping[str, Fraction]) -> tuple[Numbers, list[str]]:
    """The value of each left side, and what disagrees or cannot be worked out.

    A name on a left side is known as soon as one of its right sides is.
    """
    known: Numbers = {**at}
    waiting = [(e.left, text) for e in found for text in e.exact() if not e.left.startswith("∂")]
    faults: list[str] = []
    while waiting:
        later = []
        for left, text in waiting:
            if not names(text) <= set(known):
                later.append((left, text))
                continue
            number = value(text, known)
            if known.setdefault(left, number) != number:
                faults.append(f"{left} is {known[left]}, but {text} is {number}")
        if len(later) == len(waiting):
            return known, [*faults, *(f"unknown names in {left} = {text}" for left, text in later)]
        waiting = later
    return known, faults


def numbers(dims: Mapping[str, int]) -> Numbers:
    """Dims as they stand in formulas."""
    return {name: Fraction(number) for name, number in dims.items()}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", everyday(DERIVED, 4))
def test_every_line_of_a_derivation_is_the_total(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    for assumed in ("", " --assume none"):
        page, found = printed(f"derive {line}{assumed}", capsys)
        wanted = Fraction(TOTALS[line.split()[0]])
        lines = equations(page)
        known, faults = worked_out(lines, numbers(found["dims"]) | {"P": wanted})
        assert not faults
        assert sum(e.left == "P" for e in lines) >= 3
        assert Fraction(found["value"]) == wanted
        assert not list(wrong_pairs(found, known))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", everyday(QUANTITIES, 5))
def test_every_line_of_a_quantity_is_its_value(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, quantity = line.split()
    page, found = printed(f"derive {name} --quantity {quantity} s=700 b=3", capsys)
    given = numbers(found["dims"])
    if name in TOTALS:
        given["P"] = Fraction(TOTALS[name])
    known, faults = worked_out(equations(page), given)
    assert not faults
    assert known[found["symbol"]] == found["value"]


@pytest.mark.parametrize(("arch", "dims"), [
    ({"ffn": "swiglu"}, {"d_ff": 512}), ({"ffn": "mlp", "attention": "mqa"}, {"n_kv": 1}),
    ({"ffn": "mlp", "tied": True, "bias": ("qkv", "ffn"), "norm": "layernorm"}, {})])
def test_a_derivation_without_numbers_holds_where_its_assumptions_do(
        arch: dict[str, Any], dims: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    every = {"V": 1009, "L": 5, "d_model": 192, "n_heads": 6, "n_kv": 6, "d_head": 32,
             "d_ff": 768} | dims
    words = [f"--{key}" if v is True else f"--{key} {v if isinstance(v, str) else ','.join(v)}"
             for key, v in arch.items()]
    page, found = printed(f"derive {' '.join(words)}", capsys)
    assert "V" not in found["dims"]
    _, faults = worked_out(equations(page), numbers(every) | {
        "P": Fraction(oracle.total(arch, every))})
    assert not faults


@pytest.mark.parametrize("line", everyday(DIFFERENCES, 4))
def test_every_line_of_a_difference_is_what_it_says(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    page, found = printed(f"diff {line}", capsys)
    before, after = (numbers(found[side]["dims"]) for side in ("before", "after"))
    new = {row["name"] for row in found["dims"] if row["only"] == "after"}
    at = after | before | {name: after[name] for name in new} | {
        f"{name}′": number for name, number in after.items()}
    lines = equations(page)
    known, faults = worked_out(lines, at)
    assert not faults
    change = Fraction(found["after"]["total"] - found["before"]["total"])
    assert known["P′ − P"] == change
    for side, name in zip(("before", "after"), line.split(), strict=False):
        assert found[side]["total"] == TOTALS.get(name, found[side]["total"])
    parts = [known[e.left] for e in lines if re.fullmatch(r"ΔP_[a-z]\w*", e.left)]
    steps = [known[e.left] for e in lines if re.fullmatch(r"ΔP_\d+", e.left)]
    assert sum(parts) == change
    assert not steps or sum(steps) == change
    marked = {f"{name}_new": number for name, number in after.items()}
    assert not list(wrong_pairs(found, at | marked))


def wrong_pairs(found: Any, at: Mapping[str, Fraction]) -> Iterator[str]:
    """Terms of some data that are not the numbers beside them."""
    if isinstance(found, list):
        for each in found:
            yield from wrong_pairs(each, at)
    if not isinstance(found, dict):
        return
    for each in found.values():
        yield from wrong_pairs(each, at)
    for text, number in (("term", "numel"), ("formula", "value"), ("formula", "numel"),
                         ("before", "after")):
        one, other = found.get(text), found.get(number)
        if not isinstance(one, str) or found.get("relation") == "≈" or (
                not names(plain(one)) <= set(at)):
            continue
        if isinstance(other, int) and value(plain(one), at) != other:
            yield f"{one} is {value(plain(one), at)}, not {other}"
        if text == "before" and isinstance(other, str) and names(plain(other)) <= set(at) and (
                value(plain(one), at) != value(plain(other), at)):
            yield f"{one} is not {other}"


def plain(text: str) -> str:
    """An expression of the data as a page would write it."""
    raised = re.sub(r"\*\*(\d+)", lambda m: m[1].translate(str.maketrans(
        "0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")), text)
    return raised.replace("*", "·")


# --- slopes -----------------------------------------------------------------------------------

def following(text: str, at: Mapping[str, Fraction], equations: list[str], wrt: str,
              ) -> Any:
    """A formula as a function of one dim, where others follow it by equations.

    Where a number is not quite what its equation says it moves as the equation does.
    """
    rules = [each.replace(" ", "").split("=") for each in equations]

    def count(x: Fraction) -> Fraction:
        here = {**at, wrt: x}
        for _ in rules:
            here |= {name: at[name] + value(plain(rule), here) - value(plain(rule), at)
                     for name, rule in rules}
        return value(text, here)

    return count


def with_letters(lines: list[Equation], at: Mapping[str, Fraction],
                 heading: str) -> tuple[Numbers, list[str]]:
    """Numbers with those of the letters that stand for long sums below some words."""
    return worked_out([e for e in lines if len(e.left) == 1 and e.left not in at
                       and e.heading == heading and e.exact()], at)


def general(line: str, symbol: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, Numbers]:
    """The formula of a quantity under no assumption, and the numbers here."""
    page, found = printed(f"derive {line} --assume none", capsys)
    at = numbers(found["dims"])
    return [text for e in equations(page) if e.left == symbol for text in e.exact()
            if names(text) and names(text) <= set(at)][-1], at


@pytest.mark.parametrize("line", everyday(("llama-2-7b kv_cache", "gpt2 flops_per_token",
                                           "mixtral-8x7b flops", "gemma-3-1b kv_cache"), 2))
def test_every_derivative_of_a_quantity_is_the_slope_of_its_formula(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, quantity = line.split()
    page, found = printed(f"sensitivity {name} --quantity {quantity}", capsys)
    formula, at = general(f"{name} --quantity {quantity}", found["symbol"], capsys)
    at |= numbers(found["dims"])
    lefts = {e.left: value(e.exact()[0], at) for e in equations(page) if e.left[0] == "∂"}
    assert found["rows"]
    for row in found["rows"]:
        count = following(formula, at, row["follows"], row["wrt"])
        wanted = slope(count, int(at[row["wrt"]]))
        assert value(plain(row["derivative"]), at) == wanted == Fraction(row["here"])
        assert wanted in [value(e.exact()[0], at) for e in equations(page)
                          if e.left == f"∂{found['symbol']}/∂{row['wrt']}"]
        here = Fraction(row["here"]) * at[row["wrt"]] / found["value"]
        assert Fraction(row["elasticity"]) == here
        assert re.search(rf"^ {row['wrt']} +{row['held']} +", page, re.M), "no row of the table"
    assert len(lefts) <= len(found["rows"])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", everyday(SENSITIVE, 3))
def test_every_derivative_of_the_count_is_its_slope_and_every_bound_its_root(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    page, found = printed(f"sensitivity {line}", capsys)
    formula, at = general(line.split()[0], "P", capsys)
    lines = equations(page)
    for row in found["measures"][0]["rows"]:
        count = following(formula, at, row["held"]["follows"], row["wrt"])
        here = Fraction(row["here"])
        assert value(plain(row["derivative"]), at) == here == slope(count, int(at[row["wrt"]])), row
        assert Fraction(row["elasticity"]["exact"]) == (
            here * at[row["wrt"]] / found["measures"][0]["value"])
    for equation in lines:
        if equation.left[0] == "∂":
            own, faults = with_letters(lines, at, equation.heading)
            wrt, number = equation.left.partition("/∂")[2], value(equation.exact()[0], own)
            assert not faults
            rows = [row for measure in found["measures"] for row in measure["rows"]
                    if row["wrt"] == wrt]
            assert number in [Fraction(row["here"]) for row in rows] + [
                value(plain(row["derivative_put_in"]), at) for row in rows
                if row.get("derivative_put_in")]
    bounds = [(e.left, value(text, with_letters(lines, at, e.heading)[0]))
              for e in lines for sign, text in e.sides if sign == ">"]
    shown = [(dim, Fraction(number.replace(",", ""))) for dim, number in re.findall(
        r"^ \d+ % +(\w+) +(?:all others|ratios kept|by rule) +([\d,]+\.\d+) ", page, re.M)]
    assert bounds or not shown
    for dim, number in bounds:
        assert any(d == dim and abs(number - s) <= Fraction(1, 100) for d, s in shown), dim


# --- solutions --------------------------------------------------------------------------------

@pytest.mark.parametrize("line", everyday(SOLVED, 4))
def test_a_closed_form_is_the_root_that_is_printed(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    page, found = printed(f"solve {line}", capsys)
    lines = [e for e in equations(page) if e.left in found["closed_form"]]
    assert lines
    for equation in lines:
        at, faults = with_letters(equations(page), numbers(found["fixed"]) | {
            "P": Fraction(found["target"])}, equation.heading)
        assert not faults
        for text in equation.exact():
            number = value(text, at)
            assert f"{equation.left} = {float(number):.4f}"[:-1] in page.replace(",", "")
            root_, = (r for r in found["roots"][equation.left] if not r["rejected"])
            assert Fraction(root_["low"]) <= number <= Fraction(root_["high"])


# --- the reader itself ------------------------------------------------------------------------

@together(("text", "wanted"), [
    ("2·3 + 4", 10), ("−2·(1 − x)", 8), ("x²·2", 50), ("(x + 1)/4", Fraction(3, 2)), ("√(9)", 3),
    ("1,000·x/3", Fraction(5000, 3)), ("x⁻¹", Fraction(1, 5)), ("−x² + 1", -24), ("8/3·x", Fraction(
        40, 3))])
def test_a_formula_is_worked_out(text: str, wanted: int | Fraction) -> None:
    assert value(text, {"x": Fraction(5)}) == wanted
    assert abs(root(Fraction(2)) ** 2 - 2) < Fraction(1, 10**30)


def test_a_page_with_a_false_line_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of a page made wrong in one place is a fault, whichever line it is."""
    page, found = printed("derive llama-2-7b --detail full", capsys)
    at = numbers(found["dims"]) | {"P": Fraction(TOTALS["llama-2-7b"])}
    lines = page.splitlines()
    changed = 0
    for i, line in enumerate(lines):
        for old, new in (("·", " + "), ("2·", "3·"), ("V·", "L·")):
            if re.search(r"   .* ?[=+] ", line) and old in line and " × " not in line:
                wrong = "\n".join([*lines[:i], line.replace(old, new, 1), *lines[i + 1:]])
                _, faults = worked_out(equations(wrong), at)
                assert faults, line.replace(old, new, 1)
                changed += 1
    assert changed >= 30
