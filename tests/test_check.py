"""A model against a checkpoint: headers read, names and shapes compared, differences explained."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from symparam import load, testing
from symparam.check.checkpoint import read_checkpoint
from symparam.check.compare import compare
from symparam.check.expected import expected
from symparam.check.explain import explain
from symparam.check.header import MAX_HEADER, read_header
from symparam.check.module import module_tensors
from symparam.errors import BadValue, SpecError
from symparam.layout import pattern
from symparam.model import Model
from tests.helpers import message, rows

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


@pytest.mark.parametrize("change", [without_prefix, with_prefix, turned, with_masks])
def test_the_same_weights_under_other_names(change: Callable[[Shapes], Shapes]) -> None:
    model = load("gpt2")
    result = compare(expected(model), change(tensors(model)))
    assert result.equal
    assert result.numel == 124_439_808
    told = {"without_prefix": "-transformer.", "with_prefix": "module."}
    assert result.prefix == told.get(change.__name__, "")
    assert bool(result.transposed) == (change is turned)
    assert sum(row.copies for row in result.beside) == (13 if change is with_masks else 0)


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
    ("llama-2-70b", lambda: tensors(load("llama-2-70b", n_kv=16)), "n_kv=16"),
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
    "a list": (raw(2, b"[]"), "table"), "twice": (raw(17, b'{"a": {},"a": {}}'), "twice"),
    "deep": (raw(20_000, b"[" * 20_000), "nested"),
    "no shape": (raw(9, b'{"a": {}}'), "shape"), "a number": (raw(8, b'{"a": 1}'), "table"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_header_is_one_clear_line(case: str, tmp_path: Path) -> None:
    body, words = HOSTILE[case]
    path = tmp_path / "x.safetensors"
    path.write_bytes(body)
    with pytest.raises(SpecError) as caught:
        read_header(path)
    assert words in message(caught.value)


@pytest.mark.parametrize(("entry", "words"), [
    ({"shape": [True]}, "whole numbers"), ({"shape": [-1]}, "whole numbers"),
    ({"shape": [10**30]}, "whole numbers"), ({"shape": "1"}, "whole numbers"),
    ({"shape": [2.0]}, "whole numbers"), ({"data_offsets": [0]}, "not inside"),
    ({"data_offsets": [0, 10**9]}, "not inside"), ({"data_offsets": [6, 2]}, "not inside"),
    ({"dtype": "F32"}, "does not fill"), ({"shape": [4]}, "does not fill")])
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
    assert "extra: transformer.h.*.mlp.c_fc.bias 3072 (12 of them)" in text
    assert "explained by: biases: qkv,attn-out,ffn (--bias qkv,attn-out,ffn)" in text
    with pytest.raises(BadValue, match="named_parameters"):
        testing.assert_matches(3, "gpt2")


def test_numbers_in_names_become_stars() -> None:
    assert pattern("h.0.ln_1.weight") == "h.*.ln_1.weight"
    assert pattern("layers.12.experts.3.w1.weight") == "layers.*.experts.*.w1.weight"
