"""What a traced model multiplies and keeps, from the shapes of its forward passes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from symparam import api
from symparam import expression as ex
from symparam.cli.main import run
from symparam.constraints import Compares
from symparam.descriptions.architecture.traced_file import read_trace
from symparam.descriptions.load import load
from symparam.descriptions.reading.source import parse_json, parse_toml
from symparam.errors import BadValue, SpecError, UnknownName
from symparam.grammar import parse_expression
from symparam.parts import one_part
from symparam.polynomial import Polynomial
from symparam.traced.exact import divided
from symparam.traced.foundation import digest, is_edited, rests_on, sealed
from symparam.traced.model import model_of
from symparam.traced.records import (
    Assumption,
    Evidence,
    Key,
    Trace,
    TracedRow,
    Work,
    WorkKind,
    WorkRow,
)
from symparam.traced.written import data_of, json_of, toml_of
from tests.test_json import valid

NAMES = ("V", "L", "d_model", "n_heads", "n_kv", "d_head", "n_experts", "d_expert", "top_k",
         "window", "s", "b", "s_encoder")
KEYS = tuple(Key(name, (name,), base, "size") for name, base in (
    ("V", 100), ("L", 5), ("d_model", 24), ("n_heads", 4), ("n_kv", 2), ("d_head", 6),
    ("n_experts", 8), ("d_expert", 10), ("top_k", 3), ("window", 7)))


def e(text: str) -> ex.Expr:
    """An expression."""
    return parse_expression(text, NAMES)


def es(text: str) -> tuple[ex.Expr, ...]:
    """Expressions between commas."""
    return tuple(map(e, text.split(";"))) if text else ()


def row(pattern: str, shape: str, copies: str = "", **more: Any) -> TracedRow:
    """A tensor."""
    return TracedRow(pattern, es(shape), es(copies), module="Linear", **more)


def work(kind: WorkKind, pattern: str, shape: str, copies: str = "", numbers: str = "") -> WorkRow:
    """A product or a state."""
    return WorkRow(kind, pattern, es(shape), es(copies), numbers)


ROWS = (
    TracedRow("embed.weight", es("V;d_model"), module="Embedding", role="token"),
    row("layers.*.attn.q_proj.weight", "n_heads*d_head;d_model", "L"),
    row("layers.*.attn.kv_proj.weight", "2*n_kv*d_head;d_model", "L"),
    row("layers.*.attn.o_proj.weight", "d_model;n_heads*d_head", "L"),
    row("layers.*.mlp.gate.weight", "n_experts;d_model", "L"),
    row("layers.*.mlp.experts.up_proj", "n_experts;d_expert;d_model", "L"),
    row("head.weight", "V;d_model", role="head"))
HALVES = (("up(L/2)", "every 2nd from 0", "min(s, window - 1)"),
          ("down(L/2)", "every 2nd from 1", "s"))
WORK = Work((
    work("weight", "layers.*.attn.q_proj.weight@0", "1;b*s;d_model;n_heads*d_head", "L"),
    *(work("weight", f"layers.*.attn.kv_proj.weight@{i}", "1;b*s;d_model;n_kv*d_head", "L")
      for i in range(2)),
    work("product", "layers.*.attn.product.0", "b*n_heads;s;d_head;s", "L"),
    work("product", "layers.*.attn.product.1", "b*n_heads;s;s;d_head", "L"),
    work("weight", "layers.*.attn.o_proj.weight@0", "1;b*s;n_heads*d_head;d_model", "L"),
    work("weight", "layers.*.mlp.gate.weight@0", "1;b*s;d_model;n_experts", "L"),
    work("weight", "layers.*.mlp.experts.up_proj@0", "b*s*top_k;d_expert;d_model;1", "L"),
    work("weight", "head.weight@0", "1;b*s;d_model;V"),
    *(work("state", f"layers.*.attn.{kept}", f"b;n_kv;{entries};d_head", copies, numbers)
      for copies, numbers, entries in HALVES for kept in ("keys", "values"))),
    ("embed.weight",), (Compares(e("n_kv"), "<=", e("n_heads"), "else it is refused"),),
    (Assumption("range", (), "s 4 to 900 was run"),), Evidence(7, 40, 120, 0, {}))
OURS = sealed(Trace("ours", "ours.py:Model", KEYS, (), (), ROWS, (),
                    Evidence(6, 20, 74, 0, {"torch": "2.13.0"}), WORK))


def modelled(trace: Trace = OURS) -> api.Model:
    """The model of a trace."""
    return api.Model.wrap(model_of(trace))


def forward(s: int, b: int, seen: tuple[int, int]) -> int:
    """A forward pass multiplied out by hand: two operations for each multiply-add."""
    layers = 24 * 24 + 2 * 12 * 24 + 24 * 24 + 8 * 24 + 3 * 10 * 24
    pairs = 2 * 24 * (3 * seen[0] + 2 * seen[1])
    return 2 * b * s * (5 * layers + pairs + 100 * 24)


@pytest.mark.parametrize(("s", "b"), [(5, 1), (7, 3), (50, 2)])
def test_products_and_caches_are_what_forward_passes_show(s: int, b: int) -> None:
    model = modelled()
    assert model.quantity("flops", s=s, b=b, attention="all-pairs") == forward(s, b, (s, s))
    assert model.quantity("flops", s=s, b=b) == forward(s, b, (min(s, 7), s))
    assert model.quantity("kv_cache", s=s, b=b) == 2 * b * 2 * 12 * (3 * min(s, 7) + 2 * s)
    assert model.quantity("kv_per_token") == 2 * 2 * 12 * 5
    assert model.quantity("active") == model.count() - 5 * (8 - 3) * 240
    assert model.quantity("active", top_k=8) == model.count()


def test_layers_with_a_window_are_told_apart_by_what_they_keep() -> None:
    rows = {(each.layers, each.window, each.value) for each in modelled().cost(s=50).cache()}
    assert rows == {(3, 7, 2 * 3 * 12 * 7), (2, None, 2 * 2 * 12 * 50)}


def test_what_is_multiplied_is_derived_step_by_step() -> None:
    derived = modelled().derive("flops_per_token", s=50)
    assert derived.value == modelled().quantity("flops_per_token", s=50) > 0
    assert modelled().derive("kv_per_token").value == 240


def test_a_file_holds_what_was_found() -> None:
    for text, parse in ((toml_of(OURS), parse_toml), (json_of(OURS), parse_json)):
        read = read_trace("x", parse(text), "x")
        assert data_of(read) == data_of(OURS)
        assert digest(read) == digest(OURS)
        assert not is_edited(read)
        assert modelled(read).quantity("flops", s=9) == modelled().quantity("flops", s=9)


def test_what_was_found_of_work_is_part_of_what_answers_rest_on() -> None:
    said = rests_on({"ours": OURS})["rests_on"]["ours"]
    assert said["unset"] is None
    assert said["work"]["evidence"]["held_out"] == 40
    assert said["work"]["holds_where"] == ["n_kv <= n_heads"]
    text = " ".join(modelled().cost(s=9).text().split())
    assert "found by forward passes" in text
    assert "right at 40 fresh points" in text
    assert "s 4 to 900 was run" in text
    assert "unset" not in text
    valid("cost", modelled().cost(s=9).json())
    changed = replace(OURS, work=replace(WORK, used=()))
    assert is_edited(changed)


def test_it_is_unset_outside_of_where_it_was_found() -> None:
    assert modelled().count(n_kv=5)
    with pytest.raises(BadValue, match="n_kv <= n_heads, which n_kv = 5, n_heads = 4 is not"):
        modelled().quantity("flops", s=9, n_kv=5)
    held = replace(WORK, assumptions=(Assumption("pinned", ("d_expert",), "it stays"),))
    assert modelled(replace(OURS, work=held)).quantity("flops", s=9)
    with pytest.raises(BadValue, match="d_expert"):
        modelled(replace(OURS, work=held)).quantity("flops", s=9, d_expert=11)


UNKNOWN = (
    (0, "no forward pass that was made uses this"),
    (8, "no forward pass that was made uses this"),
    (4, "a product of what it computes is no number of pairs of tokens"),
    (9, "what is kept is no number for each token"))


@pytest.mark.parametrize(("place", "words"), UNKNOWN)
def test_what_does_not_fit_is_unset_and_said(place: int, words: str) -> None:
    rows = list(WORK.rows)
    if "uses" in words:
        del rows[place]
    else:
        rows[place] = replace(rows[place], shape=es("b;s*s;s;d_head"))
    model = modelled(replace(OURS, work=replace(WORK, rows=tuple(rows))))
    assert model.count() == modelled().count()
    with pytest.raises(BadValue, match=words):
        model.quantity("flops", s=9)


def test_a_trace_whose_work_was_not_found_says_why() -> None:
    model = modelled(replace(OURS, work=Work(unset="a forward pass is refused: boo")))
    with pytest.raises(BadValue, match="a forward pass is refused: boo"):
        model.quantity("kv_cache", s=9)
    assert "are unset: a forward pass is refused: boo" in " ".join(model.cost().text().split())
    valid("cost", model.cost().json())


def with_numbers(*pinned: str) -> Trace:
    """The same found by passes in which some keys did not move: their rows have numbers there."""
    numbers = {key.name: ex.Num(int(key.base or 0)) for key in KEYS if key.name in pinned}
    rows = tuple(replace(each, shape=tuple(ex.substitute(x, numbers) for x in each.shape),
                         copies=tuple(ex.substitute(x, numbers) for x in each.copies))
                 for each in WORK.rows)
    return replace(OURS, work=replace(WORK, rows=rows, assumptions=(
        Assumption("pinned", pinned, "they stay"),)))


@pytest.mark.parametrize("pinned", [
    ("d_model",), ("d_model", "n_heads"), ("n_experts",), ("n_experts", "top_k", "d_model"),
    ("d_model", "d_head", "n_kv", "V")])
def test_what_passes_showed_at_one_number_is_used_as_often_as_it_was(
        pinned: tuple[str, ...]) -> None:
    found = modelled(with_numbers(*pinned))
    for name in ("flops", "flops_per_token", "active", "kv_cache"):
        assert found.quantity(name, s=9) == modelled().quantity(name, s=9), name
    with pytest.raises(BadValue, match=pinned[0]):
        found.quantity("flops", s=9, **{pinned[0]: 999})


def test_a_key_that_passes_took_from_others_alone_is_written_with_these() -> None:
    rows = tuple(replace(each, shape=tuple(ex.substitute(x, {"d_head": e("d_model/n_heads")})
                                           for x in each.shape)) for each in WORK.rows)
    rule = Compares(ex.Sym("d_head"), "=", e("d_model/n_heads"), "else it is refused")
    found = modelled(replace(OURS, work=replace(WORK, rows=rows, checks=(*WORK.checks, rule))))
    for given in ({}, {"d_model": 48, "d_head": 12}, {"n_heads": 8, "d_head": 3, "top_k": 4}):
        for name in ("flops", "active", "kv_cache"):
            assert found.quantity(name, s=9, **given) == modelled().quantity(name, s=9, **given)
    with pytest.raises(BadValue, match="d_head = d_model/n_heads"):
        found.quantity("flops", s=9, d_head=7)


def test_a_count_is_there_where_passes_would_be_refused() -> None:
    even = e("d_model/n_heads")
    down = ex.Whole(even, "down")
    rows = tuple(replace(each, shape=tuple(
        e("d_model") if x == e("n_heads*d_head") else ex.substitute(x, {"d_head": down})
        for x in each.shape)) for each in WORK.rows)
    rules = (Compares(ex.Sym("d_head"), "=", down, "else it is refused"), Compares(
        ex.Sym("d_model"), "=", ex.Product((ex.Sym("n_heads"), down)), "no point told them apart"))
    found = modelled(replace(OURS, work=replace(WORK, rows=rows, checks=(*WORK.checks, *rules))))
    assert found.quantity("flops", s=9) == modelled().quantity("flops", s=9)
    assert found.count(n_heads=10) == modelled().count(n_heads=10)
    with pytest.raises(BadValue, match="d_head = down"):
        found.quantity("flops", s=9, n_heads=10)


def test_products_of_experts_that_all_run_are_all_active() -> None:
    rows = [replace(each, shape=es("n_experts;b*s;d_expert;d_model"))
            if "up_proj" in each.pattern else each for each in WORK.rows]
    model = modelled(replace(OURS, work=replace(WORK, rows=tuple(rows))))
    assert model.quantity("active") == model.count()


def test_a_model_that_keeps_nothing_sees_all_pairs() -> None:
    rows = tuple(each for each in WORK.rows if each.kind != "state")
    model = modelled(replace(OURS, work=replace(WORK, rows=rows)))
    assert model.quantity("kv_cache", s=9) == 0
    assert model.quantity("flops", s=9, attention="causal") == forward(9, 1, (9, 9))


def test_what_a_sequence_keeps_bounds_no_product_of_its_module() -> None:
    more = (work("state", "layers.*.attn.sum", "b;d_model", "L"),)
    model = modelled(sealed(replace(OURS, work=replace(WORK, rows=WORK.rows + more))))
    assert model.quantity("flops", s=50, b=2) == forward(50, 2, (7, 50))
    assert model.quantity("state", s=50) == 2 * 5 * 24


def test_an_encoder_is_counted_for_what_it_reads() -> None:
    rows = (row("encoder.*.attn.k_proj.weight", "d_model;d_model", "L"),
            row("decoder.*.cross_attn.k_proj.weight", "d_model;d_model", "L"),
            row("decoder.*.cross_attn.q_proj.weight", "d_model;d_model", "L"))
    found = Work((
        work("weight", "encoder.*.attn.k_proj.weight@0", "1;b*s_encoder;d_model;d_model", "L"),
        work("product", "encoder.*.attn.product.0", "b;s_encoder;d_model;s_encoder", "L"),
        work("weight", "decoder.*.cross_attn.k_proj.weight@0", "1;b*s_encoder;d_model;d_model",
             "L"),
        work("weight", "decoder.*.cross_attn.q_proj.weight@0", "1;b*s;d_model;d_model", "L"),
        work("product", "decoder.*.cross_attn.product.0", "b;s;d_model;s_encoder", "L"),
        work("state", "decoder.*.cross_attn.cross.keys", "b;s_encoder;d_model", "L")))
    model = modelled(replace(OURS, rows=rows, work=found))
    assert model.encodes
    expected = 2 * 5 * (11 * 576 * 2 + 24 * 121 + 3 * 576 + 3 * 24 * 11)
    assert model.quantity("flops", s=3, s_encoder=11) == expected
    assert model.quantity("kv_cache", s=3, s_encoder=11) == 2 * 5 * 24 * 11


@pytest.mark.parametrize(("change", "where"), [
    ({"kind": "frog"}, "work.rows[0].kind"), ({"pattern": "q.weight@0"}, "work.rows[0].pattern"),
    ({"shape": []}, "work.rows[0].shape"), ({"shape": ["frogs"]}, "work.rows[0].shape[0]"),
    ({"more": 1}, "work.rows[0]")])
def test_a_file_that_is_wrong_is_refused_by_place(change: dict[str, Any], where: str) -> None:
    data = json.loads(json_of(OURS))
    data["work"]["rows"][0] |= change
    with pytest.raises(SpecError) as caught:
        read_trace("x", data, "x")
    assert where in str(caught.value)


def test_a_dim_that_is_called_like_the_tokens_is_refused() -> None:
    data = json.loads(json_of(OURS))
    data["dims"]["s"] = 3
    with pytest.raises(SpecError, match="s is the number of tokens"):
        read_trace("x", data, "x")


def test_a_division_of_sums_leaves_nothing_or_is_refused() -> None:
    d, h, k = map(Polynomial.named, ("d", "h", "k"))
    assert divided((h + 2 * k) * d * 3, h + 2 * k) == 3 * d
    assert divided((h + 2 * k) * (d + k), d + k) == h + 2 * k
    with pytest.raises(Exception, match="no multiple"):
        divided(h * d + k, h + 2 * k)


def test_a_command_reads_it_from_a_file(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(toml_of(OURS), encoding="utf-8")
    assert run(["cost", str(path), "s=9", "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    valid("cost", data)
    assert data["flops"]["total"] == forward(9, 1, (7, 9))
    assert run(["count", str(path)]) == 0
    assert "active" in capsys.readouterr().out


def composite() -> Trace:
    """A model with a tower beside it: keys of its own, a module between both, a pass over text."""
    inner = tuple(Key(f"{name}_vision", ("vision_config", name), base, "size")
                  for name, base in (("d_model", 12), ("L", 2)))
    rows = (row("model.tower.layers.*.q.weight", "d_model_vision;d_model_vision", "L_vision"),
            row("model.projector.weight", "d_model;d_model_vision"),
            *(replace(each, pattern=f"model.language.{each.pattern}") for each in ROWS[:-1]),
            row("lm_head.weight", "V;d_model", tied_to="model.language.embed.weight"))
    names = {"head.weight@0": "lm_head.weight@0"}
    work = replace(WORK, used=("model.language.embed.weight",), rows=tuple(replace(
        each, pattern=names.get(each.pattern, f"model.language.{each.pattern}"))
        for each in WORK.rows))
    keys = tuple(replace(key, path=("text_config", *key.path)) for key in KEYS)
    return sealed(replace(OURS, keys=(*keys, *inner), rows=rows, work=work))


NAMES += ("d_model_vision", "L_vision")


def test_a_composite_has_parts_that_add_up() -> None:
    whole = modelled(composite())
    parts = {name: one_part(whole, name) for name in ("text", "vision", "projector")}
    counts = {name: api.Model.wrap(part).count() for name, part in parts.items()}
    assert counts == {"text": modelled().count() - 2400, "vision": 2 * 144, "projector": 288}
    assert sum(counts.values()) == whole.count()
    assert api.Model.wrap(parts["vision"]).count(L_vision=3) == 3 * 144
    assert {part.part for part in parts.values()} == set(parts)
    assert parts["text"].left_out == ("vision, projector",)


def test_a_part_that_was_run_has_costs_and_the_whole_has_none() -> None:
    whole = modelled(composite())
    with pytest.raises(BadValue, match=r"no forward pass .* uses this \(model.tower.layers.\*.q"):
        whole.quantity("flops", s=9)
    text = api.Model.wrap(one_part(whole, "text"))
    assert text.quantity("flops", s=9) == forward(9, 1, (7, 9))
    assert "--part text" in " ".join(whole.cost().text().split())
    with pytest.raises(BadValue, match="unset"):
        api.Model.wrap(one_part(whole, "vision")).quantity("flops", s=9)


def test_a_part_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match="known: projector, text, vision"):
        one_part(modelled(composite()), "audio")
    with pytest.raises(BadValue, match="is no composite"):
        one_part(modelled(), "text")
    with pytest.raises(BadValue, match="--trace"):
        one_part(load("gpt2"), "text")


def test_a_command_answers_for_one_part_and_says_which(
        tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(toml_of(composite()), encoding="utf-8")
    assert run(["count", str(path), "--part", "vision", "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    valid("count", data)
    assert (data["part"], data["total"]) == ("vision", 288)
    assert run(["count", str(path), "--part", "vision"]) == 0
    assert " · vision · traced from ours.py:Model" in capsys.readouterr().out
    assert run(["derive", str(path), "--part", "text"]) == 0
    assert "vision, projector" in capsys.readouterr().out
    assert run(["count", "--part", "text", "d_model=8"]) == 2
    assert "options have no parts" in capsys.readouterr().err


def test_layers_without_a_rule_are_unset_and_read_back() -> None:
    rows = tuple(replace(each, pattern=each.pattern.replace("*", "0"), copies=())
                 for each in WORK.rows)
    found = replace(OURS, work=replace(WORK, rows=rows))
    with pytest.raises(BadValue, match="its layers follow no rule that forward passes showed"):
        modelled(found).quantity("flops", s=9)
    assert data_of(read_trace("x", parse_toml(toml_of(found)), "x")) == data_of(found)
