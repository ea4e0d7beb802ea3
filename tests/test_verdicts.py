"""Printed sizes against what they are said of: verdicts, what mends them, and whole tables."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symparam as sp
from symparam.claims.along import Found, Line, solve
from symparam.claims.alternatives import alternatives
from symparam.claims.changes import mends
from symparam.claims.claim import read_claim, total_claim
from symparam.claims.consistency import findings
from symparam.claims.forms import counted
from symparam.claims.judged import Review, review_claim
from symparam.claims.names import COUNTS, Names
from symparam.claims.printed import read_printed, reprinted
from symparam.claims.reconcile import reconcile
from symparam.claims.shared import _same_dim
from symparam.claims.tables import csv_table, latex_table, markdown_table
from symparam.claims.tables.table_file import TableError, read_table
from symparam.claims.tables.table_rows import Base, review_table
from symparam.claims.usual import usual
from symparam.claims.verdict import judge
from symparam.cli.main import run
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options, with_switched
from symparam.documents.claims import ReviewView
from symparam.documents.claims_annotations import github_lines
from symparam.errors import BadValue, SymparamError
from symparam.resolve import numbers
from tests.helpers import message, together
from tests.strategies import quick

PERSEID = """name,vocab_size,emb_dim,hidden_dim,n_layers,n_heads,head_dim,n_kv_groups,total
256M-balanced,259,576,1536,16,3,192,1,256.3M
256M-deep,259,512,1536,18,4,128,1,255.8M
256M-wide,259,640,1664,14,4,160,1,256.5M
288M,259,640,1792,16,4,160,1,288.2M
320M,259,704,1920,16,4,176,1,319.8M
"""
REPORTED = """|  | 8B | 70B | 405B |
| --- | --- | --- | --- |
| Layers | 32 | 80 | 126 |
| Model Dimension | 4,096 | 8192 | 16,384 |
| FFN Dimension | {} | {} | {} |
| Attention Heads | 32 | 64 | 128 |
| Key/Value Heads | 8 | 8 | 8 |
"""


def reviewed(tmp_path: Path, text: str, name: str = "sizes.csv", base: Base | None = None,
             mapped: dict[str, str] | None = None, most: int = 60) -> Review:
    """The verdicts on a table."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return review_table(read_table(path), base, mapped, most)


# --- numbers as they are printed ------------------------------------------------------------

@together(("text", "value", "resolution"), [
    ("52B", 52 * 10**9, 10**9), ("52.5B", 525 * 10**8, 10**8), ("6.74e9", 674 * 10**7, 10**7),
    ("6,738,415,616", 6738415616, 1), ("6 738 415 616", 6738415616, 1),
    ("6\u202f738\u2009415\u00a0616", 6738415616, 1), ("6_738_415_616", 6738415616, 1),
    ("6.74 × 10^9", 674 * 10**7, 10**7), ("6.74·10⁹", 674 * 10**7, 10**7),
    ("6.7 billion parameters", 67 * 10**8, 10**8), ("~7B", 7 * 10**9, 10**9),
    ("128K", 128_000, 1000), ("128Ki", 131_072, 1024), ("8.03B*", 803 * 10**7, 10**7),
    ("2.67", Fraction(267, 100), Fraction(1, 100)), ("0.6%", Fraction(3, 500), Fraction(1, 1000)),
    ("1.12 GB", 112 * 10**7, 10**7), ("32 layers", 32, 1), ("\u20113", -3, 1),
    ("1.50B", 15 * 10**8, 10**7)])
def test_a_number_is_read_with_its_precision(text: str, value: int, resolution: int) -> None:
    found = read_printed(text)
    assert (found.value, found.resolution) == (value, resolution)


@together("text", ["", "GPT", "6,74B", "0,124B", "0 124", "00,124", "012,345",
                                  "40-50 GB", "1e999", "7Q", "1,23,456", "8B8B",
                                  "12 parsecs", "9" * 90, "--5", "1..2", "²", "0x10"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BadValue) as caught:
        read_printed(text)
    message(caught.value)


@together(("said", "right"), [("0,124B", "0.124B"), ("6,74 B", "6.74 B"), ("1,23,456", "6.74B")])
def test_a_decimal_comma_is_refused_with_what_would_be_right(said: str, right: str) -> None:
    """Nothing stands before thousands that is 0: 0,124B is not 124B."""
    with pytest.raises(BadValue, match=f"{re.escape(right)}$"):
        read_claim(f"P={said}")


@quick
@given(st.integers(1, 10**13), st.integers(0, 4), st.sampled_from((0, 3, 6, 9)))
def test_every_number_rounds_to_its_own_printing(count: int, places: int, power: int) -> None:
    unit = {0: "", 3: "K", 6: "M", 9: "B"}[power]
    step = Fraction(10**power, 10**places)
    nearest = (Fraction(count) / step + Fraction(1, 2)).__floor__()
    text = f"{nearest / 1:.0f}" if not places else (
        f"{nearest // 10**places}.{nearest % 10**places:0{places}d}")
    if nearest < 2**53:
        verdict = judge(count, read_printed(text + unit)).name
        far = nearest < 3 and unit and 4 * abs(count - nearest * step) >= nearest * step
        assert verdict in {"exact", "rounds"} or (step < 1 and count == nearest * step) or far


@quick
@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_a_number_written_out_is_exact_or_wrong(computed: int, said: int) -> None:
    name = judge(computed, read_printed(f"{said:,}")).name
    assert name == ("exact" if computed == said else "wrong")


@together(("computed", "text", "verdict"), [
    (8030261248, "8B", "rounds"), (8030261248, "8.03B", "rounds"),
    (70553706496, "70B", "truncates"),
    (405853388800, "405B", "truncates"), (405853388800, "406B", "rounds"),
    (70553706496, "71B", "rounds"), (70553706496, "72B", "nominal"), (6738415616, "7B", "rounds"),
    (109482240, "110M", "nominal"), (124439808, "117M", "wrong"), (124439808, "124.4M", "rounds"),
    (124439808, "124.5M", "wrong"), (1557611200, "1.5B", "truncates"), (1700, "1K", "wrong"),
    (1500, "2K", "rounds"), (56815872, "256.3M", "wrong"), (6738415616, "about 7B", "rounds"),
    (124439808, "0B", "wrong"), (536870912, "1GB", "wrong"), (1073741824, "1GB", "rounds"),
    (1235814400, "1B", "rounds"),
    (750000000, "1B", "rounds"), (1250000000, "1B", "wrong"), (Fraction(2, 5), "0", "rounds"),
    (671026419712, "640B", "wrong"), (671026419712, "672B", "wrong"),
    (671026419712, "685B", "wrong"), (671026419712, "671B", "rounds"),
    (671026419712, "680B", "nominal"), (134768312320, "140B", "nominal"),
    (Fraction(21504, 100), "215", "rounds"), (Fraction(8, 3), "2.67", "rounds"),
    (20 * 10**9, "19B", "nominal"), (20 * 10**9 + 10**8, "19B", "wrong"),
    (3, "3", "exact"), (4, "3", "wrong"), (0, "0", "exact"), (20, "0", "wrong")])
def test_verdicts(computed: int, text: str, verdict: str) -> None:
    assert judge(computed, read_printed(text)).name == verdict


def test_bounds() -> None:
    said = read_printed("1TB")
    assert judge(343597383680, said, ">=").name == "wrong"
    assert judge(1030792151040, said, ">").name == "holds"
    assert judge(10**12, said, ">").name == "wrong"


# --- claims about a model -------------------------------------------------------------------

@together(("claim", "computed"), [
    ("P=1", 124439808), ("8B", 124439808), ("d_ff/d_model=4", 4), ("P_attention=1", 2362368),
    ("L*P_ffn=1", 12 * 4722432), ("W_E=1", 38597376), ("gain+shift=1", 1536), ("b_up=1", 3072),
    ("without_positions=1", 85056000), ("kv_per_token=1", 36864), ("2*P=1", 248879616),
    ("n_ctx*d_model/P=1", Fraction(786432, 124439808)), ("P_head=1", 0),
    ("20*P=1", 2488796160), ("up(P/250e6)=1", 1)])
def test_what_can_be_claimed(claim: str, computed: int) -> None:
    names = Names(load("gpt2"))
    assert names.value(read_claim(claim, set(names.known())).left) == computed


def test_active_parameters_where_a_change_leaves_no_experts() -> None:
    row = review_claim(load("mixtral-8x7b"), read_claim("active=14B", COUNTS))
    assert (row.computed, row.verdict) == (12879925248, "wrong")
    assert row.mends


def test_a_model_without_experts_has_no_active_parameters(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "llama-3-8b", "--claim", "active=8B"]) == 2
    assert "active: a model without experts has no other parameters" in capsys.readouterr().err


@together(("name", "claim", "verdict", "option"), [
    ("llama-3-8b", "P_attention=1.34B", "convention", "32*P_attention"),
    ("llama-3-8b", "P_attention=1.4B", "wrong", ""),
    ("llama-3-8b", "P_attention=42M", "rounds", ""),
    ("gpt2", "W_Q=7,077,888", "convention", "12*W_Q"), ("gpt2", "W_E=1B", "wrong", ""),
    ("deepseek-v3", "P_dense_ffn=1.19B", "convention", "3*P_dense_ffn")])
def test_a_part_is_one_layers_and_all_are_tried(name: str, claim: str, verdict: str,
                                                option: str) -> None:
    found = sp.load(name).check(claim)
    (row,) = found.rows
    assert row.verdict == verdict
    assert [mend.option for mend in row.mends] == [option] * bool(option)
    copies = found.json()["reviews"][0]["rows"][0]["copies"]  # type: ignore[index]
    assert (copies > 1) == (not claim.startswith("W_E"))
    assert ("one layer's" in found.markdown()) == claim.startswith("P_")
    if option:
        again = sp.load(name).check(f"{option}={row.claim.printed.text}").rows[0]
        assert (again.computed, again.false) == (row.mends[0].total, False)


def test_parts_and_counts_sum_to_the_total() -> None:
    for name in ("gpt2", "llama-2-7b", "perseid", "mixtral-8x7b"):
        names = Names(load(name))
        inside = sum(v for k, v in names.parts.items()
                     if k in {"P_attention", "P_ffn", "P_norms"})
        outside = sum(v for k, v in names.parts.items()
                      if k in {"P_embedding", "P_final_norm", "P_head"})
        assert names.dims["L"] * inside + outside == names.total


@together("text", ["Q=5", "=5", "P=", "P=x", "P/0=4", "s*P=1", "P=8B=9B"])
def test_claims_that_mean_nothing_are_refused(
        text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "gpt2", "--claim", text]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_nanochat_is_explained_by_norms_without_weights() -> None:
    listed = build("nanochat-d20", Options(norm="layernorm", final_norm=False), {})
    row = review_claim(listed, total_claim("560,988,160"))
    assert (row.computed, row.difference, row.verdict) == (561090560, -102400, "convention")
    assert (row.mends[0].what, row.mends[0].option) == ("norms without weights", "--norm none")
    assert row.residual is not None
    assert [(t.name, str(t.formula), t.numel) for t in row.residual.terms] == [
        ("norms", "4*L*d_model", -102400)]
    assert review_claim(load("nanochat-d20"), total_claim("560988160")).verdict == "exact"


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "claim", "verdict", "option"), [
    ("gpt2", "124412160", "convention", "--bias attn-out,ffn"),
    ("gpt2", "163037184", "convention", "--untied"),
    ("gpt2", "85056000", "convention", "without_positions"),
    ("gpt2", "124475904", "convention", "V=50304"),
    ("llama-2-7b", "6607343616", "convention", "without_input"),
    ("mixtral-8x7b", "12.9B", "convention", "active"),
    ("gpt2", "84934656", "convention", "layer_matrices"),
    ("deepseek-v3", "671026419200", "convention", "with_buffers"),
    ("bert-base", "109514298", "convention", "--as mlm"),
    ("llama-2-7b", "6.6B", "convention", "without_input"),
    ("deepseek-v3", "672B", "wrong", ""),
    ("llama-2-7b", "6.9B", "nominal", ""), ("gpt2", "124439807", "wrong", "")])
def test_what_a_number_is_true_under(name: str, claim: str, verdict: str, option: str) -> None:
    row = review_claim(load(name), total_claim(claim))
    assert row.verdict == verdict
    assert not option or row.mends[0].option == option


@pytest.mark.parametrize(("name", "claim"), [
    ("llama-3-8b", "7.2B"), *(pytest.param(name, claim, marks=pytest.mark.slow)
                              for name, claim in (("gpt2", "163037184"), ("gpt2", "130M"),
                                                  ("perseid", "268098176"),
                                                  ("llama-2-7b", "5933109248"),
                                                  ("mixtral-8x7b", "30B"), ("bert-base", "115M")))])
def test_every_change_is_true_when_it_is_made(name: str, claim: str) -> None:
    said = total_claim(claim)
    found = [mend for mend in mends(load(name), said) if mend.found is not None]
    assert found
    for mend in found:
        assert mend.found is not None
        for value in {mend.found.nearest, *(u.value for u in mend.usual)}:
            total = Names(build(name, Options(), {mend.dim: value})).total
            assert judge(total, said.printed).name in {"exact", "rounds", "truncates"}
        for beyond in (mend.found.low - 1, mend.found.high + 1):
            if not mend.found.scattered and beyond > 0:
                try:
                    total = Names(build(name, Options(), {mend.dim: beyond})).total
                except SymparamError:
                    continue
                assert judge(total, said.printed).name in {"wrong", "nominal"}


@pytest.mark.parametrize(("name", "claim", "dim", "numbers"), [
    ("qwen3-8b", "7.5B", "n_heads", [16]), ("gpt2", "117M", "d_model", [744]),
    ("llama-3-8b", "7.5B", "d_head", range(74, 87, 2)),
    ("llama-3-8b", "7.5B", "d_model", [3904]), ("llama-3-8b", "8B", "n_kv", [1, 2, 4, 8, 16, 32])])
def test_only_numbers_that_the_model_can_have_are_named(name: str, claim: str, dim: str,
                                                        numbers: list[int]) -> None:
    line = Line(with_switched(load(name), [dim]), dim, lambda ledger: ledger.total())
    printed = read_printed(claim)
    found = solve(line, *printed.window(), printed.value)
    assert found is not None
    named = list(found.scattered or range(found.low, found.high + 1))
    assert (named, (found.low, found.high)) == (list(numbers), (min(numbers), max(numbers)))
    assert found.nearest in numbers
    assert all(u.value in numbers for u in usual(line, found, {}))
    for number in named:
        assert judge(Names(build(name, Options(), {dim: number})).total, printed).name != "wrong"


def test_a_long_interval_has_only_numbers_that_the_model_can_have() -> None:
    line = Line(load("gpt2"), "d_model", lambda ledger: ledger.total())
    found = solve(line, 10**9, 2 * 10**9, 15 * 10**8)
    assert found is not None
    assert found.scattered == tuple(range(found.low, found.high + 1, 12))
    assert found.low > 768 * 2 > found.high - found.low > 512


@together(("name", "residual", "terms"), [
    ("gpt2", 123551232 - 124439808, {"position table": ("n_ctx*d_model", -786432),
                                     "biases": ("9*L*d_model", -82944),
                                     "norm shifts": ("d_model*(2*L + 1)", -19200)}),
    ("gpt2-xl", 1555126400 - 1557611200, {"position table": ("n_ctx*d_model", -1638400),
                                          "biases": ("9*L*d_model", -691200),
                                          "norm shifts": ("d_model*(2*L + 1)", -155200)}),
    ("gpt2", -27648, {"QKV biases": ("3*L*d_model", -27648)}),
    ("gpt2", 38597376, {"head, untied": ("V*d_model", 38597376)}),
    ("llama-2-7b", -131072000, {"head": ("V*d_model", -131072000)}),
    ("llama-2-70b", -262144000, {"head": ("V*d_model", -262144000)}),
    ("nanochat-d20", 102400, {"norms of the blocks": ("4*L*d_model", 102400)}),
    ("gopher-280b", -21474836480, {"relative positions": ("L*d_model**2", -21474836480)})])
def test_a_difference_is_named(name: str, residual: int, terms: dict[str, object]) -> None:
    found = reconcile(load(name), residual)
    assert {t.name: (str(t.formula), t.numel) for t in found.terms} == terms
    assert sum(t.numel for t in found.terms) == residual


@pytest.mark.parametrize(("name", "totals", "term", "numel"), [
    ("nanochat-d20", "561090560=560988160", "norms of the blocks", -102400),
    ("nanochat-d20", "560988160=561090560", "norms of the blocks", 102400),
    ("gpt2", "124412160=124439808", "QKV biases", 27648),
    ("gpt2", "163037184=124439808", "head, untied", -38597376),
    ("qwen3-0.6b", "596042752=596049920", "QK-norms", 7168)])
def test_the_difference_between_two_totals_is_named(name: str, totals: str, term: str,
                                                    numel: int) -> None:
    (row,) = sp.load(name).check(totals).rows
    found = review_claim(load(name), row.claim)
    assert found.residual is not None
    assert [(t.name, t.numel) for t in found.residual.terms] == [(term, numel)]


def test_a_difference_that_is_nothing_is_not_named() -> None:
    found = reconcile(load("gpt2"), 12345)
    assert not found.closed
    assert reconcile(load("gpt2"), 0).closed


@pytest.mark.parametrize(("words", "claim", "said"), [
    ([], "kv_cache=1GB", "kv_cache: s = 4096 (nobody said), b = 1 (one sequence), a cached "
     "number takes 16 bits (bf16)"),
    (["s=8192", "b=2"], "kv_cache/2=1GB", "kv_cache: s = 8192, b = 2, a cached number takes 16 "
     "bits (bf16)"),
    (["s=8192"], "flops=1e20", "flops: s = 8192, b = 1 (one sequence), windows followed, pairs "
     "that a causal mask hides counted (full)")])
def test_what_a_quantity_is_run_with_is_said(words: list[str], claim: str, said: str,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "llama-3-8b", *words, "--claim", claim, "--json"])
    out, err = capsys.readouterr()
    assert said in json.loads(out)["reviews"][0]["assumed"]
    assert "does not enter" not in err
    run(["check", "llama-3-8b", *words, "--claim", "8B"])
    out, err = capsys.readouterr()
    assert "bf16" not in out
    assert err.count("does not enter the count") == len(words)


# --- how numbers go together ----------------------------------------------------------------

@pytest.mark.parametrize(("name", "said"), [
    ("gpt3-13b", "5,120, which is 20 less than d_model = 5,140"),
    ("perseid", "1,024, which is 384 more than d_model = 640")])
def test_heads_that_do_not_make_up_the_width_are_said(name: str, said: str) -> None:
    notes = [f.what for f in findings(load(name)) if f.level == "note"]
    assert len(notes) == 1
    assert said in notes[0]


def test_gpt3_xl_as_printed_is_off_by_1024(tmp_path: Path) -> None:
    found = reviewed(tmp_path, "name,n_layers,d_model,n_heads,d_head,params\n"
                     "XL,24,2048,24,128,1.3B\n13B,40,5140,40,128,13.0B\n6.7B,32,4096,32,128,6.7B\n",
                     base=Base(load("gpt3-13b"), given={"d_ff": 8192}), most=0)
    notes = {row.name: [f.what for f in row.findings if f.level == "note"] for row in found.rows}
    assert "which is 1,024 more than d_model = 2,048" in notes["XL"][0]
    assert "which is 20 less than d_model = 5,140" in notes["13B"][0]
    assert notes["6.7B"] == []


@pytest.mark.parametrize(("row", "said"), [
    ("259,640,2048,18,4,256,3", "n_kv divides n_heads"),
    ("259,640,2048,18,4,255,1", "2 divides d_head")])
def test_numbers_of_no_model_are_impossible(tmp_path: Path, row: str, said: str) -> None:
    found = reviewed(tmp_path, f"name,{PERSEID.splitlines()[0][5:]}\nours,{row},100M\n")
    assert [r.verdict for r in found.rows] == ["impossible"]
    assert said in found.rows[0].findings[0].what
    assert not found.passed()


MISSING = """name,V,d_model,L,n_heads,head size,FFN,params
full,32000,4096,32,32,128,11008,6.7B
split,32000,4096,32,32,-,11008,6.7B
no inner,32000,4096,32,32,128,n/a,6.7B
no width,32000,,32,32,128,11008,6.7B
no heads,32000,4096,32,7,—,11008,6.7B
no claim,32000,4096,32,32,128,11008,-
"""


@pytest.mark.parametrize("base", [Base(options=Options(ffn="swiglu")), Base(load("llama-13b"))])
def test_a_number_that_is_missing_in_a_row_is_said_and_nothing_false(tmp_path: Path,
                                                                     base: Base) -> None:
    found = reviewed(tmp_path, MISSING, base=base)
    rows = {row.name: row for row in found.rows}
    assert {name: row.verdict for name, row in rows.items()} == {
        "full": "rounds", "split": "rounds", "no inner": "incomplete", "no width": "incomplete",
        "no heads": "incomplete"}
    (split,) = (f.what for f in rows["split"].findings if f.level == "note")
    assert split == "the column head size (d_head) has no number in this row; taken as 128"
    for name, title in (("no inner", "FFN (d_ff)"), ("no width", "d_model"),
                        ("no heads", "head size (d_head)")):
        assert rows[name].computed is None
        assert [f.what for f in rows[name].findings] == [
            f"the column {title} has no number in this row, so that it cannot be counted"]
    assert found.passed()
    assert not found.passed(strict=True)
    assert "not checked, as params says nothing of them: no claim" in found.assumed
    view = ReviewView([found])
    assert "no inner: the column FFN (d_ff) has no number" in " ".join(view.text().split())
    assert "::warning" in github_lines([found])


@pytest.mark.parametrize("text", [
    "model,params\ngpt2,124M\nnobody's,3B\nllama-2-7b,6.7B\n",
    "model,L,d_model,n_heads,params\ngpt2,,,,124M\nnobody's,,,,3B\nllama-2-7b,32,4096,32,6.7B\n"])
def test_a_row_of_which_nothing_is_known_leaves_the_others_as_they_are(tmp_path: Path,
                                                                       text: str) -> None:
    found = reviewed(tmp_path, text)
    assert [(row.name, row.line, row.verdict, row.computed) for row in found.rows] == [
        ("gpt2", 2, "rounds", 124_439_808), ("nobody's", 3, "incomplete", None),
        ("llama-2-7b", 4, "rounds", 6_738_415_616)]
    assert found.rows[1].findings
    assert found.passed()
    assert not found.passed(strict=True)
    assert "nobody's: " in ReviewView([found]).text()


def test_a_table_of_which_no_row_is_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"line 2: nobody's: unknown model"):
        reviewed(tmp_path, "model,params\nnobody's,3B\nours,7B\n")


def test_a_number_that_is_missing_in_a_column_is_said(tmp_path: Path) -> None:
    found = reviewed(tmp_path, REPORTED.format("14,336", "n/a", "53,248"), "a.md",
                     Base(load("llama-3-8b")))
    assert [row.verdict for row in found.rows] == ["rounds", "incomplete", "truncates"]
    assert found.rows[1].findings[0].what.startswith(
        "the row FFN Dimension (d_ff) has no number in this column")


def test_a_table_that_claims_nothing_says_so(tmp_path: Path) -> None:
    found = ReviewView([reviewed(tmp_path, "model,P\ngpt2,-\nllama-2-7b,n/a\n")])
    assert "0 claims" in repr(found)
    assert "counted" not in found.text()
    assert "not checked, as P says nothing of them: gpt2, llama-2-7b" in found.text()


# --- tables ---------------------------------------------------------------------------------

def test_the_perseid_configurations_are_wrong(tmp_path: Path) -> None:
    found = reviewed(tmp_path, PERSEID, base=Base(load("perseid")))
    assert [row.computed for row in found.rows] == [
        56815872, 54438400, 59271040, 71646720, 84939008]
    assert {row.verdict for row in found.rows} == {"wrong"}
    nearest = {row.name: m.found.nearest for row in found.rows for m in row.mends
               if m.dim == "V" and m.found is not None}
    assert nearest == {"256M-balanced": 346586, "256M-deep": 393543, "256M-wide": 308429,
                       "288M": 338624, "320M": 333868}
    shared = {each.what: each for each in found.shared}
    assert not shared["V"].mends_all
    assert len(shared["V"].rows) == 1
    assert all(found.alone(m) for row in found.rows for m in row.mends if m.dim == "V")
    out = " ".join(ReviewView([found]).text().split())
    assert "V: no number of it mends all 5 rows" in out
    assert "346499 to 346759" in out
    assert "nearest: 346586" in out
    assert "(this row alone)" in out


@pytest.mark.thinned(3)
def test_llama_3_as_reported_and_as_it_is(tmp_path: Path) -> None:
    base = Base(load("llama-3-8b"))
    wrong = reviewed(tmp_path, REPORTED.format("6,144", "12,288", "20,480"), "a.md", base)
    assert [row.verdict for row in wrong.rows] == ["wrong"] * 3
    for row, wanted in zip(wrong.rows, (14336, 28672, 53248), strict=True):
        (mend,) = (m for m in row.mends if m.dim == "d_ff")
        assert mend is row.mends[0]
        assert wanted in {u.value for u in mend.usual}
    right = reviewed(tmp_path, REPORTED.format("14,336", "28,672", "53,248"), "a.md", base)
    assert [(row.computed, row.verdict) for row in right.rows] == [
        (8030261248, "rounds"), (70553706496, "truncates"), (405853388800, "truncates")]
    assert right.passed()
    assert right.passed(strict=True)


def test_one_change_that_mends_all_is_said(tmp_path: Path) -> None:
    rows = "name,V,d_model,L,n_heads,d_ff,params\n" + "".join(
        f"m{d},1000,{d},2,4,{4 * d},{1200 * d + 2 * 12 * d * d + 5 * d}\n" for d in (64, 128, 256))
    found = reviewed(tmp_path, rows, base=Base(options=Options(tied=True)))
    shared = {each.what: each for each in found.shared}
    assert (shared["V"].low, shared["V"].high) == (1200, 1200)
    assert shared["V"].mends_all
    assert not any(found.alone(m) for row in found.rows for m in row.mends if m.dim == "V")


TABLES = {
    "plain.csv": "model,layers,hidden,ffn dim,heads,vocab,params\nours,2,64,256,4,100,{}\n",
    "semicolons.csv": "model;layers;hidden;ffn dim;heads;vocab;params\nours;2;64;256;4;100;{}\n",
    "tabs.tsv": "model\tlayers\thidden\tffn dim\theads\tvocab\tparams\n"
                "ours\t2\t64\t256\t4\t100\t{}\n",
    "units.csv": "model,# layers,d_model,d_ff,n_heads,vocab (K),params (M)\n"
                 "ours,2 layers,64 dims,\u2009256,4 heads,0.1,{:.6f}\n",
    "spaces.md": "text\n\n| **model** | `n_layer` | n_embd | d_ff | n_head | vocab_size "
                 "| # Params |\n"
                 "|---|:-:|--:|---|---|---|---|\n"
                 "| our\u2011s | 2 | \u202f64 | 256\u00a0 | 4 | 100 | {:,} |\nmore\n",
    "table.tex": r"\begin{{tabular}}{{lrrrrrr}}\toprule Model & $n_{{\text{{layers}}}}$"
                 r" & $d_{{model}}$ & $d_\text{{ff}}$ & $n_{{heads}}$ & Vocab"
                 r" & \textbf{{Params}} \\ \midrule"
                 "\n" r"\multicolumn{{7}}{{c}}{{small ones}} \\ \cmidrule(lr){{1-7}}"
                 "\n" r"ours~1 & 2 & 64 & 256 & 4 & 100 & ${:,}$ \\ \bottomrule \end{{tabular}}",
    "turned.csv": ",ours\nLayers,2\nModel dimension,64\nFFN Dimension,256\nHeads,4\nVocab,100\n"
                  "Params,{}\n"}


@together("name", TABLES)
def test_tables_of_every_kind_are_read(tmp_path: Path, name: str) -> None:
    total = 2 * 100 * 64 + 2 * (4 * 64 * 64 + 2 * 64 * 256 + 2 * 64) + 64
    number = total / 1e6 if name.startswith("units") else total
    found = reviewed(tmp_path, TABLES[name].format(number), name)
    assert [(row.computed, row.verdict) for row in found.rows] == [(total, "exact")]


HEAD = "name,V,d_model,L,n_heads,d_ff,params\n"
TEX = "\\begin{tabular}{lrrrrrr}\nname & V & d_model & L & n_heads & d_ff & params \\\\\n"


@together(("name", "text", "said"), [
    ("a.csv", HEAD + "a,1,2,3,4,5\n", ["line 2", "'params'", "6 cells"]),
    ("a.csv", HEAD + "a,1,2,3,4,5,6,7\n", ["line 2", "8 cells"]),
    ("a.csv", HEAD + "a,100,64,2,4,256,8B\nb,100,sixty,2,4,256,8B\n",
     ["line 3", "'d_model'", "sixty"]),
    ("a.csv", HEAD + "a,100,64,2,4,256,lots\n", ["line 2", "'params'", "lots"]),
    ("a.csv", HEAD + "a,100,6.5,2,4,256,8B\n", ["line 2", "'d_model'", "whole number"]),
    ("a.csv", HEAD + "a,100,-64,2,4,256,8B\n", ["line 2", "'d_model'"]),
    ("a.csv", HEAD.replace("L,", "") + "a,100,64,4,256,8B\n",
     ["line 2", "needs a number for L"]),
    ("a.csv", HEAD + 'a,100,64,"2,4",4,256,8B\n', ["line 2", "'L'", "commas"]),
    ("a.csv", HEAD + 'a,"100,64,2,4,256,8B\n', ["not CSV"]),
    ("a.csv", HEAD, ["no rows"]), ("a.csv", "", ["empty"]),
    ("a.csv", "name,V,width,n_embd,params\na,1,2,3,4\n", ["'n_embd'", "'width'"]),
    ("a.csv", "name,V,lr\na,1,2\n", ["no column says what is claimed", "--map"]),
    ("a.csv", HEAD + "a" * 1001 + ",100,64,2,4,256,8B\n", ["line 2", "'name'", "1000"]),
    ("a.csv", ",".join("abc" for _ in range(300)) + "\n", ["200 columns"]),
    ("a.csv", "name,params,tied,d_model\na,8B,perhaps,64\n", ["line 2", "'tied'", "yes or no"]),
    ("a.csv", "name,params,ffn type,V\na,8B,swirly,64\n", ["line 2", "swirly"]),
    ("a.md", "no table here\n", ["no table"]),
    ("a.md", "| a | params |\n| --- |\n| b | 8B |\n", ["line 2", "dashes"]),
    ("a.md", "| name | V | params |\n|---|---|---|\n| a | 5 |\n", ["line 3", "'params'"]),
    ("a.md", '<table><tr><td colspan="2">8B</td></tr></table>\n', ["line 1", "merged"]),
    ("a.tex", "nothing", ["tabular"]),
    ("a.tex", "\\begin{tabular}{l} a", ["line 1", "missing"]),
    ("a.tex", TEX + "a & \\multicolumn{2}{c}{64} & 2 & 4 & 256 & 8B \\\\\n\\end{tabular}",
     ["line 3", "'V'", "2 columns"]),
    ("a.tex", TEX + "a & 1 & 2 \\\\\n\\end{tabular}", ["line 3", "3 cells"]),
    ("a.csv", ",a,b\nLayers,2,3\nWidth,64,wide\nHeads,4,4\nd_ff,256,256\nV,9,9\nP,1,1\n",
     ["line 3", "'b'", "wide"]),
    ("a.csv", HEAD + "a,99999999999999,64,2,4,256,8B\n", ["line 2", "beyond any model"]),
])
def test_a_malformed_table_is_refused_with_its_place(tmp_path: Path, name: str, text: str,
                                                     said: list[str]) -> None:
    with pytest.raises(TableError) as caught:
        reviewed(tmp_path, text, name)
    words = message(caught.value)
    assert name in words
    for each in said:
        assert each in words, words


def test_a_cell_over_several_rows_stands_for_each(tmp_path: Path) -> None:
    found = reviewed(tmp_path, TEX + "\\multirow{3}{*}{a} & \\multirow{3}{*}{100} & 64 & 2 & 4"
                     " & 256 & 1M \\\\\n & & 128 & 2 & 4 & 256 & 1M \\\\\n"
                     " & & 192 & 2 & 4 & 256 & 1M \\\\\n\\end{tabular}", "a.tex")
    assert [(r.name, r.line, r.dims["V"]) for r in found.rows] == [
        ("a", 3, 100), ("a", 4, 100), ("a", 5, 100)]


#: Rows as they stand, a title and a number that the cell can have.
COLUMNS = {"V": "100", "L": "2", "d_model": "64", "n_heads": "4", "d_ff": "256", "P": "112K"}


@together("turned", [False, True])
@together("bad", COLUMNS)
@together("place", range(3))
def test_any_cell_that_is_wrong_is_named_with_its_line_and_its_title(
        turned: bool, bad: str, place: int, tmp_path: Path) -> None:
    names = ["one", "two", "three"]
    rows = [["name", *names], *([title, *[cell] * 3] for title, cell in COLUMNS.items())]
    at = 1 + list(COLUMNS).index(bad)
    rows[at][1 + place] = "spoiled"
    rows = rows if turned else [list(row) for row in zip(*rows, strict=True)]
    line, title = (1 + at, names[place]) if turned else (2 + place, bad)
    with pytest.raises(TableError) as caught:
        reviewed(tmp_path, "\n".join(",".join(row) for row in rows) + "\n")
    assert f"line {line}, column {title!r}: 'spoiled': " in message(caught.value)


@quick
@given(st.integers(1, 999), st.integers(0, 3), st.sampled_from(("", "K", "M", "B", "T")),
       st.sampled_from(("", "~", "about ")), st.integers(1, 10**13))
def test_another_number_in_a_writing_is_read_as_the_nearest_one(
        whole: int, places: int, unit: str, about: str, number: int) -> None:
    text = f"{about}{whole}" + (f".{'7' * places}" if places else "") + unit
    printed = read_printed(text)
    again = reprinted(printed, number)
    if again is None:
        assert printed.full
        return
    assert again.endswith(unit)
    assert len(again.removesuffix(unit).partition(".")[2]) == places
    shown = read_printed(again).value
    assert abs(shown - number) <= Fraction(printed.resolution) / 2


def test_a_writing_keeps_its_marks() -> None:
    assert reprinted(read_printed("1,330K"), 1234567000) == "1,234,567K"
    assert reprinted(read_printed("1 330 000"), 1234567) is None  # every digit is there
    assert reprinted(read_printed("0"), 5) is None


def test_not_text_and_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    for name, said in (("a.csv", "UTF-8"), ("b.csv", "cannot be read")):
        with pytest.raises(TableError) as caught:
            read_table(tmp_path / name)
        assert said in message(caught.value)


def test_columns_may_be_mapped_and_models_named(tmp_path: Path) -> None:
    found = reviewed(tmp_path, "who,inner,claimed size\ngpt2,3072,124M\n", base=Base(load("gpt2")),
                     mapped={"inner": "d_ff", "claimed size": "P", "who": "name"})
    assert [(row.name, row.verdict) for row in found.rows] == [("gpt2", "rounds")]
    named = reviewed(tmp_path, "model,size\ngpt2,124M\nllama-2-7b,7B\nmixtral-8x7b,56B\n")
    assert [(row.name, row.verdict) for row in named.rows] == [
        ("gpt2", "rounds"), ("llama-2-7b", "rounds"), ("mixtral-8x7b", "wrong")]
    for mapped in ({"b": "d_ff"}, {"1": "P"}):  # (neither a title, nor one of a turned table)
        with pytest.raises(TableError, match="names no column"):
            reviewed(tmp_path, "a,P\nx,1\n", mapped=mapped)


def test_two_claims_of_a_row_are_two_verdicts(tmp_path: Path) -> None:
    found = reviewed(tmp_path, "model,params,active params,non-embedding\n"
                     "mixtral-8x7b,46.7B,12.9B,46.4B\n")
    assert [(str(r.claim.left), r.verdict) for r in found.rows] == [
        ("P", "rounds"), ("active", "rounds"), ("without_embeddings", "rounds")]


@pytest.mark.slow
def test_a_hundred_thousand_rows(tmp_path: Path) -> None:
    total = 2 * 100 * 64 + 2 * (4 * 64 * 64 + 2 * 64 * 256 + 2 * 64) + 64
    found = reviewed(tmp_path, HEAD + f"a,100,64,2,4,256,{total}\n" * 99_999
                     + f"b,100,64,2,4,256,{total + 1}\n")
    assert len(found.rows) == 100_000
    assert [row.line for row in found.rows if row.false] == [100_001]
    with pytest.raises(TableError, match="more than 200,000 rows"):
        reviewed(tmp_path, HEAD + "a,100,64,2,4,256,1\n" * 200_001)
    with pytest.raises(TableError, match=r"line 100000, column 'd_ff'"):
        reviewed(tmp_path, HEAD + "a,100,64,2,4,256,1\n" * 99_998 + "a,100,64,2,4,x,1\n")


# --- the command ----------------------------------------------------------------------------

@pytest.mark.parametrize(("line", "code"), [
    (["llama-3-8b", "--claim", "P=8B"], 0), (["llama-3-8b", "--claim", "P=9B"], 1),
    (["gpt2", "--claim", "85M"], 0), (["gpt2", "--claim", "85M", "--strict"], 1),
    (["llama-2-7b", "--claim", "6.9B", "--strict"], 1), (["gpt2", "--map", "a=b"], 2),
    (["gpt2", "--claim", "P=8B", "--map", "a=b"], 2), (["gpt2", "--strict"], 2)])
def test_exit_codes(line: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", *line]) == code
    assert "Traceback" not in capsys.readouterr().err


def test_annotations_name_file_and_line(tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a,b.csv"
    path.write_text("model,P\n100% ours,8B\ngpt2,124M\n".replace("100% ours", "gpt2"),
                    encoding="utf-8")
    assert run(["check", str(path), "--format", "github"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 1
    assert re.fullmatch(r"::error file=.*a%2Cb\.csv,line=2,title=gpt2%3A wrong::P is said to be 8B "
                        r"and is 124,439,808.*", out[0])
    assert run(["check", str(path), "--format", "github", "--explain", "0"]) == 1


def test_several_tables_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = []
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("model,P\ngpt2,124M\n", encoding="utf-8")
        names.append(str(tmp_path / name))
    assert run(["check", *names, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["passed"]
    assert [review["file"] for review in data["reviews"]] == names
    for kind in ("markdown", "latex", "html", "text"):
        assert run(["check", *names, "--format", kind]) == 0
        assert "2 tables checked" in capsys.readouterr().out


def test_the_hook_names_a_command_that_there_is() -> None:
    text = (Path(__file__).parent.parent / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    for command in re.findall(r"entry: symparam (.*)", text):
        assert run([*command.split()[:1], "--help"]) == 0
    assert "id: symparam-check" in text


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "text"), [
    ("a.md", " " * 50_000 + "|a\n" + " " * 50_000 + "-" + " " * 50_000 + "x\n"),
    ("a.md", "|a|P|\n|-|-|\n|" + "[" * 50_000 + "|1|\n"),
    ("a.md", "|" * 50_000 + "\n|-|\n"), ("a.csv", "a,P\n" * 50_000), ("a.csv", '"' * 50_000),
    ("a.tex", "\\begin{tabular}{" + "{" * 50_000),
    ("a.tex", "\\begin{tabular}{l} a&P \\\\\\multicolumn{2}{" + "{" * 50_000
     + "&1\\\\ \\end{tabular}"),
    ("a.tex", "\\begin{tabular}{l}" + "\\textbf{" * 9_000 + "\\end{tabular}"),
    ("a.csv", "model,P\n../../etc/passwd,8B\n")])
def test_hostile_tables_are_refused_soon(tmp_path: Path, name: str, text: str) -> None:
    start = time.process_time()
    with pytest.raises(TableError) as caught:
        reviewed(tmp_path, text, name)
    message(caught.value)
    assert time.process_time() - start < 2


#: What a reader could look for the end of, again and again.
BEGUN = ("(", "[", " (", "{", "[x](", "*", "`", "%", "$", "|", "<td ", "\\cline{", "\\cmidrule(",
         "\\color[", "\\addlinespace[", "\\noalign{", "\\multirow{1}[", "\\multicolumn{2}{",
         "\\textbf{", "\\\\[", "{[", "^{*", "1,", "# ")


TABULAR = "\\begin{{tabular}}{{lr}}\n%s\n\\end{{tabular}}"


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "form"), [
    ("a.csv", "name,P{}\na,1\n"), ("a.csv", "name,P\na,{}\n"), ("a.csv", "name,attention\na,{}\n"),
    ("a.md", "| name | P {} |\n|---|---|\n| a | 1 |\n"), ("a.md", "|name|P|\n|---|---|\n|a|{}|\n"),
    ("a.md", "|{}\n|-|\n"), ("a.tex", TABULAR % "a & P{} \\\\\nb & 1 \\\\"),
    ("a.tex", TABULAR % "a & P \\\\\n{} b & 1 \\\\"),
    ("a.tex", TABULAR % "a & P \\\\ b & {} \\\\")])
def test_what_is_begun_and_never_ended_is_looked_for_once(name: str, form: str,
                                                          tmp_path: Path) -> None:
    """In a title, in a cell and between rows: ten times as much takes about ten times as long."""
    took = []
    for length in (3_000, 30_000):
        start = time.process_time()
        for piece in BEGUN:
            with contextlib.suppress(SymparamError):
                reviewed(tmp_path, form.format(piece * (length // len(piece))), name)
        took.append(time.process_time() - start)
    assert took[1] < 30 * took[0] + 0.5, took


def test_names_from_a_table_are_only_text(tmp_path: Path) -> None:
    name = "<script>$x_1$</script> \\textbf{a} " + "long-name-" * 20
    found = ReviewView([reviewed(tmp_path, HEAD + f"{name},100,64,2,4,256,{'9' * 30}\n")])
    assert "<script>" not in found.html()
    assert "<script>" not in found.markdown()
    assert "\\textbf{a}" not in found.latex()
    assert all(len(line) <= 80 for line in found.text().splitlines()[1:])


def test_what_no_model_can_have_is_mended_all_the_same(tmp_path: Path) -> None:
    found = reviewed(tmp_path, "name,V,d_model,L,n_heads,n_kv,d_head,d_ff,params\n"
                     "ours,128256,4096,32,36,8,128,14336,8030261248\n",
                     base=Base(options=Options(ffn="swiglu")))
    (row,) = found.rows
    assert (row.verdict, row.computed) == ("impossible", None)
    assert [m.found.nearest for m in row.mends if m.dim == "n_heads" and m.found] == [32]
    assert "n_kv divides n_heads" in ReviewView([found]).text()


PIECES = st.sampled_from(["|", "&", "\\\\", ",", ";", '"', "{", "}", "[", "]", "-", ":", "%", "$",
                          "\n", " ", "name", "P", "V", "d_model", "L", "n_heads", "d_ff", "gpt2",
                          "8B", "64", "1", "\\begin{tabular}{ll}", "\\end{tabular}", "\\hline",
                          "\\multicolumn{2}{c}{", "\\multirow{2}{*}{", "|-|-|", "\u2009", "\u2011"])


@quick
@given(st.lists(PIECES, max_size=60).map("".join), st.sampled_from((".csv", ".md", ".tex")))
def test_any_text_is_a_table_or_refused(text: str, ending: str) -> None:
    reader = {".csv": csv_table, ".md": markdown_table, ".tex": latex_table}[ending]
    try:
        table = reader.read(f"a{ending}", text)
        assert all(len(cells) == len(table.header) for _, cells in table.rows)
        review_table(table, most=0)
    except SymparamError as error:
        message(error)


ALTERED = ("gpt2", "llama-2-7b", "bert-base", "deepseek-v3")


def test_what_is_tried_of_a_model_is_as_it_was_read(golden: Callable[[str, str], None]) -> None:
    """Every single change with what to write for it and its number of parameters; a change that
    is no longer tried leaves a number unexplained."""
    found: list[str] = []
    for name in ALTERED:
        found.append(f"== {name}")
        for kind, what, option, make in alternatives(load(name)):
            with contextlib.suppress(SymparamError):
                model = make()
                total = model.ledger(numbers(model).values).total()
                found.append(f"{kind:10} {option:34} {what}: {total:,}")
    golden("alternatives.txt", "\n".join(found) + "\n")


@pytest.mark.parametrize("name", ALTERED[:2])
def test_what_is_written_for_a_change_counts_what_the_change_counts(
        name: str, capsys: pytest.CaptureFixture[str]) -> None:
    tried = 0
    for i, (_, _, option, make) in enumerate(alternatives(load(name))):
        if i % 4 == len(name) % 4:
            with contextlib.suppress(SymparamError):
                model = make()
                total = model.ledger(numbers(model).values).total()
                assert run(["count", name, *option.split(), "--json"]) == 0, option
                assert json.loads(capsys.readouterr().out)["total"] == total, option
                tried += 1
    assert tried > 8


def test_what_mends_rows_together_is_what_each_of_them_may_have() -> None:
    def row(name: str, *numbers: int) -> SimpleNamespace:
        found = Found(numbers[0], numbers[-1], numbers, numbers[0], 1)
        return SimpleNamespace(name=name, dims={"V": 4}, mends=[
            SimpleNamespace(dim="V", found=found)])
    (shared,) = _same_dim([row("a", 3, 5, 7, 9), row("b", 3, 5, 9, 11)])  # type: ignore[list-item]
    assert (shared.rows, shared.low, shared.high) == (("a", "b"), 3, 9)
    (apart,) = _same_dim([row("a", 3, 5), row("b", 4, 6)])  # type: ignore[list-item]
    assert (len(apart.rows), apart.low, apart.high) == (1, None, None)


def test_a_printed_number_has_eighty_characters_and_no_more() -> None:
    assert read_printed("0." + 78 * "3").digits == 78
    with pytest.raises(BadValue, match="longer than 80 characters"):
        read_printed("0." + 79 * "3")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("said", ["1e16", "3e12", "5"])
def test_a_claim_that_is_far_from_true_is_explained_by_few_tries(
        said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers of a dim that would do can be billions: what stands at their ends is tried."""
    tried, admits = list[int](), Line.admits

    def counted(line: Line, number: int) -> bool:
        tried.append(number)
        assert len(tried) < 50_000
        return admits(line, number)
    monkeypatch.setattr(Line, "admits", counted)
    assert run(["check", "llama-2-7b", "--claim", f"P={said}"]) == 1
    shown = capsys.readouterr().out
    assert ("L from" in shown) == (said != "5")


COUNTED = "Model,Layers,d_model,Heads,FFN Dimension,Vocab,Params (B)\n"


def test_equal_rows_have_one_verdict_however_many_there_are(tmp_path: Path) -> None:
    """They are looked into once, and what is said of all of them is said once."""
    rows = "".join(f"m{i},12,768,12,3072,50257,0.12355\n" for i in range(70))
    found = reviewed(tmp_path, COUNTED + rows)
    assert {(row.verdict, row.explained, row.mends) for row in found.rows} == {
        ("convention", True, found.rows[0].mends)}
    assert (found.skipped, {each.of for each in found.shared}) == (0, {70})
    text = " ".join(ReviewView([found]).text().split())
    assert "m0, m1, m2, m3, m4 and 65 more say 0.12355 B" in text
    assert text.count("; counted 162,148,608") == 1


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_verdict_rests_on_nothing_that_is_looked_into_further(tmp_path: Path,
                                                                most: int) -> None:
    """Ways to count are looked for in every row; of the others it is said that they were not."""
    rows = "".join(f"m{i},12,768,12,3072,{50257 + i},{size}\n" for i, size in enumerate(
        ("0.12355", "0.12355", "0.9")))
    found = reviewed(tmp_path, COUNTED + rows, most=most)
    assert [row.verdict for row in found.rows] == ["convention", "convention", "wrong"]
    assert [row.explained for row in found.rows] == [i < most for i in range(3)]
    assert "--tied" in {mend.option for mend in found.rows[1].mends}
    view = ReviewView([found])
    (told,) = view.json()["reviews"]  # type: ignore[misc,attr-defined]
    assert (found.skipped, told["not_looked_into"]) == (3 - most, 3 - most)
    assert ("Not looked into: " in view.text()) == ("(this row alone)" not in view.text()) == (
        most < 3)
    assert all(not each["mends_all"] for each in told["shared"])


@pytest.mark.thinned(3)
def test_what_is_true_of_the_rows_looked_into_is_not_said_of_all(tmp_path: Path) -> None:
    rows = "".join(f"m{i},12,768,12,3072,{50257 + i},0.12355\n" for i in range(3))
    text = ReviewView([reviewed(tmp_path, COUNTED + rows, most=2)]).text()
    assert "--tied mends all 2 rows that were looked into" in text
    assert "rows that are not true" not in text
    text = ReviewView([reviewed(tmp_path, COUNTED + rows)]).text()
    assert "--tied mends all 3 rows that are not true" in text


SEMICOLONS = COUNTED.replace(",", ";")


@together(("said", "value"), [
    ("0,162", 162 * 10**6), ("6,74", 674 * 10**7), ("0.162", 162 * 10**6), ("162,1M", 1621 * 10**5),
    ("162,148,608K", 162148608000)])
def test_where_semicolons_part_cells_a_comma_is_a_decimal_point(tmp_path: Path, said: str,
                                                                value: int) -> None:
    """The inner width is a whole number: its comma parts thousands."""
    found = reviewed(tmp_path, f"{SEMICOLONS}m,1;12;768;12;3,072;50257;{said}\n")
    (row,) = found.rows
    assert (row.name, row.dims["d_ff"], row.claim.printed.value) == ("m,1", 3072, value)
    assert any("decimal point" in words for words in found.assumed) == ("," in said)


def test_a_comma_that_may_part_thousands_is_refused_where_semicolons_part_cells(
        tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"may be 6\.738 B or 6738 B") as caught:
        reviewed(tmp_path, f"{SEMICOLONS}m;12;768;12;3072;50257;6,738\n")
    assert "line 2, column 'Params (B)'" in message(caught.value)


@pytest.mark.parametrize("name", [*ALTERED, "t5-small", "qwen3-30b-a3b"])
def test_a_formula_says_of_a_way_to_count_what_the_changed_model_counts(name: str) -> None:
    """What it says is not true is not tried: a wrong one would lose a verdict."""
    model = load(name)
    dims, held = Names(model).dims, 0
    for way in alternatives(model):
        with contextlib.suppress(SymparamError):
            if way[0] == "convention" and (said := counted(model, way, dims, "P")) is not None:
                assert said == Names(way[3]()).total, way[2]
                held += 1
    assert held > 8
