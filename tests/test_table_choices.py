"""Columns of choices in tables: whatever they are called and however they are written, each row's
claim is the count of another program, so that a cell that is read as something else is noticed."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symparam.claims import split as judging
from symparam.claims.judged import Review
from symparam.claims.tables.choices import choice_of, chosen, combined, is_choice
from symparam.claims.tables.columns import layout
from symparam.claims.tables.table_file import TableError, read_table
from symparam.claims.tables.table_rows import Base, review_table
from symparam.cli.main import run
from symparam.descriptions.load import load
from symparam.descriptions.options import Options
from symparam.documents.claims_data import review_json
from tests.helpers import Line, message, together
from tests.oracle.decoder import total

DIMS = {"V": 101, "L": 3, "d_model": 24, "n_heads": 4, "n_kv": 4, "d_head": 6, "d_ff": 52,
        "n_ctx": 19}
TITLES = {"V": "vocab", "L": "layers", "d_model": "hidden size", "n_heads": "heads",
          "d_ff": "d_ff", "n_ctx": "context"}

#: What is chosen, the titles above it, and the ways to write each choice.
CHOSEN: dict[str, tuple[str, dict[Any, str]]] = {
    "ffn": ("FFN type|Activation|Nonlinearity|Non-linearity|Activation function|act_fn|hidden_act"
            "|MLP|FFN|Feed-forward|Feed-forward network|FFN (type)|MLP type|Kind|Gate",
            {"swiglu": "SwiGLU|swiglu|Swi-GLU|SiLU GLU|GLU|gated|Gated MLP|ReGLU|SwiGLU*"
                       "|gated linear unit",
             "geglu": "GeGLU|GEGLU|GELU GLU|gated GELU|GeGLU activation",
             "mlp": "MLP|mlp|GELU|gelu|ReLU|ReLU²|SiLU|GELU (tanh)|squared ReLU|feed-forward"
                    "|gelu_new|GELU†"}),
    "attention": ("Attention|Attention type|Attn|attention mechanism|Self-attention|Kind"
                  "|Heads kind",
                  {"mha": "MHA|multi-head|Multi-Head Attention|multihead|mha",
                   "mqa": "MQA|multi-query|Multi-Query Attention|multiquery"}),
    "norm": ("Norm|Normalization|Normalisation|norm type|LayerNorm|Norms|Kind",
             {"rmsnorm": "RMSNorm|RMS|rms norm|pre-RMSNorm",
              "layernorm": "LayerNorm|LN|Layer Norm|pre-LN|Layer normalization|Post-LN",
              "layernorm-gain": "LayerNorm without bias|bias-free LayerNorm",
              "none": "non-parametric|non-parametric LN"}),
    "positions": ("Positions|Position|Positional encoding|Pos. emb.|Position embeddings|PE kind",
                  {"learned": "learned|Learned absolute|absolute|learnt|learned embeddings",
                   "rope": "RoPE|rotary|Rotary Embeddings|YaRN", "alibi": "ALiBi|alibi",
                   "none": "NoPE"}),
    "tied": ("Tied|Tied embeddings|tie_word_embeddings|Weight tying|Head|Embedding tying",
             {True: "tied", False: "untied"}),
}
FLAGS = {"tied": {True: "yes|true|✓|shared|1", False: "no|false|✗|separate|0"},
         "qk_norm": {True: "yes|✓", False: "no|✗"}, "final_norm": {True: "yes", False: "no"},
         "bias": {("qkv", "attn-out", "ffn"): "yes|all", ("qkv",): "qkv", (): "no|none"}}
FLAGGED = {"tied": "Tied|Tied embeddings|Weight sharing", "qk_norm": "QK-Norm|qk norm",
           "final_norm": "final norm", "bias": "bias|biases|Use bias"}
CASES = [(option, title, values) for option, (titles, values) in CHOSEN.items()
         for title in titles.split("|")]
CASES += [(option, title, values) for option, values in FLAGS.items()
          for title in FLAGGED[option].split("|")]


def dims_of(option: str, value: Any) -> dict[str, int]:
    """The numbers of a row: one key-value head where there is one by the kind."""
    return DIMS | ({"n_kv": 1} if (option, value) == ("attention", "mqa") else {})


def table(option: str, title: str, values: dict[Any, str], but: tuple[str, ...] = ()) -> str:
    """A table with a row for every way to write every choice, and the count that is right."""
    lines = [",".join(["model", *TITLES.values(), title, "params"])]
    for value, spellings in values.items():
        right = total({option: value}, dims_of(option, value))
        lines += [",".join([cell, *(str(DIMS[name]) for name in TITLES), cell, str(right)])
                  for cell in spellings.split("|") if cell not in but]
    return "\n".join(lines) + "\n"


def reviewed(tmp_path: Path, text: str, base: Base | None = None,
             mapped: dict[str, str] | None = None) -> Review:
    """The verdicts on a table."""
    path = tmp_path / "sizes.csv"
    path.write_text(text, "utf-8")
    return review_table(read_table(path), base, mapped)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("option", "title", "values"), CASES,
                         ids=[f"{option}-{title}" for option, title, _ in CASES])
def test_a_choice_is_read_under_every_title_and_in_every_writing(
        option: str, title: str, values: dict[Any, str], tmp_path: Path) -> None:
    found = reviewed(tmp_path, table(option, title, values))
    assert {row.name: row.verdict for row in found.rows if row.verdict != "exact"} == {}
    assert found.unread == ()


def test_a_choice_that_is_read_as_another_would_be_noticed() -> None:
    for option, (_, values) in CHOSEN.items():
        counts = {total({option: value}, dims_of(option, value)) for value in values}
        assert len(counts) >= 2
    assert is_choice("ffn", "GELU")
    assert not is_choice("ffn", "RoPE")


@together(("option", "cell"), [
    ("ffn", "Mishmash"), ("attention", "32"), ("norm", "swish?"), ("positions", "far"),
    ("tied", "perhaps"), ("bias", "some"), ("norms_per_block", "3")])
def test_what_is_no_choice_is_refused_with_its_place(option: str, cell: str,
                                                     tmp_path: Path) -> None:
    text = f"name,layers,{option},params\na,1,{cell},1B\nb,1,,1B\n"
    with pytest.raises(TableError) as caught:
        reviewed(tmp_path, text)
    assert f"line 2, column {option!r}: {cell!r}" in message(caught.value)


def test_numbers_below_feed_forward_are_its_width(tmp_path: Path) -> None:
    right = total({}, DIMS)
    header = "name,layers,d_model,heads,vocab,{},params\nx,3,24,4,101,52," + f"{right}\n"
    for title in ("FFN", "Feed-forward", "MLP", "FFN size", "Feed-forward network"):
        assert reviewed(tmp_path, header.format(title)).rows[0].verdict == "exact"


def test_what_is_said_of_two_columns_of_one_dim_mends_the_table(tmp_path: Path) -> None:
    """--map knows columns by their titles: it cannot tell two of one title apart."""
    text = "name,{},{},params\ngpt2,12,13,124439808\n"
    with pytest.raises(TableError, match="map one of them with --map 'COLUMN=-'"):
        reviewed(tmp_path, text.format("L", "layers"), Base(load("gpt2")))
    mapped = reviewed(tmp_path, text.format("L", "layers"), Base(load("gpt2")), {"layers": "-"})
    assert [row.verdict for row in mapped.rows] == ["exact"]
    with pytest.raises(TableError, match="another column of this title is: give one of them"):
        reviewed(tmp_path, text.format("L", "L"), Base(load("gpt2")))


def test_two_columns_may_speak_of_one_network(tmp_path: Path) -> None:
    rows = "a,3,24,4,101,52,MLP,SwiGLU,{}\nb,3,24,4,101,52,MLP,GELU,{}\n".format(
        total({"ffn": "swiglu"}, DIMS), total({}, DIMS))
    text = "name,layers,d_model,heads,vocab,d_ff,FFN,Activation,params\n" + rows
    assert [row.verdict for row in reviewed(tmp_path, text).rows] == ["exact", "exact"]
    with pytest.raises(TableError) as caught:
        reviewed(tmp_path, text.replace("MLP,GELU", "GeGLU,SwiGLU"))
    assert "different things" in message(caught.value)
    assert combined("ffn", ["swiglu", "moe"]) == "moe"


def test_a_function_alone_changes_no_network_and_that_is_said(tmp_path: Path) -> None:
    text = ("name,layers,d_model,heads,vocab,d_ff,Activation,params\n"
            f"a,3,24,4,101,52,SiLU,{total({'ffn': 'swiglu'}, DIMS)}\n")
    found = reviewed(tmp_path, text, Base(options=Options(ffn="swiglu")))
    assert found.rows[0].verdict == "exact"
    assert any("Activation names functions" in words for words in found.assumed)
    own = reviewed(tmp_path, text.replace(str(total({"ffn": "swiglu"}, DIMS)), "1"),
                   Base(load("llama-2-7b"), given={"n_kv": 4, "d_head": 6}))
    assert own.rows[0].computed == total({"ffn": "swiglu"}, DIMS)


def test_a_column_is_known_by_its_cells(tmp_path: Path) -> None:
    assert choice_of(["tied", "untied"]) == "tied"
    assert choice_of(["RoPE", "ALiBi"]) == "positions"
    assert choice_of(["yes"]) is None
    assert choice_of(["standard"]) is None  # attention and network alike
    path = tmp_path / "sizes.csv"
    path.write_text("name,layers,Method,Remark,params\na,1,GQA,full,1B\n", "utf-8")
    found = layout(read_table(path))
    assert [(c.title, c.key) for c in found.of("option")] == [("Method", "attention")]
    assert found.ignored == ("Remark",)
    assert chosen("attention", "Multi-head latent attention (MLA)".partition(" (")[0]) == "mla"


def test_a_column_that_is_not_read_is_said_first(tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sizes.csv"
    text = "name,layers,d_model,heads,vocab,d_ff,Flavour,params\na,3,24,4,101,52,plain,{}\n"
    path.write_text(text.format("99999"), "utf-8")
    assert run(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert shown.index("Not read: Flavour") < shown.index("verdict\n")
    assert "columns not read" not in shown
    path.write_text(text.format(total({}, DIMS)), "utf-8")
    assert run(["check", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "Not read" not in shown
    assert "columns not read: Flavour" in shown
    run(["check", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["reviews"][0]["unread"] == ["Flavour"]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("said", "verdict", "reads"), [
    ("7.0B", "nominal", "6.7B"), ("6.7B", "rounds", ""), ("6.80B", "wrong", "6.74B"),
    ("7.0 billion", "nominal", "6.7 billion"), ("7.0e9", "nominal", "6.7e9"),
    ("6,900M", "wrong", "6,738M"), ("6738415617", "wrong", ""), ("65B", "wrong", ""),
    ("about 7.0B", "nominal", "6.7B")])
def test_a_near_number_says_how_it_should_read(said: str, verdict: str, reads: str,
                                               tmp_path: Path) -> None:
    text = f"| model | params |\n| --- | --- |\n| llama-2-7b | {said} |\n"
    path = tmp_path / "sizes.md"
    path.write_text(text, "utf-8")
    found = review_table(read_table(path))
    assert (found.rows[0].verdict, found.rows[0].reads) == (verdict, reads)
    (row,) = review_json([found])["reviews"][0]["rows"]
    assert row["should_read"] == (reads or None)


def test_another_printing_that_is_right_is_said_first(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("model,params\nllama-2-13b,13.3B\n", "utf-8")
    assert run(["check", str(path)]) == 1
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    at = lines.index("llama-2-13b says 13.3B; counted 13,015,864,320.")
    assert lines[at + 2] == "- printed as 13.0B it would be right"


def test_rows_that_are_counted_in_different_ways_are_told_apart(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tied, untied = total({"tied": True}, DIMS), total({}, DIMS)
    header = "name,layers,d_model,heads,vocab,d_ff,params\n"
    row = "{},3,24,4,101,52,{}\n"
    text = header + row.format("one", untied) + row.format("two", tied) + row.format("x", 5)
    found = reviewed(tmp_path, text)
    ways = dict(found.split)
    assert ways[""] == ("one",)
    assert [rows for way, rows in found.split if way] == [("two",)]
    data = review_json([found])["reviews"][0]["split"]
    assert {"way": None, "rows": ["one"]} in data
    run(["check", str(tmp_path / "sizes.csv")])
    shown = capsys.readouterr().out
    assert shown.index("Counted in different ways") < shown.index("verdict\n")
    alike = header + row.format("one", tied) + row.format("two", tied)
    assert reviewed(tmp_path, alike).split == ()  # one way does for all
    assert reviewed(tmp_path, header + row.format("one", untied)).split == ()


def test_the_way_that_most_rows_need_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """And takes all of its rows, so that as few ways as can be are named."""
    needs = {"a": {"x"}, "b": {"x", "y"}, "c": {"y", "z"}, "d": {"x"}, "e": {"w", "z"}}
    monkeypatch.setattr(judging, "_mending", lambda row: needs[row.name])
    row = SimpleNamespace(verdict=None, claim=SimpleNamespace(of_total=True, relation="="))
    rows: Any = [SimpleNamespace(**vars(row), name=name) for name in needs]
    assert judging.split(rows) == (("x", ("a", "b", "d")), ("z", ("c", "e")))


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("titles", "cells", "given", "taken"), [
    ("d_ff", "11008", {}, "(--attention mha, --ffn mlp, --norm rmsnorm, --positions rope, "
     "--untied, --bias none)"),
    ("d_ff,ffn", "11008,SwiGLU", {}, "(--attention mha, --norm rmsnorm, --positions rope, "
     "--untied, --bias none)"),
    ("d_ff,n_kv", "11008,8", {"tied": True}, "(--ffn mlp, --norm rmsnorm, --positions rope, "
     "--bias none)"),
])
def test_a_table_without_a_model_says_what_is_taken_of_a_plain_decoder(
        tmp_path: Path, titles: str, cells: str, given: dict[str, Any], taken: str) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"model,L,d_model,n_heads,V,{titles},params\na,32,4096,32,32000,{cells},6.7B\n")
    found = review_table(read_table(str(table)), Base(None, Options(**given)))
    said = [words for words in found.assumed if "no MODEL" in words]
    assert len(said) == 1
    assert said[0].endswith(taken)
    named = review_table(read_table(str(table)), Base(load("llama-2-7b"), Options(**given)))
    assert not [words for words in named.assumed if "no MODEL" in words]


def test_usual_networks_are_offered_before_rare_ones(tmp_path: Path) -> None:
    """SwiGLU and GeGLU have the same matrices; LLaMA's size is the one's in most papers."""
    table = tmp_path / "t.csv"
    table.write_text("model,L,d_model,n_heads,V,d_ff,params\na,32,4096,32,32000,11008,6.7B\n")
    mends = review_table(read_table(str(table))).rows[0].mends
    options = [mend.option for mend in mends if mend.option.startswith("--ffn")]
    assert options[0] == "--ffn swiglu"
    assert "--ffn geglu" not in options


def test_a_number_of_heads_beyond_any_model_takes_no_longer(tmp_path: Path) -> None:
    """What is tried of key-value heads is bounded; the number printed need not be a model's."""
    from symparam.claims.alternatives import MOST_KV, alternatives
    from symparam.descriptions.load import load
    from symparam.resolve import with_overrides

    model = with_overrides(load("gpt2"), {"n_heads": 2**36, "d_head": 64})
    tried = [option for _, _, option, _ in alternatives(model) if "n_kv=" in option]
    assert [int(option.rpartition("=")[2]) for option in tried] == [2**k for k in range(1, 11)]
    assert MOST_KV == 2**10


def test_a_published_row_with_a_width_that_follows_by_rule_is_that_model(
        line: Line, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Model,Layers,d_model,Heads,d_ff,Vocab,Params (M)\n"
                    "GPT-2,12,768,12,3072,50257,124.4\nGPT-2 XL,48,1600,25,6400,50257,1557.6\n",
                    encoding="utf-8")
    code, out, _ = line(f"check {path} --json")
    rows = json.loads(out)["reviews"][0]["rows"]
    assert code == 0
    assert [row["verdict"] for row in rows] == ["rounds", "rounds"]


UNSAID = """model,L,d_model,n_heads,d_ff,V,params
llama-2-7b,32,4096,32,11264,32000,{}
ours,16,2048,16,5632,32000,0.769B
gpt2,12,768,12,3072,50257,{}
"""


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("said", "verdict"), [("6.7B", "wrong"), ("5.4B", "rounds")])
def test_a_row_of_which_nothing_says_the_network_says_so_beside_its_verdict(
        said: str, verdict: str, line: Line, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(UNSAID.format(said, "1M"), encoding="utf-8")
    shown = " ".join(line(f"check {path}")[1].split())
    taken = "with --ffn mlp, as nothing says which network it has"
    rows = {row["name"]: row for row in json.loads(line(f"check {path} --json")[1])[
        "reviews"][0]["rows"]}
    assert rows["llama-2-7b"]["verdict"] == verdict
    assert rows["llama-2-7b"]["taken"] == f"{taken}; in the catalogue llama-2-7b has swiglu"
    assert (rows["ours"]["taken"], rows["gpt2"]["taken"]) == (taken, None)
    counted = "5,362,683,904" if verdict == "wrong" else "counted"
    assert f"{counted} {taken}; in the catalogue llama-2-7b has swiglu" in shown
    assert f"ours: counted {taken}." in shown


@pytest.mark.thinned(3)
def test_where_something_says_the_network_nothing_is_taken(line: Line, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(UNSAID.format("6.7B", "124M"), encoding="utf-8")
    for words in ("--ffn swiglu", "llama-2-7b"):
        assert "nothing says" not in line(f"check {path} {words}")[1]
    rows = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(f"{row},{'ffn' if i == 0 else 'SwiGLU'}"
                              for i, row in enumerate(rows)), encoding="utf-8")
    assert "nothing says" not in line(f"check {path}")[1]
