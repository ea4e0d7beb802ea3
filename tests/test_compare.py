"""Models side by side: each cell is what the model alone answers, in every format."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symparam.claims.comparison as comparison
from symparam import compare, load
from symparam.cli.main import run
from symparam.errors import BadValue, Contradiction, SymparamError, UnknownName
from symparam.showable import csv_number
from tests.helpers import Line, together
from tests.strategies import SEED, quick
from tests.test_json import schema, spoiled, trimmed, valid

MODELS = ("gpt2", "llama-2-7b", "mistral-7b", "mixtral-8x7b", "deepseek-v3", "gemma-3-1b",
          "mamba-130m", "bert-base")
QUANTITIES = ("P", "active", "without_embeddings", "kv_per_token", "flops_per_token",
              "train_full")


def alone(name: str, quantity: str, **run: Any) -> Any:
    """What a model answers by itself; its total where it has no experts to be active."""
    model = load(name)
    if quantity == "active" and "top_k" not in model.dims:
        quantity = "P"
    try:
        return model.quantity(quantity, **run)
    except SymparamError:
        return None


def wrong_cells(rows: list[list[Any]], **run: Any) -> list[tuple[str, str]]:
    """The cells of the whole table that are not what the model says alone."""
    return [(name, quantity) for name, row in zip(MODELS, rows, strict=True)
            for quantity, cell in zip(QUANTITIES, row, strict=True)
            if cell != (str(value) if isinstance(value := alone(name, quantity, **run), Fraction)
                        else value)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("run", [{}, {"s": 8192}, {"s": 100, "kv_dtype": "int8", "b": 3}], ids=str)
def test_every_cell_is_what_the_model_says_alone(run: dict[str, Any]) -> None:
    found = compare(*MODELS, columns=QUANTITIES, **run).json()["rows"]
    assert wrong_cells(found, **run) == []
    assert sum(cell is None for row in found for cell in row) < 8


def test_a_cell_of_another_model_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = comparison._entry
    first = comparison.Names(load("gpt2"))
    monkeypatch.setattr(comparison, "_entry", lambda names, column: whole(
        first if names.model.name == "mistral-7b" else names, column))
    assert wrong_cells(compare(*MODELS, columns=QUANTITIES).json()["rows"])


def test_a_column_is_any_expression_in_what_a_model_has() -> None:
    columns = ["L", "d_ff/d_model", "P_ffn", "W_Q", "P - without_embeddings", "kv_cache/P"]
    rows = compare("gpt2", "llama-2-7b", columns=columns, s=1024).json()["rows"]
    found = [[Fraction(cell) for cell in row] for row in rows]
    width, inner = 768, 3072
    assert found[0] == [12, 4, 2 * width * inner + width + inner, width**2, 50257 * width,
                        Fraction(2 * 2 * 12 * width * 1024, 124439808)]
    width, inner = 4096, 11008
    assert found[1] == [32, Fraction(inner, width), 3 * width * inner, width**2,
                        2 * 32000 * width, Fraction(2 * 2 * 32 * width * 1024, 6738415616)]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "csv", "json"])
def test_every_format_has_every_number(form: str, line: Callable[[str], tuple[int, str, str]]
                                       ) -> None:
    chosen = random.Random(SEED).sample(MODELS, 5)
    code, out, err = line(f"compare {' '.join(chosen)} --columns L,P,active s=64 --format {form}")
    assert (code, err) == (0, "")
    plain = out.replace(",", "").replace("{}", "")
    for name in chosen:
        assert name in out
        for quantity in ("P", "active"):
            assert str(alone(name, quantity)) in plain


def test_csv_is_read_back(line: Callable[[str], tuple[int, str, str]]) -> None:
    _, out, _ = line(f"compare {' '.join(MODELS)} --columns {','.join(QUANTITIES)} --format csv")
    head, *rows = csv.reader(io.StringIO(out))
    assert head == ["model", *QUANTITIES]
    assert [[None if cell == "" else int(cell) for cell in row[1:]] for row in rows] == (
        compare(*MODELS, columns=QUANTITIES).json()["rows"])


def test_a_number_below_none_is_a_number_in_csv(line: Callable[[str], tuple[int, str, str]]
                                                ) -> None:
    assert line("compare gpt2 mamba-130m --columns L-P,n_kv,L/d_model --format csv")[1] == (
        "model,L-P,n_kv,L/d_model\n"
        "gpt2,-124439796,12,0.015625\nmamba-130m,-129135336,,0.03125\n")
    assert "−124,439,796" in compare("gpt2", columns=["L-P"]).text()


@quick
@given(top=st.integers(-10**15, 10**15), bottom=st.integers(1, 10**9))
def test_a_fraction_in_csv_is_a_decimal_that_keeps_more_than_a_double(
        top: int, bottom: int) -> None:
    value = Fraction(top, bottom)
    text = csv_number(value)
    assert abs(Fraction(text) - value) <= abs(value) / 10**19
    assert re.fullmatch(r"-?\d+(\.\d+)?", text)
    if bottom in {1, 2, 4, 5, 8}:
        assert Fraction(text) == value


def test_a_ratio_is_exact_in_json_and_a_decimal_in_csv(line: Callable[[str], tuple[int, str, str]]
                                                       ) -> None:
    words = "compare llama-2-7b mixtral-8x7b --columns d_ff/d_model,P/active --format"
    assert json.loads(line(f"{words} json")[1])["rows"] == [
        ["43/16", 1], [None, str(Fraction(46702792704, 12879925248))]]
    assert line(f"{words} csv")[1].splitlines()[1:] == [
        "llama-2-7b,2.6875,1", "mixtral-8x7b,,3.6260142667560922788"]


def test_csv_goes_to_a_file_whole(line: Callable[[str], tuple[int, str, str]]) -> None:
    assert line("compare gpt2 bert-base --columns P -o out.csv")[0] == 0
    assert line("compare gpt2 --columns P -o out.csv")[0] == 2  # it is there already
    assert line("compare gpt2 --columns P -o out.csv --force")[0] == 0


def test_what_there_is_not_is_said_with_its_reason() -> None:
    found = compare("gpt2", "mamba-130m", columns=["n_kv", "top_k", "P"])
    data = found.json()
    assert data["rows"] == [[12, None, 124439808], [None, None, 129135360]]
    assert [(each["model"], each["column"]) for each in data["why_not"]] == [
        ("gpt2", "top_k"), ("mamba-130m", "n_kv"), ("mamba-130m", "top_k")]
    assert "mamba-130m: n_kv is not there: it has no n_kv" in found.text()


def test_active_parameters_of_a_model_without_experts_are_all_and_that_is_said() -> None:
    found = compare("gpt2", "mixtral-8x7b", columns=["active", "P/active"])
    assert found.json()["rows"][0] == [124439808, 1]
    assert [each["model"] for each in found.json()["read_as"]] == ["gpt2", "gpt2"]
    assert "active = P of gpt2: a model without experts" in found.text()


def test_what_was_taken_is_said_of_the_models_it_was_taken_for() -> None:
    found = compare("gpt2", "llama-2-7b", columns=["flops"])
    assert [each["assumed"] for each in found.json()["models"]] == [
        {"s": 1024, "b": 1}, {"s": 4096, "b": 1}]
    assert "s = 1,024 for gpt2: as many as there are positions" in found.text()
    assert "s = 64: as given" in compare("gpt2", "llama-2-7b", columns=["flops"], s=64).text()
    assert "windows followed" in found.text()


def test_more_tokens_than_there_are_positions_for_are_said() -> None:
    found = compare("gpt2", "llama-2-7b", columns=["flops"], s=5000)
    assert [len(each["remarks"]) for each in found.json()["models"]] == [1, 0]
    assert "gpt2: s = 5000: more than the 1024 positions" in found.text()
    assert "positions" not in compare("gpt2", "bert-base", columns=["P"], s=5000).text()


@pytest.mark.parametrize(("bold", "there"), [("lowest", "**124,439,808**"),
                                             ("highest", "**129,135,360**"), ("", None)])
def test_the_best_stands_out(bold: Any, there: str | None) -> None:
    text = compare("gpt2", "mamba-130m", columns=["P", "n_kv", "V"], bold=bold).markdown()
    assert (there in text) if there else "**1" not in text
    assert text.count("**1") == (1 if bold else 0)


@pytest.mark.parametrize(("columns", "brief"), [
    (["P", "kv_per_token", "flops_per_token", "L", "d_ff/d_model"],
     ["6.74 B", "524.29 kB", "15.36 GFLOP", "32", "2.688"])])
def test_short_numbers_have_the_units_of_the_field(columns: list[str], brief: list[str]) -> None:
    text = compare("llama-2-7b", columns=columns, short=True).text()
    assert [each for each in brief if each not in text] == []


def test_the_data_meet_their_schema() -> None:
    data = compare("gpt2", "mixtral-8x7b", "mamba-130m", columns=["P", "active", "kv_cache/P",
                                                                  "top_k"]).json()
    valid("compare", data)
    spoilt = [what for what, each in spoiled(trimmed(json.loads(json.dumps(data))))
              if schema("compare").is_valid(each)]
    assert [what for what in spoilt if "assumed" not in what and "'source') as" not in what] == []


@together(("words", "why"), [
    ("compare gpt2 llama-2-7b L=3", "of several models none is changed: L=3"),
    ("compare gpt2 bert-base --tied", "--tied goes with one"),
    ("compare gpt2 gpt2", "give each model once"),
    ("compare gpt2 --columns P,P", "give each column once"),
    ("compare gpt2 --columns nope", "unknown symbol 'nope'"),
    ("compare gpt2 --columns 1/0", "division by zero"),
    ("compare gpt2 --columns ,", "cannot read"),
    ("compare s=9", "name the models"), ("compare", "name the models")])
def test_what_cannot_be_compared_is_refused_in_a_line(
        words: str, why: str, line: Callable[[str], tuple[int, str, str]]) -> None:
    code, out, err = line(words)
    assert (code, out) == (2, "")
    assert why in err.splitlines()[-1]


def test_python_refuses_the_same() -> None:
    with pytest.raises(BadValue, match="its own"):
        compare("gpt2", "llama-2-7b", L=3)
    with pytest.raises(Contradiction):
        compare("gpt2", "gpt2")
    with pytest.raises(UnknownName):
        compare("gpt2", columns=["nope"])
    with pytest.raises(BadValue):
        compare()


def test_the_page_is_as_it_was_read(golden: Callable[[str, str], None]) -> None:
    found = compare("gpt2", "llama-2-7b", "mixtral-8x7b", "deepseek-v3", s=8192)
    golden("compare.txt", found.text())
    golden("compare.tex", found.latex())
    golden("compare-short.md", compare(
        "llama-2-7b", "mixtral-8x7b", columns=["L", "d_model", "P", "active", "kv_per_token"],
        short=True, bold="lowest").markdown())


def test_what_was_given_is_told_as_what_was_taken(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["compare", "gpt2", "llama-2-7b", "--columns", "train_full", "s=1024"]
    assert run(line) == 0
    out = capsys.readouterr().out
    assert "s = 1,024: as given" in out
    assert "training is for one token" in out
    assert run([*line, "D=1e12", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [model["given"] for model in data["models"]] == [{"s": 1024, "D": 10**12}] * 2
    assert run([*line, "D=1e12"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "training is for all of them, not for one token" in words
    assert "training is for one token;" not in words


def test_what_a_model_is_run_with_is_a_column_too() -> None:
    found = comparison.compare([load("gpt2"), load("llama-2-7b")], ["s", "kv_cache/s", "s_encoder"])
    assert [[entry.value for entry in row] for row in found.rows] == [
        [1024, 36864, None], [4096, 524288, None]]
    assert [set(taken) for taken in found.assumed] == [{"s", "b"}, {"s", "b"}]
    given = comparison.compare([load("llama-2-7b", s=100)], ["s", "kv_cache/s"])
    assert [entry.value for entry in given.rows[0]] == [100, 524288]
    with pytest.raises(SymparamError, match="needs a number for D"):
        comparison.compare([load("gpt2")], ["D"]).rows  # noqa: B018 (it is worked out)


FIVE = "gpt2 llama-3-8b qwen3-30b-a3b mixtral-8x7b deepseek-v3"


def test_in_latex_a_name_of_a_model_stays_on_a_line(line: Line) -> None:
    for width in ("7.7", "16"):
        shown = line(f"compare {FIVE} --latex --text-width {width}")[1]
        for name in FIVE.split()[1:]:
            assert shown.count(name) == shown.count(rf"\mbox{{{name}}}") > 1
    assert "mbox" not in line(f"compare {FIVE} --format markdown")[1]


@pytest.mark.parametrize(("width", "columns"), [("16", [3, 2]), ("7.7", [3, 2])])
def test_five_models_in_short_have_two_tables_and_no_lonely_column(
        width: str, columns: list[int], line: Line) -> None:
    shown = line(f"compare {FIVE} --short --latex --text-width {width}")[1]
    heads = [row.count("&") for row in shown.splitlines() if row.startswith("model &")]
    assert heads == columns


def test_a_part_is_said_to_be_one_of_so_many(line: Line) -> None:
    shown = " ".join(line("compare gpt2 mixtral-8x7b --columns W_Q,P_attention/P,W_E,L")[1].split())
    assert ("W_Q, P_attention: the parameters of one, not of all layers together; there are 12 in "
            "gpt2, 32 in mixtral-8x7b") in shown
    assert "W_E:" not in shown
    assert f" {768 * 768:,} " in shown
