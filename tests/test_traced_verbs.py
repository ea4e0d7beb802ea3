"""What verbs do with a traced model: its own names, none of a thing, switches, edits, widths."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import symparam as sp
from symparam.cli.main import run
from symparam.constraints import Divides, Standing
from symparam.errors import BadValue, NotDerivable, SpecError
from symparam.grammar import parse_expression
from symparam.traced.foundation import is_edited, sealed
from symparam.traced.model import model_of
from symparam.traced.records import Evidence, Key, Trace, TracedRow
from symparam.traced.written import toml_of
from tests.helpers import together
from tests.test_traced import KEYS, OURS, ROWS, e, modelled, numel, row

FOUND = Evidence(6, 20, 40, 0, {"torch": "2.13.0"})


def own(*rows: TracedRow, keys: tuple[Key, ...] = (), checks: tuple[Divides, ...] = ()) -> Trace:
    """A trace of rows over a width that the target calls chan."""
    return Trace("own", "own.py:F", (
        Key("chan", ("net", "chan"), 64, "size"), Key("L", ("depth",), 3, "structure"),
        *keys), (), checks, rows, (), FOUND)


CHAN = own(TracedRow("h.*.w", (e2 := parse_expression("chan", ["chan"]), e2), (e("L"),)))


@pytest.fixture
def kept(tmp_path: Path) -> str:
    """The file of a model whose width is chan."""
    path = tmp_path / "own.toml"
    path.write_text(toml_of(CHAN), encoding="utf-8")
    return str(path)


# ---------------------------------------------------------------- its own names

@pytest.mark.parametrize("words", [
    ["sweep", "net.chan=8,16", "depth=2"], ["sweep", "chan=8:16:8", "--quantity", "P"],
    ["solve", "P=30000", "chan=?"], ["solve", "P=30000", "depth=?", "--range", "net.chan=8:80"],
    ["solve", "P=30000", "chan=?", "--range", "chan/depth=1:2000"],
    ["solve", "P=30000", "depth=?", "--range", "chan=8:80:8", "--multiple", "net.chan=8"],
    ["sensitivity", "--wrt", "net.chan"], ["sensitivity", "--step", "net.chan=3"],
    ["sensitivity", "--quantity", "weights", "--wrt", "net.chan"],
    ["check", "--claim", "chan*depth = 192"], ["derive", "--assume", "chan = 16*depth+16"],
    ["plot", "depth", "depth=1:3", "d_model=1"], ["diff", "net.chan=128"],
    ["count", "depth=chan/16"]])
def test_every_verb_reads_the_names_of_the_target(words: list[str], kept: str,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    verb, *rest = words
    code = run([verb, *(["depth", kept, *rest[1:]] if verb == "plot" else [kept, *rest]), "-q"])
    shown = capsys.readouterr()
    assert "unknown" not in shown.err
    assert code in {0, 1} or verb == "plot", shown.err


def test_the_python_interface_reads_them_too(kept: str) -> None:
    model = sp.load(kept, **{"net.chan": 8})
    assert model.count() == 3 * 64
    assert model.count(depth="chan/4") == 2 * 64
    assert sp.load(kept).sweep(chan=[8, 16]).arrays()["P"].tolist() == [192, 768]
    assert sp.load(kept).check("depth*chan = 192").rows[0].verdict == "exact"


def test_a_column_of_a_table_may_have_them(kept: str, tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "sizes.csv"
    table.write_text("model,chan,params\na,8,192\nb,16,769\n", encoding="utf-8")
    assert run(["check", str(table), kept, "--json", "-q"]) == 1
    (review,) = json.loads(capsys.readouterr().out)["reviews"]
    assert [each["verdict"] for each in review["rows"]] == ["exact", "wrong"]


# ---------------------------------------------------------------- none of a thing

def test_what_is_counted_and_has_no_shape_may_be_0() -> None:
    model = modelled()
    assert model.count(L=2, k_dense=2) == numel(OURS, L=2, k_dense=2)  # L_sparse = 0
    assert model.count(k_dense=0) == numel(OURS, k_dense=0)
    assert model.evaluate(k_dense=[0, 1]).tolist() == [numel(OURS, k_dense=0),
                                                       numel(OURS, k_dense=1)]
    swept = model.sweep(k_dense="0:2").arrays()["P"].tolist()
    assert swept == [numel(OURS, k_dense=n) for n in (0, 1, 2)]
    assert model.derive(k_dense=0).value == model.count(k_dense=0)
    assert model.sensitivity(wrt="d_model", k_dense=0).total.rows
    assert model.solve(P=numel(OURS, k_dense=0, V=999), unknown=["V"],
                       k_dense=0).configurations[0].dims["V"] == 999


@pytest.mark.parametrize(("dims", "words"), [
    ({"d_model": 0}, "at least 1"), ({"n_experts": 0}, "at least 1"),
    ({"multiple_of": 0}, "at least 1"), ({"k_dense": 7}, "L_sparse = -1: must be at least 0")])
def test_a_shape_has_no_side_of_0_and_nothing_is_below_it(dims: dict[str, int],
                                                          words: str) -> None:
    with pytest.raises(BadValue, match=words):
        modelled().count(**dims)


def test_a_stated_model_has_at_least_one_of_everything() -> None:
    with pytest.raises(BadValue, match="at least 1"):
        sp.load("gpt2", L=0)


def test_a_key_that_was_0_may_be_given_so() -> None:
    key = Key("n_soft", ("n_soft",), 0, "held")
    model = modelled(own(TracedRow("w", (e2, parse_expression("n_soft", ["n_soft"]))), keys=(key,)))
    assert model.count(n_soft=0) == 0


# ---------------------------------------------------------------- switches

@pytest.mark.parametrize("given", ["false", "False"])
def test_a_switch_as_it_is_held_says_nothing_new(given: str, tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(toml_of(OURS), encoding="utf-8")
    assert run(["count", str(path), f"use_bias={given}", "-q"]) == 0
    capsys.readouterr()
    assert run(["count", str(path), "use_bias=true", "-q"]) == 2
    assert "trace again with --set use_bias=true" in capsys.readouterr().err


def test_a_switch_is_refused_from_python_too() -> None:
    assert modelled().count(use_bias=False) == modelled().count()
    with pytest.raises(BadValue, match="holds at False"):
        modelled().count(use_bias=True)


# ---------------------------------------------------------------- edits

EDITS: dict[str, Callable[[Trace], Trace]] = {
    "rows": lambda t: replace(t, rows=t.rows[:-1]),
    "a module": lambda t: replace(t, rows=(replace(t.rows[0], module="Other"), *t.rows[1:])),
    "equations": lambda t: replace(t, equations=()),
    "a rule": lambda t: replace(t, equations=(replace(t.equations[0],
                                                      standing=Standing.DEFINITION),)),
    "checks": lambda t: replace(t, checks=()),
    "a switch": lambda t: replace(t, keys=tuple(
        replace(k, base=True) if k.kind == "switch" else k for k in t.keys)),
    "a kind": lambda t: replace(t, keys=tuple(
        replace(k, kind="inert") if k.kind == "refused" else k for k in t.keys)),
    "a held number": lambda t: replace(t, keys=tuple(
        replace(k, base=3) if k.name == "n_groups" else k for k in t.keys)),
    "assumptions": lambda t: replace(t, assumptions=()),
    "evidence": lambda t: replace(t, evidence=replace(t.evidence, held_out=1000))}


@together("what", EDITS)
def test_an_edit_of_what_answers_rest_on_is_seen(what: str) -> None:
    assert not is_edited(OURS)
    assert is_edited(EDITS[what](OURS))


def test_other_numbers_and_words_are_no_edit() -> None:
    assert not is_edited(replace(OURS, name="other", keys=tuple(
        replace(k, base=k.base + 1, meaning="ours") if k.name == "V" else k for k in KEYS)))
    text = modelled().toml()
    assert "digest" in text
    assert sealed(OURS) == OURS


# ---------------------------------------------------------------- what a file may not say

@pytest.mark.parametrize(("add", "place"), [
    ('pattern = "lm_head.weight"\nshape = ["V", "d_model"]', "tensors[15].pattern"),
    ('pattern = "model.layers.*.input_layernorm.weight"\nshape = ["d_model"]\ncopies = ["L"]',
     "tensors[15].pattern"),
    ('pattern = "twin"\nshape = ["d_model", "V"]\ntied_to = "model.embed_tokens.weight"',
     "tensors[15].tied_to")])
def test_a_tensor_stands_once_and_shares_numbers_of_its_own_shape(add: str, place: str,
                                                                  tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(toml_of(OURS) + f"\n[[tensors]]\n{add}\n", encoding="utf-8")
    with pytest.raises(SpecError) as found:
        sp.load(str(path))
    assert found.value.path == place


def test_kinds_of_layer_may_have_one_name() -> None:
    rows = (replace(row("h.*.w", "d_model", "L"), numbers="every 2nd from 0"),
            replace(row("h.*.w", "d_model,2", "L"), numbers="every 2nd from 1"))
    text = toml_of(replace(OURS, rows=rows))
    assert sp.Model.wrap(model_of(replace(OURS, rows=rows))).count() == 3 * 6 * 64
    assert text.count('pattern = "h.*.w"') == 2


# ---------------------------------------------------------------- widths

def test_what_is_rounded_to_a_multiple_is_the_width_itself() -> None:
    rows = (row("h.*.mlp.up.weight", "64*up(d_model/24),d_model", "L"),
            row("h.*.mlp.gate_up.weight", "128*up(d_model/24),d_model", "L"))
    model = modelled(replace(OURS, rows=rows))
    values = model.derive(d_model=512).derivation.values
    assert values["d_ff"] == 1408
    assert str(model.formula()) == "3*L*d_ff*d_model"


def test_a_number_before_a_width_is_none_of_it() -> None:
    rows = (row("h.*.mlp.up.weight", "2*down(8*d_model/3),d_model", "L"),
            row("h.*.mlp.down.weight", "d_model,down(8*d_model/3)", "L"))
    assert str(modelled(replace(OURS, rows=rows)).formula()) == "3*L*d_ff*d_model"


def test_heads_before_a_width_that_is_rounded_are_none_of_it() -> None:
    rows = (row("h.*.attn.q_proj.weight", "n_heads*down(d_model/n_heads),d_model", "L"),
            row("h.*.attn.k_proj.weight", "2*n_experts*down(d_model/n_heads),d_model", "L"),
            row("h.*.attn.q_norm.weight", "down(d_model/n_heads)", "L"))
    model = modelled(replace(OURS, rows=rows, equations=(), keys=(*KEYS[:4], *KEYS[5:])))
    assert {str(term) for term in model.formula().args} == {
        "L*d_head*d_model*n_heads", "2*L*d_head*d_model*n_experts", "L*d_head"}
    assert model.count() == 6 * 16 * (64 * (4 + 16) + 1)


def test_the_width_of_a_model_is_looked_at_whatever_it_is_called() -> None:
    found = modelled(CHAN).sensitivity()
    assert {each.wrt for each in found.total.rows} == {"L", "chan"}
    assert {each.held.wrt for each in found.doublings} == {"L", "chan"}


def test_one_unknown_meets_a_check_on_a_number_that_no_shape_has() -> None:
    keys = (Key("d_model", ("dim",), 64, "size"), Key("n_heads", ("heads",), 12, "inert"))
    trace = Trace("wide", "wide.py:F", keys, (), (Divides("n_heads", "d_model", "asserted"),),
                  (row("w", "d_model,d_model"),), (), FOUND)
    trace = replace(trace, keys=(replace(keys[0], base=72), keys[1]))
    found = modelled(trace).solve(P=10**6, unknown=["d_model"])
    assert [each.dims["d_model"] for each in found.configurations] == [996]


def test_what_a_module_works_out_is_put_in() -> None:
    keys = (Key("n_heads", ("heads",), 4, "size"),)
    q = TracedRow("h.*.attn.q", tuple(parse_expression(t, ["chan", "n_heads"])
                                for t in ("chan/n_heads", "chan")), (e("L"),))
    found = modelled(own(q, keys=keys, checks=(Divides("n_heads", "chan", "asserted"),))).derive()
    assert "d_attention" not in str(found.formula)
    assert str(found.formula) == "L*chan**2/n_heads"
    assert found.value == 3 * 16 * 64


# ---------------------------------------------------------------- embeddings

def test_counts_without_embeddings_rest_on_what_was_recorded() -> None:
    rows = (replace(ROWS[0], pattern="a.b"), replace(row("c.d", "n_experts,d_model"), role="table"),
            *ROWS[1:-1], row("z", "V,d_model"))
    model = modelled(replace(OURS, rows=rows))
    tables = model.count("without_embeddings"), model.count("without_input")
    assert tables == (model.count() - 2 * 64_000, model.count() - 64_000)
    (found,) = model.breakdown().json()["rests_on"].values()
    assert found["tables"] == {"token": ["a.b"], "head": ["z"], "positions": [], "untold": None}


def test_where_nothing_says_which_table_is_the_tokens_such_counts_are_refused() -> None:
    items = replace(row("items.weight", "n_experts,d_model", module="Embedding"), role="table")
    model = modelled(replace(OURS, rows=(items, row("head.weight", "d_model,d_model"))))
    with pytest.raises(NotDerivable, match=r"which of items.weight is the token embedding"):
        model.count("without_embeddings")
    data = model.breakdown().json()
    assert data["non_embedding"] == {}
    assert model.sensitivity().json()["crossovers"] == []
    assert model.derive().json()["conventions"]
    assert "counts without embeddings are unset" in " ".join(model.breakdown().text().split())


def test_a_name_alone_makes_no_head() -> None:
    rows = (ROWS[0], row("text.head.weight", "d_expert,d_model"),
            row("layers.*.head.weight", "d_expert,d_model", "L"))
    model = modelled(replace(OURS, rows=rows))
    assert model.count("without_embeddings") == model.count() - 64_000


# ---------------------------------------------------------------- against a stated model

def test_parts_of_a_stated_model_are_found_by_shape_where_names_differ() -> None:
    rows = (replace(row("tok.weight", "V,d_model", module="Embedding"), role="token"),
            *(row(f"h.*.{name}.weight", "d_model", "L", "LayerNorm") for name in ("ln_a", "ln_b")),
            row("h.*.mlp.fc1.bias", "d_model", "L"))
    found = modelled(replace(OURS, rows=rows, keys=KEYS[:3])).diff("gpt2").difference
    changes = {pair.key: pair.change for pair in found.pairs if pair.key.startswith("layers.norms")}
    gains = {change for key, change in changes.items() if key.endswith("gain")}
    assert gains == {"dims"}, changes
    assert {change for key, change in changes.items() if key.endswith("shift")} == {"added"}
    assert found.change == 124_439_808 - (1000 * 64 + 6 * 3 * 64)


def test_what_is_not_found_by_name_is_not_said_to_be_missing() -> None:
    shown = " ".join(modelled(CHAN).diff("gpt2").text().split())
    assert "none by this name learned positions" in shown
    assert "may be the same under another name. The sum is exact." in shown
    assert "by this name" not in sp.load("gpt2").diff("bert-base").text()
