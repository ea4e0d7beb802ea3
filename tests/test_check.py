"""A model against a checkpoint: headers read, names and shapes compared, differences explained."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import symparam.cli.main
from symparam import load, testing
from symparam.checkpoints.bundles import opened
from symparam.checkpoints.checkpoint import read_checkpoint
from symparam.checkpoints.compare import _containers, _may_be_beside, compare, known_beside
from symparam.checkpoints.expected import expected
from symparam.checkpoints.explain import explain
from symparam.checkpoints.header import MAX_HEADER, MAX_TENSORS, read_header
from symparam.checkpoints.module import module_tensors
from symparam.checkpoints.prefix import Prefix, common_prefix
from symparam.checkpoints.spellings import RULES, _may_apply
from symparam.descriptions.config import read_config
from symparam.descriptions.lookup import known_model_types
from symparam.errors import BadValue, SpecError
from symparam.layout import pattern
from symparam.model import Model
from tests.helpers import Line, config_folder, message, rows, together, truth

Shapes = dict[str, tuple[int, ...]]


def write(path: Path, tensors: Mapping[str, Any], **entry: Any) -> Path:
    """A safetensors file with these shapes, its weights a hole in the file."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in tensors.items():
        start = end
        numel = 2
        for side in shape:
            numel *= side
        end += numel
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [start, end]} | entry
    raw = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(raw).to_bytes(8, "little") + raw)
        file.truncate(8 + len(raw) + end)
    return path


def tensors(model: Model) -> Shapes:
    """The tensors of a model under its own layout."""
    return dict(expected(model)[0].tensors)


MIXTURE: dict[str, Any] = {
    "model_type": "deepseek_v3", "vocab_size": 101, "hidden_size": 24, "intermediate_size": 31,
    "moe_intermediate_size": 7, "num_hidden_layers": 4, "num_attention_heads": 3,
    "num_key_value_heads": 3, "n_routed_experts": 4, "num_experts_per_tok": 2,
    "first_k_dense_replace": 1, "q_lora_rank": 11, "kv_lora_rank": 13, "qk_nope_head_dim": 5,
    "qk_rope_head_dim": 6, "v_head_dim": 17, "num_nextn_predict_layers": 1, "n_group": 1,
    "topk_group": 1}


@pytest.fixture
def mixture(tmp_path: Path) -> Path:
    """A small mixture's config.json."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(MIXTURE))
    return path


@pytest.mark.parametrize("name", ["gpt2", "llama-2-70b", "bert-base", "perseid", "gopher-44m"])
def test_a_model_is_equal_to_its_own_tensors(name: str, tmp_path: Path) -> None:
    model = load(name)
    found = read_checkpoint(write(tmp_path / "model.safetensors", tensors(model)))
    result = compare(expected(model), found)
    assert result.equal
    assert (result.matched, result.numel) == (len(found), model.count())
    assert rows(model) == counted(found)


def counted(found: Shapes) -> dict[tuple[str, tuple[int, ...]], int]:
    """Rows of tensors, counted here."""
    result: dict[tuple[str, tuple[int, ...]], int] = {}
    for name, shape in found.items():
        words = ["*" if word.isdigit() else word for word in name.split(".")]
        key = ".".join(words), shape
        result[key] = result.get(key, 0) + 1
    return result


def as_built(record: dict[str, Any]) -> Shapes:
    """The state dict of the module of a record: layers by their numbers."""
    return {name.replace("*", str(number)): tuple(shape)
            for name, shape, copies in record["tensors"] for number in range(copies)}


#: Records whose names have one number at most, each from 0 to the same one: a matrix that not
#: all layers have would be of layers that the record does not name.
BUILT = [record for record in truth() if record["model_type"] in known_model_types()
         and record["total"] < 10**11
         and len({copies for _, _, copies in record["tensors"] if copies > 1}) == 1 and all(
             shape is not None and name.count("*") == (copies > 1)
             for name, shape, copies in record["tensors"])]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("record", [
    pytest.param(r, id=r["id"], marks=() if i % 6 == 0 else pytest.mark.slow)
    for i, r in enumerate(BUILT)])
def test_what_transformers_builds_is_equal_to_its_configuration(
        record: dict[str, Any], tmp_path: Path) -> None:
    """The tensors are those that the module had, not those that are expected here."""
    model = read_config(record["id"], record["config"], record["id"])
    if model.part == "text":
        pytest.skip("the record is of all parts")
    found = read_checkpoint(write(tmp_path / "model.safetensors", as_built(record)))
    result = compare(expected(model), found)
    assert result.equal, (result.missing[:3], result.extra[:3])
    assert (result.matched, result.numel) == (len(found), record["total"])
    name = max(found, key=lambda n: len(found[n]))
    assert not compare(expected(model), {**found, name: (*found[name][:-1], 7)}).equal
    assert not compare(expected(model), {n: s for n, s in found.items() if n != name}).equal


#: GPT-2's first and last tensors as its published file has them, written by hand from it.
GPT2 = {"wte.weight": (50257, 768), "wpe.weight": (1024, 768), "ln_f.weight": (768,),
        "ln_f.bias": (768,), **{f"h.{i}.{name}": shape for i in range(12) for name, shape in {
            "ln_1.weight": (768,), "ln_1.bias": (768,), "attn.c_attn.weight": (768, 2304),
            "attn.c_attn.bias": (2304,), "attn.c_proj.weight": (768, 768),
            "attn.c_proj.bias": (768,), "ln_2.weight": (768,), "ln_2.bias": (768,),
            "mlp.c_fc.weight": (768, 3072), "mlp.c_fc.bias": (3072,),
            "mlp.c_proj.weight": (3072, 768), "mlp.c_proj.bias": (768,),
            "attn.bias": (1, 1, 1024, 1024)}.items()}}


def test_gpt2_as_it_is_published() -> None:
    result = compare(expected(load("gpt2")), GPT2)
    assert result.equal
    assert result.numel == 124_439_808
    assert result.prefix == Prefix("", "transformer.")
    assert sum(row.copies for row in result.beside) == 12


def without_prefix(found: Shapes) -> Shapes:
    return {name.removeprefix("transformer."): shape for name, shape in found.items()}


def with_prefix(found: Shapes) -> Shapes:
    return {f"module.{name}": shape for name, shape in found.items()}


def turned(found: Shapes) -> Shapes:
    return {name: shape[::-1] if "c_" in name and len(shape) == 2 else shape
            for name, shape in found.items()}


def with_masks(found: Shapes) -> Shapes:
    masks = {f"transformer.h.{i}.attn.bias": (1, 1, 1024, 1024) for i in range(12)}
    return found | masks | {"transformer.h.0.attn.masked_bias": ()}


@together(("name", "shape"), [
    ("attn.bias", (2304,)), ("c_extra.attn.bias", (768, 768)), ("attn.bias", (1, 1, 1024, 1023)),
    ("attn.bias", (2, 1, 8, 8)), ("attn.masked_bias", (768, 2)),
    ("attn.rotary_emb.weight", (64, 64)), ("embeddings.position_ids", (3, 5))])
def test_what_is_only_called_a_mask_is_no_mask(name: str, shape: tuple[int, ...]) -> None:
    model = load("gpt2")
    result = compare(expected(model), tensors(model) | {f"transformer.h.0.{name}": shape})
    assert not result.equal
    assert [row.shape for row in result.extra] == [shape]


@pytest.mark.parametrize("change", [without_prefix, with_prefix, turned, with_masks])
def test_the_same_weights_under_other_names(change: Callable[[Shapes], Shapes]) -> None:
    model = load("gpt2")
    result = compare(expected(model), change(tensors(model)))
    assert result.equal
    assert result.numel == 124_439_808
    told = {"without_prefix": Prefix("", "transformer."), "with_prefix": Prefix("module.")}
    assert result.prefix == told.get(change.__name__, Prefix())
    assert bool(result.transposed) == (change is turned)
    assert sum(row.copies for row in result.beside) == (13 if change is with_masks else 0)


@together(("before", "found"), [
    ("model.", "model."), ("base_model.model.", "base_model.model."), ("a.b.c.", "a.b.c."),
    ("a.b.c.d.", "")])
def test_up_to_three_words_may_stand_before_every_name(before: str, found: str) -> None:
    wanted = list(tensors(load("gpt2")))
    assert common_prefix(wanted, [before + name for name in wanted]) == Prefix(found)
    assert common_prefix([before + name for name in wanted], wanted) == Prefix("", found)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("prefix", ["foo.bar.baz.", "model.", "-."])
def test_a_prefix_in_place_of_the_models_is_said_and_not_explained_by_an_option(
        prefix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {n.replace("transformer.", prefix): s for n, s in tensors(load("gpt2")).items()}
    file = str(write(tmp_path / "model.safetensors", found))
    code, data = ran(capsys, "gpt2", file)
    assert (code, data["prefix"], data["instead_of"]) == (0, prefix, "transformer.")
    assert data["explanations"] == []
    symparam.cli.main.run(["check", "gpt2", file])
    said = " ".join(capsys.readouterr().out.split())
    assert f"with the prefix {prefix}, where the model has transformer." in said
    code, data = ran(capsys, "gpt2", str(write(tmp_path / "model.safetensors", {
        **found, "lm_head.weight": (50257, 768)})))
    assert (code, [each["option"] for each in data["explanations"]]) == (1, ["--untied"])


def test_a_few_names_that_end_alike_make_no_prefix() -> None:
    wanted = ["model.norm.weight", "model.a.weight", "model.b.weight", "model.c.weight"]
    some = ["other.norm.weight", "other.a.weight", "other.d.weight", "other.e.weight"]
    assert common_prefix(wanted, some) == Prefix()
    assert common_prefix(wanted, [*some, "other.b.weight"]) == Prefix("other.", "model.")
    layers = [f"model.layers.{i}.w" for i in range(4)]  # (a word of all layers is none's own)
    assert common_prefix(layers, [f"x{i}.w" for i in range(4)]) == Prefix()


def test_a_layout_is_named_where_a_name_of_it_is_there(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for found, layout in (({"x": (3,)}, None), ({"transformer.ln_f.bias": (3,)}, "transformers")):
        file = str(write(tmp_path / "model.safetensors", found))
        assert (ran(capsys, "gpt2", file)[1]["layout"] or "").startswith(layout or "")
        symparam.cli.main.run(["check", "gpt2", file])
        assert ("layout:" in capsys.readouterr().out) == (layout is not None)


def test_every_name_found_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = {"": "''", " ": "' '", "\t\x01": r"\t\x01", "\u200b": r"\u200b", "\u3164": r"\u3164"}
    found = tensors(load("gpt2")) | {name: (3 + i,) for i, name in enumerate(odd)}
    symparam.cli.main.run(["check", "gpt2", str(write(tmp_path / "model.safetensors", found))])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    shown = {int(line[-2]): line[1:-2] for line in lines if line[:1] == ["extra"]}
    assert shown == {3 + i: name.split() for i, name in enumerate(odd.values())}


def test_experts_one_by_one_and_queries_apart_are_the_same_weights(mixture: Path) -> None:
    model = load(str(mixture))
    layouts = expected(model)
    assert len(layouts) > 1
    for each in layouts:
        result = compare(layouts, each.tensors)
        assert result.equal
        assert result.layout == each.layout
    apart = {name for each in layouts for name in each.tensors}
    assert "model.layers.1.mlp.experts.3.gate_proj.weight" in apart
    assert "model.layers.0.mlp.experts.3.gate_proj.weight" not in apart
    gpt2 = expected(load("gpt2"))
    apart_too = next(each for each in gpt2 if "apart" in each.layout.name)
    assert compare(gpt2, apart_too.tensors).layout == apart_too.layout


def test_of_layouts_that_fit_alike_the_models_own_is_shown() -> None:
    twice = [expected(load("gpt2"))[0], expected(load("llama-2-7b"))[0]]
    found = {"x": (1,)}
    shared = min(len(each.tensors) for each in twice)
    twice = [replace(each, tensors=dict([*each.tensors.items()][:shared])) for each in twice]
    for first, second in (twice, twice[::-1]):
        assert compare([first, second], found).missing == compare([first], found).missing


def test_buffers_may_be_there_or_not(mixture: Path) -> None:
    model = load(str(mixture))
    full = tensors(model)
    bare = {name: shape for name, shape in full.items() if "correction_bias" not in name}
    assert len(full) - len(bare) == 3
    assert compare(expected(model), bare).equal
    assert compare(expected(model), full).equal


def padded(found: Shapes) -> Shapes:
    return {name: (50304, *shape[1:]) if "wte" in name else shape
            for name, shape in found.items()}


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "changed", "option"), [
    ("gpt2", lambda: tensors(load("gpt2", tied=False)), "--untied"),
    ("llama-2-7b", lambda: tensors(load("llama-2-7b", tied=True)),
     "--tied --as base"),  # the tensors are those of either
    ("llama-2-7b", lambda: tensors(load("llama-2-7b", bias="qkv")), "--bias qkv"),
    ("gpt2", lambda: tensors(load("gpt2", bias="qkv,ffn")), "--bias qkv,ffn"),
    ("llama-2-7b", lambda: tensors(load("llama-2-7b", qk_norm=True)), "--qk-norm"),
    ("perseid", lambda: tensors(load("perseid", qk_norm=False)), "--no-qk-norm"),
    ("gpt2", lambda: padded(tensors(load("gpt2"))), "V=50304"),
    ("llama-2-7b", lambda: tensors(load("llama-2-7b", L=40)), "L=40"),
    ("llama-2-70b", lambda: tensors(load("llama-2-70b", n_kv=16)), "n_heads=32 n_kv=16"),
    ("llama-2-7b", lambda: tensors(load("llama-2-7b", d_ff=11264)), "d_ff=11264"),
    ("bert-base", lambda: tensors(load("bert-base", task="mlm")), "--as causal --as mlm"),
])
def test_the_single_option_that_explains_a_difference(
        name: str, changed: Callable[[], Shapes], option: str) -> None:
    model, found = load(name), changed()
    result = compare(expected(model), found)
    assert not result.equal
    reasons = explain(model, result, found, lambda task, mtp: load(name, task=task, mtp=mtp))
    assert " ".join(each.option for each in reasons) == option


def test_prediction_layers_explain_themselves(mixture: Path) -> None:
    path, model = str(mixture), load(str(mixture))
    found = tensors(load(path, mtp=True))
    result = compare(expected(model), found)
    assert not result.equal
    reasons = explain(model, result, found, lambda task, mtp: load(path, task=task, mtp=mtp))
    assert [each.option for each in reasons] == ["--mtp"]


def test_what_no_single_option_explains_is_left_unexplained() -> None:
    model = load("gpt2")
    found = tensors(load("gpt2", tied=False, bias="none"))
    result = compare(expected(model), found)
    assert not result.equal
    assert explain(model, result, found) == []


MUTATIONS: dict[str, Callable[[Shapes], Shapes]] = {
    "lost": lambda t: {n: s for n, s in t.items() if n != "transformer.wpe.weight"},
    "renamed": lambda t: {n.replace("wpe", "wpq"): s for n, s in t.items()},
    "wider": lambda t: {n: (s[0], s[1] + 1) if "c_fc.weight" in n else s for n, s in t.items()},
    "one more layer": lambda t: t | {n.replace(".h.0.", ".h.12."): s for n, s in t.items()},
    "a tensor more": lambda t: t | {"transformer.h.3.extra.weight": (768,)},
    "one dim less": lambda t: {n: s[:1] if "wte" in n else s for n, s in t.items()},
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_difference_is_noticed(mutation: str) -> None:
    model = load("gpt2")
    assert not compare(expected(model), MUTATIONS[mutation](tensors(model))).equal


def test_an_index_and_its_shards(tmp_path: Path) -> None:
    model = load("gpt2")
    everything = list(tensors(model).items())
    parts = {"a.safetensors": dict(everything[:70]), "b.safetensors": dict(everything[70:])}
    for file, part in parts.items():
        write(tmp_path / file, part)
    index = tmp_path / "model.safetensors.index.json"
    names = {name: file for file, part in parts.items() for name in part}
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": names}))
    for against in (index, tmp_path):
        assert compare(expected(model), read_checkpoint(against)).equal
    index.unlink()
    assert compare(expected(model), read_checkpoint(tmp_path)).equal
    index.write_text(json.dumps({"weight_map": {**names, "lost.weight": "a.safetensors"}}))
    with pytest.raises(SpecError, match=r"lost\.weight: is not in a\.safetensors"):
        read_checkpoint(index)


def test_files_that_are_missing_are_said_before_one_is_read(tmp_path: Path) -> None:
    index = tmp_path / "model.safetensors.index.json"
    (tmp_path / "a.safetensors").write_text("no such file")
    for lost, why in (("b", "b.safetensors of its 2 files is"), (
            "bcdef", "b.safetensors, c.safetensors, d.safetensors and 2 more of its 6 files are")):
        index.write_text(json.dumps({"weight_map": {
            f"{name}.weight": f"{name}.safetensors" for name in ("a", *lost)}}))
        with pytest.raises(SpecError, match=f"index.json: {why} not beside it"):
            read_checkpoint(index)


def test_no_name_of_a_checkpoint_is_worked_on_anew_by_each_layout() -> None:
    """What is kept of the names has room for all that a file may have, or it keeps none."""
    for kept in (pattern, _may_apply, _may_be_beside):
        assert (kept.cache_parameters()["maxsize"] or 0) >= MAX_TENSORS


@pytest.mark.parametrize("shard", ["../a.safetensors", "/etc/passwd", "sub/a.safetensors", "a.bin",
                                   "..", "", "a\\b.safetensors", "\0.safetensors"])
def test_a_path_in_an_index_stays_in_its_folder(shard: str, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    write(tmp_path / "a.safetensors", {"x": (1,)})
    index = inner / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"x": shard}}))
    with pytest.raises(SpecError, match="own folder"):
        read_checkpoint(index)


def raw(length: int, body: bytes) -> bytes:
    return length.to_bytes(8, "little") + body


HOSTILE = {
    "empty": (b"", "is empty"), "short": (b"\x01", "header"),
    "a length past the end": (raw(100, b"{}"), "100 bytes"),
    "a huge length": (raw(2**63, b"{}"), "bytes long"),
    "no json": (raw(3, b"{{{"), "not JSON"), "no text": (raw(2, b"\xff\xfe"), "no text"),
    "a list": (raw(2, b"[]"), "table"),
    "deep": (raw(20_000, b"[" * 20_000), "is a list"),
    "deep inside": (raw(4_008, b'{"a": {"b": ' + b"[" * 3_994 + b"}}"), "nested too deeply"),
    "a table in a table": (raw(24, b'{"a": {"b": {}, "c": 1}}'), "a table in a table"),
    "no end": (raw(13, b'{"a": {"b": 1'), "without an end"),
    "more after it": (raw(6, b"{} {} "), "not JSON"), "no comma": (raw(4, b'{"a"'), "not JSON"),
    "a long name": (raw(3_008, b'{"' + b"a" * 3_000 + b'": {}}'), "name of one tensor"),
    "a long entry": (raw(5_013, b'{"a": {"' + b"b" * 5_000 + b'":1}}'), "4,096 bytes"),
    "no shape": (raw(9, b'{"a": {}}'), "shape"), "a number": (raw(8, b'{"a": 1}'), "table"),
}


@together("case", HOSTILE)
def test_a_hostile_header_is_one_clear_line(case: str, tmp_path: Path) -> None:
    body, words = HOSTILE[case]
    path = tmp_path / "x.safetensors"
    path.write_bytes(body)
    with pytest.raises(SpecError) as caught:
        read_header(path)
    assert words in message(caught.value)
    assert message(caught.value).startswith(f"{path}: ")


@together(("spans", "room", "words"), [
    ([(0, 8), (4, 12)], 12, "b: begins at byte 4, and what stands before it ends at 8"),
    ([(0, 8), (12, 20)], 20, "b: begins at byte 12, and what stands before it ends at 8"),
    ([(0, 8), (8, 16)], 111, "95 bytes of the file are no tensor's"),
    ([(0, 8), (0, 8)], 8, "b: begins at byte 0")])
def test_bytes_of_two_tensors_or_of_none_are_refused(
        spans: list[tuple[int, int]], room: int, words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    head = json.dumps({name: {"dtype": "F32", "shape": [2], "data_offsets": span}
                       for name, span in zip("ab", spans, strict=True)}).encode()
    path.write_bytes(raw(len(head), head + bytes(room)))
    with pytest.raises(SpecError) as caught:
        read_header(path)
    assert words in message(caught.value)


def test_tensors_may_stand_in_any_order_and_empty_ones_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    head = json.dumps({name: {"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]}
                       for name, start, end in (("b", 3, 5), ("n", 3, 3), ("a", 0, 3))}).encode()
    path.write_bytes(raw(len(head), head + bytes(5)))
    assert read_header(path) == {"b": (2,), "n": (0,), "a": (3,)}


@together(("entry", "words"), [
    ({"shape": [True]}, "whole numbers"), ({"shape": [-1]}, "whole numbers"),
    ({"shape": [10**30]}, "whole numbers"), ({"shape": "1"}, "whole numbers"),
    ({"shape": [2.0]}, "whole numbers"), ({"data_offsets": [0]}, "not inside"),
    ({"data_offsets": [0, 10**9]}, "not inside"), ({"data_offsets": [6, 2]}, "not inside"),
    ({"dtype": "F32"}, "does not fill"), ({"shape": [4]}, "does not fill"),
    ({"dtype": "F33"}, "a.dtype: \"F33\" is none of"), ({"dtype": None}, "a.dtype: null is none")])
def test_a_hostile_entry_is_one_clear_line(
        entry: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors", {"a": (3,)}, **entry)
    with pytest.raises(SpecError) as caught:
        read_header(path)
    assert words in message(caught.value)


def test_a_long_header_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    with path.open("wb") as file:
        file.write((MAX_HEADER + 1).to_bytes(8, "little"))
        file.truncate(MAX_HEADER + 100)
    tracemalloc.start()
    with pytest.raises(SpecError, match="more than"):
        read_header(path)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("what", ["missing.safetensors", "folder", "model.bin"])
def test_nothing_to_read_is_said(what: str, tmp_path: Path) -> None:
    path = tmp_path / what
    if what == "folder":
        path.mkdir()
    with pytest.raises(SpecError) as caught:
        read_checkpoint(path)
    assert what in message(caught.value)


class Parameter:
    """What a module's parameter needs to have."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


class Module:
    """A module of GPT-2's tensors whose head shares the embedding, with a buffer."""

    def __init__(self, found: Shapes) -> None:
        self.held = {name: Parameter(shape) for name, shape in found.items()}

    def named_parameters(self, remove_duplicate: bool = True) -> Any:
        """Names with parameters; the shared one twice where asked for."""
        shared = {"lm_head.weight": self.held["transformer.wte.weight"]}
        return list((self.held if remove_duplicate else self.held | shared).items())

    def state_dict(self) -> dict[str, Parameter]:
        """Everything that a checkpoint would hold."""
        mask = {"transformer.h.0.attn.bias": Parameter((1, 1, 4, 4))}
        return dict(self.named_parameters(remove_duplicate=False)) | mask


def test_a_module_matches_or_the_message_says_why_not() -> None:
    module = Module(tensors(load("gpt2")))
    assert "lm_head.weight" not in module_tensors(module)
    testing.assert_matches(module, "gpt2")
    testing.assert_matches(module, load("gpt2"))
    with pytest.raises(AssertionError) as caught:
        testing.assert_matches(module, load("gpt2", bias="qkv"))
    text = str(caught.value)
    assert "48 tensors differ" not in text
    assert "extra: transformer.h.{0-11}.mlp.c_fc.bias 3072 (12 of them)" in text
    assert "explained by: biases: qkv,attn-out,ffn (--bias qkv,attn-out,ffn)" in text
    with pytest.raises(BadValue, match="named_parameters"):
        testing.assert_matches(3, "gpt2")


@pytest.mark.parametrize(("missing", "more"), [(12, []), (13, ["  and 1 row more"]),
                                               (14, ["  and 2 rows more"])])
def test_a_message_shows_a_dozen_of_what_differs(missing: int, more: list[str]) -> None:
    whole = tensors(load("gpt2"))
    first = [name for name in whole if ".0." in name or "ln_f" in name][:missing]
    with pytest.raises(AssertionError) as caught:
        testing.assert_matches(
            Module({name: whole[name] for name in whole if name not in first}), "gpt2")
    lines = str(caught.value).splitlines()
    assert sum(line.startswith("  missing: ") for line in lines) == 12
    assert [line for line in lines if line.endswith(" more")] == more


def test_rules_of_spelling_are_asked_for_where_one_applies() -> None:
    """Asked at once for all of them, as one by one."""
    words = ["LayerNorm", "gamma", "emb_ln", "x", "experts", "3", "w1", "", "encoder", "layer",
             "vision_tower", "vision_model", "conv1", "weight", "new", "A_log", "f_a_proj", "attn"]
    for first in words:
        for name in (f"{first}.{second}.{third}" for second in words for third in words):
            assert _may_apply(name) == any(rule.search(name) for rule, _ in RULES), name


def test_numbers_in_names_become_stars() -> None:
    assert pattern("h.0.ln_1.weight") == "h.*.ln_1.weight"
    assert pattern("layers.12.experts.3.w1.weight") == "layers.*.experts.*.w1.weight"


# --- files as they are published -----------------------------------------------------------

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 101,
    "hidden_size": 24, "intermediate_size": 31, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2}
MIXTRAL: dict[str, Any] = LLAMA | {
    "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "num_local_experts": 4,
    "num_experts_per_tok": 2}

#: How Mixtral's published files call what the modules call otherwise.
PUBLISHED = ((".mlp.", ".block_sparse_moe."), (".gate_proj.", ".w1."), (".down_proj.", ".w2."),
             (".up_proj.", ".w3."), ("moe.router.", "moe.gate."))
UP = "model.layers.1.block_sparse_moe.experts.2.w3.weight"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[dict[str, Any]], str]:
    """Write a configuration; the path of its folder."""

    def made(config: dict[str, Any]) -> str:
        path = tmp_path / config["model_type"]
        path.mkdir(exist_ok=True)
        (path / "config.json").write_text(json.dumps(config))
        return str(path)

    return made


def published(model: Model) -> Shapes:
    """A mixture's tensors as published: experts one by one, under other names."""
    apart = next(each for each in expected(model) if "one by one" in each.layout.name)
    found: Shapes = {}
    for name, shape in apart.tensors.items():
        for own, theirs in PUBLISHED:
            name = name.replace(own, theirs)
        found[name] = shape
    return found


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    """Exit code and JSON of a check."""
    code = symparam.cli.main.run(["check", *words, "--json"])
    out = capsys.readouterr()
    return code, json.loads(out.out) if out.out else out.err


def one_turned(found: Shapes) -> Shapes:
    return found | {UP.replace("block_sparse_moe.experts.2.w3", "mlp.up_proj"): (24, 31)}


def all_turned(found: Shapes) -> Shapes:
    return {name: shape[::-1] for name, shape in found.items()}


@pytest.mark.parametrize("change", [one_turned, all_turned])
def test_a_weight_that_no_module_of_the_family_stores_so_is_a_difference(
        change: Callable[[Shapes], Shapes], folder: Callable[[dict[str, Any]], str]) -> None:
    model = load(folder(LLAMA))
    found = change(tensors(model))
    result = compare(expected(model), found)
    assert not result.equal
    assert {row.why for row in result.reshaped} == {"stored the other way round"}
    assert sum(row.copies for row in result.reshaped) == sum(
        found[name] != shape for name, shape in tensors(model).items())


def test_one_expert_stored_the_other_way_round_is_a_difference(
        folder: Callable[[dict[str, Any]], str]) -> None:
    model = load(folder(MIXTRAL))
    result = compare(expected(model), published(model) | {UP: (24, 31)})
    assert [list(row.places()) for row in result.reshaped] == [[(UP, 1)]]


def test_conv1d_weights_are_turned_all_or_none() -> None:
    """A mix of orientations is equal under no layout, not even one by patterns."""
    model = load("gpt2")
    found = tensors(model)
    for some in ("h.3.mlp.c_fc.weight", "mlp.c_fc.weight"):
        mixed = {n: s[::-1] if n.endswith(some) else s for n, s in found.items()}
        result = compare(expected(model), mixed)
        assert result.distance == (1 if "h.3" in some else 12)
        assert not result.transposed
    for layout in expected(model):  # turned as a whole, fused or apart, it is a layout of its own
        assert compare(expected(model), layout.tensors).layout == layout.layout


def test_rows_say_which_copies_differ_in_the_spelling_of_the_file(
        folder: Callable[[dict[str, Any]], str], tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    path = folder(MIXTRAL)
    found = published(load(path))
    lost = [(0, 1), (0, 2), (2, 1), (2, 2), (1, 3)]
    for layer, expert in lost:
        del found[f"model.layers.{layer}.block_sparse_moe.experts.{expert}.w2.weight"]
    del found["model.layers.2.input_layernorm.weight"]
    found |= {"model.layers.7.self_attn.rope.scale": (4,)}
    file = str(write(tmp_path / "model.safetensors", found))
    code, data = ran(capsys, path, file)
    assert code == 1
    rows_of = {row["spelled"]: row for row in (*data["missing"], *data["extra"])}
    down = rows_of["model.layers.*.block_sparse_moe.experts.*.w2.weight"]
    assert down["indices"] == [[[0, 2], [1, 2]], [[1], [3]]]
    assert (down["name"], down["copies"], down["whole"]) == (
        "model.layers.*.mlp.experts.*.down_proj.weight", 5, False)
    assert rows_of["model.layers.*.input_layernorm.weight"]["indices"] == [[[2]]]
    assert rows_of["model.layers.*.self_attn.rope.scale"]["indices"] == [[[7]]]
    assert symparam.cli.main.run(["check", path, file, "--format", "markdown"]) == 1
    shown = capsys.readouterr().out
    for place in ("layers.{0,2}.block_sparse_moe.experts.{1-2}.w2.weight",
                  "layers.1.block_sparse_moe.experts.3.w2.weight", "layers.2.input_layernorm",
                  "layers.7.self_attn.rope.scale"):
        assert place in shown


def test_all_copies_are_one_pattern() -> None:
    model = load("gpt2")
    bare = {name: shape for name, shape in tensors(model).items() if "c_fc.bias" not in name}
    (row,) = compare(expected(model), bare).missing
    assert (list(row.places()), row.whole) == ([("transformer.h.*.mlp.c_fc.bias", 12)], True)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("config", "given", "words"), [
    (LLAMA, {}, ["L=2"]), (LLAMA, {"L": 5}, []), (LLAMA, {"n_kv": 4}, []),
    (LLAMA, {"n_heads": 2}, []), (LLAMA, {"d_ff": 40}, []), (LLAMA, {"V": 128}, []),
    (LLAMA, {"tied": True}, []), (LLAMA, {"bias": "qkv"}, []), (LLAMA, {"qk_norm": True}, []),
    (LLAMA, {"n_kv": 4}, ["L=2"]), (MIXTRAL, {"n_experts": 5}, []), (MIXTRAL, {"L": 4}, []),
    (MIXTRAL, {"n_experts": 5, "tied": True}, []), (MIXTURE, {"n_experts": 6}, []),
    (MIXTURE, {"q_rank": 12}, []), (MIXTURE, {"d_nope": 7}, []), (MIXTURE, {"L": 6}, []),
    (MIXTURE, {"d_expert": 9, "L": 6}, []), (LLAMA, {"L": 5, "V": 102}, [])])
def test_every_explanation_holds_when_it_is_tried_and_a_single_change_has_one(
        config: dict[str, Any], given: dict[str, Any], words: list[str], tmp_path: Path,
        folder: Callable[[dict[str, Any]], str], capsys: pytest.CaptureFixture[str]) -> None:
    path = folder(config)
    changed = load(path, **given)
    has_experts = "n_experts" in changed.dims and config is MIXTRAL
    found = published(changed) if has_experts else tensors(changed)
    file = str(write(tmp_path / "model.safetensors", found))
    code, data = ran(capsys, path, file, *words)
    assert code == 1
    options = [each["option"] for each in data["explanations"]]
    assert len(options) == len(set(options))
    for option in options:
        kept = [word for word in words if word.partition("=")[0] != option.partition("=")[0]]
        assert ran(capsys, path, file, *kept, *option.split())[0] == 0, option
    single = len(given) + len(words) == 1
    assert bool(options) == single
    if single and not words and "tied" not in given and "bias" not in given and (
            "qk_norm" not in given):
        ((name, value),) = given.items()
        assert f"{name}={value}" in options


def test_a_dim_that_was_given_does_not_come_back_with_another_reading(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--as causal`` alone leaves L=3 as it was given: it explains nothing."""
    file = str(write(tmp_path / "model.safetensors", tensors(load("gpt2"))))
    code, data = ran(capsys, "gpt2", file, "L=3")
    assert (code, [each["option"] for each in data["explanations"]]) == (1, ["L=12"])


def test_another_class_explains_a_difference_where_there_is_a_configuration(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A description has no classes: what is only known of a configuration is not tried of it."""
    file = str(write(tmp_path / "model.safetensors", tensors(load("bert-base", task="mlm"))))
    code, data = ran(capsys, "bert-base", file)
    assert (code, [each["option"] for each in data["explanations"]]) == (
        1, ["--as causal", "--as mlm"])
    own = tmp_path / "own.toml"
    own.write_text("[dims]\nV = 10\nL = 2\nd_model = 8\nn_heads = 2\nd_ff = 16\n[[blocks]]\n"
                   "attention = 'mha'\nffn = 'mlp'\nnorm = 'layernorm'\n")
    assert ran(capsys, str(own), str(write(tmp_path / "b.safetensors", tensors(load(own)))))[0] == 0
    other = {**tensors(load(own)), "one.more": (3,)}
    code, data = ran(capsys, str(own), str(write(tmp_path / "c.safetensors", other)))
    assert (code, data["explanations"]) == (1, [])


def test_a_part_of_a_sharded_checkpoint_is_said_to_be_one(tmp_path: Path) -> None:
    model = load("gpt2")
    for number in (1, 3):
        write(tmp_path / f"model-0000{number}-of-00004.safetensors", tensors(model))
    with pytest.raises(SpecError, match="file 1, 3 of 4 of model; 2, 4 are missing"):
        read_checkpoint(tmp_path)
    with pytest.raises(SpecError, match="2, 3, 4 are missing: name the folder"):
        read_checkpoint(tmp_path / "model-00001-of-00004.safetensors")


@pytest.mark.parametrize("names", [
    ("language_model.model.", "model.language_model."),
    ("model.", "model.language_model.")])
def test_the_language_model_of_a_composite_under_older_names(
        names: tuple[str, str], folder: Callable[[dict[str, Any]], str]) -> None:
    older, own = names
    text = {**MIXTURE, "num_nextn_predict_layers": 0, "model_type": "deepseek_v3"}
    model = load(folder({"model_type": "kimi_k25", "text_config": text,
                         "tie_word_embeddings": False}), part="text")
    found = {name.replace(own, older): shape for name, shape in tensors(model).items()}
    found |= {"vision_tower.blocks.0.norm0.weight": (5,)}
    assert any(name.startswith(older) for name in found)
    result = compare(expected(model), found, model.part)
    assert result.equal
    assert sum(row.copies for row in result.beside) == 1


@pytest.mark.parametrize("wrong", [0, 1])
def test_what_a_checkpoint_joins_or_splits(wrong: int,
                                           folder: Callable[[dict[str, Any]], str]) -> None:
    model = load(folder(LLAMA))
    found = tensors(model)
    for layer in range(3):
        stem = f"model.layers.{layer}."
        parts = [found.pop(f"{stem}self_attn.{p}_proj.weight") for p in "qkv"]
        found[f"{stem}attn.Wqkv.weight"] = (sum(s[0] for s in parts) + wrong, 24)
        up, gate = (found.pop(f"{stem}mlp.{p}_proj.weight") for p in ("up", "gate"))
        found[f"{stem}mlp.up_gate_proj.weight"] = (up[0] + gate[0], 24)
    result = compare(expected(model), found)
    assert result.equal == (not wrong)
    assert result.distance == (12 if wrong else 0)  # nine without, three too many
    if not wrong:
        assert (result.matched, result.numel, result.respelled) == (30, model.count(), 6)


def test_parts_that_do_not_fit_are_no_whole() -> None:
    parts = {"a.q_conv1d.weight": (3, 1, 4), "a.k_conv1d.weight": (3, 1, 4)}
    wanted = {"a.conv1d.weight": (9, 1, 4)}
    assert opened(parts, wanted) == {}
    whole = parts | {"a.v_conv1d.weight": (3, 1, 4)}
    assert opened(whole, wanted) == {"a.conv1d.weight": tuple(whole)}
    assert opened(whole | {"a.v_conv1d.weight": (3, 1, 5)}, wanted) == {}
    assert opened(whole, {"a.conv1d.weight": (8, 1, 4)}) == {}


def test_names_from_outside_break_nothing(folder: Callable[[dict[str, Any]], str]) -> None:
    model = load(folder(LLAMA))
    strange = {"*.*": (1,), f"layers.{'9' * 5000}.w": (1,), "layers.*.3.w": (2,), ".": (), "": (3,),
               "model.layers.٣.mlp.up_proj.weight": (4,)}
    result = compare(expected(model), tensors(model) | strange)
    assert result.distance == len(strange)
    assert sum(n for row in result.extra for _, n in row.places()) == len(strange)
    assert explain(model, result, tensors(model) | strange) == []


def test_layers_of_kinds_that_alternate_are_not_renumbered(
        folder: Callable[[dict[str, Any]], str]) -> None:
    """A dense beginning grows and shrinks; which layers are linear is known for four alone."""
    model = load(folder(MIXTURE), L=6)
    assert "model.layers.5.mlp.gate.weight" in tensors(model)
    assert "model.layers.0.mlp.gate.weight" not in tensors(model)
    pattern_of = ["linear_attention", "full_attention"] * 2
    mixed = {"model_type": "qwen3_next", "num_hidden_layers": 4, "layer_types": pattern_of}
    with pytest.raises(BadValue, match="kinds of layer alternate"):
        expected(load(folder(mixed), L=6))


def test_one_is_not_several(line: Line, tmp_path: Path) -> None:
    config_folder("mine", LLAMA)
    file = write(tmp_path / "one.safetensors", {"model.embed_tokens.weight": (101, 24),
                                                "model.rotary_emb.inv_freq": (3,)})
    out = line(f"check mine {file}")[1]
    assert "1 tensor agrees in name and shape" in out
    assert "1 further tensor:" in out
    assert line("solve P=1 --max 1")[1].splitlines()[0].endswith("1 parameter wanted (1)")


def test_a_language_model_is_what_stands_where_its_layers_and_its_head_do() -> None:
    names = ["model.language_model.layers.0.mlp.up_proj.weight", "lm_head.weight"]
    inside = _containers(names)
    assert inside == {"model.language_model.", "lm_head."}
    assert [known_beside(name, (3, 5), "text", inside) for name in (
        *names, "model.other.layers.0.weight", "lm_heads.weight")] == [
            "", "", "outside the text part", "outside the text part"]


def test_names_that_files_are_known_to_have_need_no_exchanged_prefix() -> None:
    """Of a composite most begin with another prefix than in its class, and some with none."""
    model = read_config("fuyu", {"model_type": "fuyu", "tie_word_embeddings": False,
                                 "text_config": {"num_hidden_layers": 2}}, "fuyu")
    candidates = list(expected(model))
    written = {f"language_model.{name}" if name.startswith("lm_head") else name.replace(
        "model.language_model.", "language_model.model.").removeprefix("model."): shape
        for name, shape in candidates[0].tensors.items()}
    assert compare(candidates, written, model.part).equal
