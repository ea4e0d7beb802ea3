"""Checkpoints of programs of one's own: the same tensors under other names, or nearly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symparam import load
from symparam.checkpoints.blind import _proposals, blind
from symparam.checkpoints.compare import matches
from symparam.checkpoints.expected import expected
from symparam.checkpoints.header import Shape
from symparam.cli.main import run
from symparam.model import Model
from symparam.resolve import with_overrides
from tests.test_check import write

#: As Meta's own Llama code calls them (github.com/meta-llama/llama, llama/model.py).
META = {"model.embed_tokens": "tok_embeddings", "model.": "", "self_attn.q_proj": "attention.wq",
        "self_attn.k_proj": "attention.wk", "self_attn.v_proj": "attention.wv",
        "self_attn.o_proj": "attention.wo", "mlp.gate_proj": "feed_forward.w1",
        "mlp.down_proj": "feed_forward.w2", "mlp.up_proj": "feed_forward.w3",
        "input_layernorm": "attention_norm", "post_attention_layernorm": "ffn_norm",
        "lm_head": "output"}


def small(name: str = "llama-2-7b") -> Model:
    """A model of few small layers."""
    return with_overrides(load(name), {"L": 3, "d_model": 16, "n_heads": 4, "d_head": 4,
                                       "d_ff": 24, "V": 40, "n_kv": 4})


def tensors(model: Model) -> dict[str, Shape]:
    """The model's own names and shapes."""
    return dict(expected(model)[0].tensors)


def meta(name: str) -> str:
    """A name as Meta's code has it."""
    for ours, theirs in META.items():
        name = name.replace(ours, theirs)
    return name


def opaque(name: str) -> str:
    """A name that says nothing."""
    words = [part if part.isdigit() else f"x{sum(map(ord, part)) % 997}"
             for part in name.split(".")]
    return ".".join(words)


def answer(tmp_path: Path, capsys: pytest.CaptureFixture[str], held: dict[str, Shape],
           ) -> tuple[int, Any, str]:
    """Exit code, JSON and text of a check of a small model."""
    path = write(tmp_path / "own.safetensors", held)
    line = ["check", "llama-2-7b", str(path), "L=3", "d_model=16", "n_heads=4", "d_head=4",
            "d_ff=24", "V=40", "n_kv=4"]
    code = run([*line, "--json"])
    data = json.loads(capsys.readouterr().out)
    run(line)
    return code, data, " ".join(capsys.readouterr().out.split())


def test_other_names_are_proposed_and_not_called_equal(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = tensors(small())
    code, data, text = answer(tmp_path, capsys, {meta(n): s for n, s in ours.items()})
    found = data["blind"]
    assert code == 1
    assert not data["equal"]
    assert (found["agrees"], found["turned"]) == (True, False)
    assert found["same"] == {"tensors": len(ours), "numel": data["total"]}
    assert {tuple(p["names"]): tuple(p["found"]) for p in found["proposals"]} == {
        (star(n),): (star(meta(n)),) for n in ours if n != "model.norm.weight"}  # (it is known)
    assert all(p["why"] != "open" for p in found["proposals"])
    assert "all shapes agree" in text
    assert "Which may be which is a proposal" in text


def star(name: str) -> str:
    """A name with its layer as ``*``."""
    return ".".join("*" if part.isdigit() else part for part in name.split("."))


def test_names_that_say_nothing_leave_it_open(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = tensors(small())
    _, data, text = answer(tmp_path, capsys, {opaque(n): s for n, s in ours.items()})
    found = data["blind"]
    assert found["agrees"]
    alike = next(p for p in found["proposals"] if p["shape"] == [16, 16])
    assert (len(alike["names"]), len(alike["found"]), alike["why"]) == (4, 4, "open")
    down = next(p for p in found["proposals"] if p["shape"] == [16, 24])
    assert down["why"] == "shape"
    assert "any of these may be any of those" in text


def test_tensors_stored_the_other_way_round(tmp_path: Path,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    held = {meta(n): s[::-1] for n, s in tensors(small()).items()}
    _, data, text = answer(tmp_path, capsys, held)
    assert (data["blind"]["agrees"], data["blind"]["turned"]) == (True, True)
    assert "whichever way round" in text


@pytest.mark.parametrize(("change", "missing", "extra"), [
    (lambda held: held | {"bias": (7,)}, [], [([7], 1)]),
    (lambda held: {n: s for n, s in held.items() if n != "norm.weight"}, [([16], 1)], []),
    (lambda held: {n: (17, 16) if ".wo." in n else s for n, s in held.items()},
     [([16, 16], 3)], [([17, 16], 3)])])
def test_a_shape_without_counterpart_is_left_over(
        change: Callable[[dict[str, Shape]], dict[str, Shape]], missing: list[Any],
        extra: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = change({meta(n): s for n, s in tensors(small()).items()})
    _, data, text = answer(tmp_path, capsys, held)
    found = data["blind"]
    assert not found["agrees"]
    assert [(row["shape"], row["copies"]) for row in found["missing"]] == missing
    assert [(row["shape"], row["copies"]) for row in found["extra"]] == extra
    assert "all shapes agree" not in text
    assert "have a counterpart of their shape" in text


def test_another_model_has_no_proposal() -> None:
    other = {opaque(n): (s[0] + 1, *s[1:]) for n, s in tensors(small()).items()}
    assert blind(matches(expected(small()), other)) is None


def test_names_that_agree_are_not_proposed(tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    held = {f"wrapped.{n.replace('mlp.up_proj', 'mlp.fc_up')}": s
            for n, s in tensors(small()).items()}
    _, data, _ = answer(tmp_path, capsys, held)
    assert [(p["names"], p["found"]) for p in data["blind"]["proposals"]] == [
        (["model.layers.*.mlp.up_proj.weight"], ["wrapped.model.layers.*.mlp.fc_up.weight"])]
    exact = {f"wrapped.{n}": s for n, s in tensors(small()).items()}
    assert answer(tmp_path, capsys, exact)[1]["blind"] is None


def opaque_opt() -> dict[str, Shape]:
    """OPT under names that say nothing, its feed-forward turned."""
    return {opaque(n).replace(opaque("bias"), "bias").replace(opaque("weight"), "weight"):
            s[::-1] if ".fc" in n else s for n, s in tensors(load("opt-125m")).items()}


def test_what_is_turned_is_told_by_its_bias() -> None:
    """Each of the two matrices of a network has the other's shape, and the bias of its own."""
    found = blind(matches(expected(load("opt-125m")), opaque_opt()))
    assert found is not None
    assert (found.agrees, found.turned) == (True, True)
    stem = opaque("model.decoder.layers.0").replace(".0", ".*")
    assert {p.names: (p.found, p.why) for p in found.proposals if p.shape == (768, 3072)} == {
        (f"model.decoder.layers.*.{each}.weight",): ((f"{stem}.{opaque(each)}.weight",), "bias")
        for each in ("fc1", "fc2")}


def test_without_biases_names_tell_what_is_turned() -> None:
    held = {f"x.{n.replace('layers', 'l')}": s[::-1] if ".fc" in n else s
            for n, s in tensors(load("opt-125m", bias="none")).items()}
    found = blind(matches(expected(load("opt-125m", bias="none")), held))
    assert found is not None
    assert found.turned
    assert {p.names[0].split(".")[-2]: p.found[0].split(".")[-2] for p in found.proposals
            if p.shape == (768, 3072)} == {"fc1": "fc1", "fc2": "fc2"}


def test_of_layouts_that_leave_as_much_the_one_that_turns_nothing_is_shown() -> None:
    """GPT-2's matrices as outputs by inputs are a layout of its own."""
    held = {opaque(n): s[::-1] if ".c_" in n else s for n, s in tensors(load("gpt2")).items()}
    found = blind(matches(expected(load("gpt2")), held))
    assert found is not None
    assert (found.agrees, found.turned, "not transposed" in found.layout) == (True, False, True)


def stacked(held: dict[str, Shape]) -> dict[str, Shape]:
    """One tensor for each matrix of all layers."""
    return {star(n).replace(".*", ""): (3, *s) if star(n) != n else s for n, s in held.items()}


def test_stacked_layers_are_said_to_be_so(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, data, text = answer(tmp_path, capsys, stacked(tensors(small())))
    found = data["blind"]
    assert (code, found["agrees"], found["stacked"]) == (1, True, True)
    assert found["same"]["numel"] == data["total"] == data["found"]
    down = next(p for p in found["proposals"] if p["shape"] == [3, 16, 24])
    assert (down["names"], down["found"]) == (["model.layers.*.mlp.down_proj.weight"],
                                              ["model.layers.mlp.down_proj.weight"])
    assert "layers stacked" in text
    assert "where a tensor holds a matrix of all layers" in text


def test_sums_that_agree_are_said_where_shapes_do_not(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heads = {opaque(n): (*s[:-1], 2, s[-1] // 2) for n, s in stacked(tensors(small())).items()}
    _, data, text = answer(tmp_path, capsys, heads)
    assert (data["blind"], data["found"]) == (None, data["total"])
    assert "the sums agree" in text
    _, data, text = answer(tmp_path, capsys, heads | {"one": (1,)})
    assert data["found"] == data["total"] + 1
    assert "the sums agree" not in text


@pytest.mark.parametrize(("ours", "theirs", "wanted"), [
    ({"h.0.q_proj.weight": (8, 8), "h.0.mixer.weight": (8, 8), "up.weight": (4, 8)},
     {"x.0.query.weight": (8, 8), "x.0.odd.weight": (8, 8), "a.weight": (4, 8)},
     [("h.*.q_proj.weight", "x.*.query.weight", "name"),
      ("h.*.mixer.weight", "x.*.odd.weight", "rest"), ("up.weight", "a.weight", "shape")]),
    ({"a.weight": (8, 8), "b.weight": (8, 8), "a.bias": (8,)},
     {"x.weight": (8, 8), "y.weight": (8, 8), "y.bias": (8,)},
     [("a.weight", "y.weight", "bias"), ("b.weight", "x.weight", "bias"),
      ("a.bias", "y.bias", "shape")]),
    ({"a.w": (8, 8), "b.w": (8, 8)}, {"x.w": (8, 8), "y.w": (8, 8), "z.w": (8, 8)},
     [("a.w b.w", "x.w y.w z.w", "open")]),
    ({"a.w": (8, 8), "b.w": (8, 8)}, {"x.w": (8, 8), "y.w": (8, 8)},
     [("a.w b.w", "x.w y.w", "open")])])
def test_patterns_are_paired_by_bias_and_name_and_what_is_left_stands_together(
        ours: dict[str, Shape], theirs: dict[str, Shape],
        wanted: list[tuple[str, str, str]]) -> None:
    found = [(" ".join(each.names), " ".join(each.found), each.why)
             for each in _proposals(ours, theirs, False)]
    assert sorted(found) == sorted(wanted)
