"""Traces of modules that torch and transformers build, held against points of another generator."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from symparam import expression as ex
from symparam.api import Model
from symparam.descriptions.architecture.traced_file import read_trace
from symparam.descriptions.reading.source import parse_toml
from symparam.errors import BadValue
from symparam.traced.model import model_of
from symparam.traced.records import Trace, TracedRow
from symparam.traced.written import toml_of
from symparam.tracing import TraceError, trace
from symparam.tracing.sources.callables import from_callable
from symparam.tracing.sources.target import Target
from symparam.tracing.sources.targets import find_target
from tests.differential.survey.types import shuffled
from tests.traces import Made, Seen, as_taken, copies, faults, tensors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.differential
MODULES = str(Path(__file__).with_name("modules.py"))


def builder(target: Target) -> Made:
    """The tensors that a target builds, read from a state dict."""
    def made(values: Mapping[tuple[str | int, ...], Any]) -> list[Seen]:
        with torch.device("meta"):
            return tensors(target.build(as_taken(target.base, values)))
    return made


def exact(target: Target) -> Trace:
    """A trace that is right at twenty points of sizes and at twenty of structure and sizes."""
    found = trace(target)
    alone, both, wrong = faults(found, builder(target), target.text)
    assert (alone, both, wrong) == (20, 20, [])
    again = read_trace("again.toml", parse_toml(toml_of(found)), "?")
    assert again == found
    assert Model.wrap(model_of(again)).count() == sum(
        row_size(row, found) for row in found.rows if row.status != "buffer"
        and row.tied_to is None)
    return found


def row_size(row: TracedRow, found: Trace) -> int:
    """The numbers in all tensors of a row, where the trace began."""
    dims = {key.name: key.base for key in found.keys if isinstance(key.base, int)}
    return copies(row, dims) * math.prod(int(ex.evaluate(axis, dims)) for axis in row.shape)


def kinds(found: Trace) -> set[str]:
    """What a trace assumes, apart from what is no number and what the target refuses."""
    return {a.kind for a in found.assumptions} - {"switch", "asserted", "range"}


def shapes(found: Trace) -> dict[str, str]:
    """Each row's shape and copies, as text."""
    return {row.pattern: " ".join(f"[{', '.join(map(str, axes))}]"
                                  for axes in (row.shape, row.copies)) for row in found.rows}


@pytest.mark.parametrize(("name", "assumed"), [
    ("GPT", set()), ("Mixture", set()), ("Selective", set()), ("Vision", set()),
    ("Bridged", {"existence"}), ("Stages", set()), ("Novel", set()), ("Growing", {"held"}),
    ("Hostile", {"number", "existence", "decided"})])
def test_a_module_of_ones_own_is_exact(name: str, assumed: set[str]) -> None:
    assert kinds(exact(find_target(f"{MODULES}:{name}", {}))) == assumed


@pytest.mark.parametrize(("name", "given", "assumed"), [
    ("Transformer", {}, set()), ("MultiheadAttention", {"embed_dim": 512, "num_heads": 8}, set()),
    ("MultiheadAttention", {"embed_dim": 512, "num_heads": 8, "kdim": 256, "vdim": 128},
     {"existence"}),  # three matrices are one where all widths are equal
    ("LSTM", {"input_size": 96, "hidden_size": 128, "num_layers": 3}, set()),
    ("LSTM", {"input_size": 96, "hidden_size": 128, "num_layers": 2, "proj_size": 32,
              "bidirectional": True}, set())])
def test_modules_of_torch_are_exact(name: str, given: dict[str, Any], assumed: set[str]) -> None:
    assert kinds(exact(from_callable(getattr(torch.nn, name), given))) == assumed


def test_what_is_found_is_written_as_the_code_has_it() -> None:
    found = shapes(trace(find_target(f"{MODULES}:Novel", {})))
    assert found["blocks.*.up.weight"] == (
        "[2*multiple*up(down(8*d_model/3)/multiple), d_model] [L - up(L/every)]")
    assert found["blocks.*.mix.weight"] == "[d_model, d_model/n_heads, 3] [L - up(L/every)]"
    assert found["blocks.*.*.weight"] == "[rank, d_model] [up(L/every), n_experts]"


def test_ties_buffers_and_frozen_parameters_are_read() -> None:
    rows = {row.pattern: row for row in trace(find_target(f"{MODULES}:Novel", {})).rows}
    assert rows["head.weight"].tied_to == "emb.weight"
    assert rows["blocks.*.table"].status == "buffer"
    assert rows["blocks.*.scale"].status == "frozen"
    assert rows["blocks.*.q.weight"].module == "Linear"


def test_stages_are_told_apart_by_their_number() -> None:
    found = shapes(trace(find_target(f"{MODULES}:Stages", {})))
    assert [found[f"stages.{i}.blocks.*.up.weight"].rpartition(" ")[2] for i in range(4)] == [
        "[L_0]", "[L_1]", "[L_2]", "[L_3]"]


@pytest.mark.parametrize(("widths", "said"), [
    ({}, "d_encoder differs from d_decoder"), ({"d_encoder": 384}, "d_encoder = d_decoder")])
def test_a_bridge_between_widths_is_a_case(widths: dict[str, int], said: str) -> None:
    found = exact(find_target(f"{MODULES}:Bridged", widths))
    assert said in {*map(str, found.checks), *map(str, found.equations)}
    assert ("bridge.weight" in shapes(found)) is ("differs" in said)


@pytest.mark.parametrize("model_type", ["deepseek_v3", "t5", "siglip", "mamba2"])
def test_a_model_type_of_transformers_is_exact(model_type: str) -> None:
    exact(find_target(f"transformers:{model_type}", {}))


@pytest.mark.parametrize("model_type", shuffled()[:5])
def test_a_model_type_decides_nothing_by_lookups_and_texts(model_type: str) -> None:
    found = trace(find_target(f"transformers:{model_type}", {}), points=2)
    assert [a.text for a in found.assumptions if a.kind in ("decided", "disagrees")] == []


def test_a_derived_key_is_open_and_has_its_rule() -> None:
    found = trace(find_target("transformers:llama", {}))
    assert shapes(found)["model.layers.*.self_attn.k_proj.weight"] == "[n_kv*d_head, d_model] [L]"
    assert {"d_head = d_model/n_heads", "n_kv = n_heads"} <= set(map(str, found.equations))
    assert {a.kind for a in found.assumptions} == {"switch", "range"}


def test_a_key_that_code_reads_though_no_field_has_it_is_found_with_its_rule() -> None:
    target = find_target("transformers:qwen3_moe", {})
    found = exact(target)
    assert "d_head = down(d_model/n_heads)" in set(map(str, found.equations))
    assert shapes(found)["model.layers.*.self_attn.q_norm.weight"] == "[d_head] [L]"
    assert kinds(found) == set()


def test_a_key_that_no_field_has_may_be_given() -> None:
    target = find_target("transformers:qwen3_moe", {"head_dim": 80})
    assert target.base["head_dim",] == 80
    assert ("head_dim",) not in target.opened


@pytest.mark.parametrize(("model_type", "name", "said"), [
    ("llama", "hiden_size", "did you mean hidden_size"), ("llama", "d_model", "mean hidden_size"),
    ("siglip", "vision_config.hiden_size", "mean vision_config.hidden_size"),
    ("siglip", "vison_config.hidden_size", "mean vision_config?"),
    ("qwen3_moe", "head_dims", "has no such key")])
def test_a_key_that_nothing_reads_is_refused_with_the_nearest(model_type: str, name: str,
                                                              said: str) -> None:
    with pytest.raises(BadValue, match=said.replace("?", r"\?")):
        find_target(f"transformers:{model_type}", {name: 256})


@pytest.mark.parametrize("name", ["num_labels", "rope_theta", "rope_parameters.rope_theta"])
def test_a_key_under_another_name_is_none_that_nothing_reads(name: str) -> None:
    assert find_target("transformers:llama", {name: 3}).name == "llama"


def test_keys_of_a_file_that_nothing_reads_are_said(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "gpt2", "n_embd": 96, "n_embed": 64, "n_head": 4}))
    notes = find_target(str(path), {}).notes
    assert [note for note in notes if "reads" in note] == [
        "nothing reads these keys of the file: n_embed"]


def test_a_file_of_a_configuration_is_a_target(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({
        "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "vocab_size": 5000,
        "hidden_size": 192, "intermediate_size": 640, "num_hidden_layers": 5, "head_dim": 24,
        "num_attention_heads": 6, "num_key_value_heads": 2, "tie_word_embeddings": True,
        "layer_types": ["full_attention"] * 5, "dtype": "bfloat16"}))
    found = exact(find_target(str(path), {"num_hidden_layers": 4}))
    dims = {key.name: key.base for key in found.keys}
    assert (dims["V"], dims["d_model"], dims["L"]) == (5000, 192, 4)
    assert {row.pattern for row in found.rows if row.tied_to} == {"lm_head.weight"}


@pytest.mark.parametrize(("text", "said"), [
    ("transformers:lama", "is no model type"), (f"{MODULES}:Gpt", "did you mean GPT"),
    ("nowhere.py:Model", "is no file"), ("llama", "write file.py:Model"),
    ("torch.nn:MultiheadAttention", "needs a value: embed_dim=... num_heads=...")])
def test_a_target_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(Exception, match=said.replace("...", r"\.\.\.")):
        find_target(text, {})


def test_a_constructor_that_reads_prints_and_warns_is_traced_in_silence(
        capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder) -> None:
    found = trace(find_target(f"{MODULES}:Talking", {}))
    assert shapes(found) == {"layers.*.0.weight": "[2*d_model, d_model] [L]",
                             "layers.*.0.bias": "[2*d_model] [L]"}
    assert capsys.readouterr() == ("", "")
    assert not recwarn.list


def test_a_module_that_is_built_already_is_refused() -> None:
    with pytest.raises(TraceError, match="give its class"):
        trace(torch.nn.Linear(3, 4))


def test_a_module_that_does_not_build_is_refused() -> None:
    with pytest.raises(TraceError, match="does not build as it is given: AssertionError"):
        trace(find_target(f"{MODULES}:GPT", {"n_head": 7}))


def test_the_oracle_sees_what_is_wrong() -> None:
    target = find_target(f"{MODULES}:Selective", {})
    found, right = trace(target), builder(target)

    def more(seen: list[Seen]) -> list[Seen]:
        return [*seen, ("layers.0.extra", (3,), "trainable")]

    def wider(seen: list[Seen]) -> list[Seen]:
        return [(n, (s[0] + 1, *s[1:]), status) for n, s, status in seen]

    def frozen(seen: list[Seen]) -> list[Seen]:
        return [(n, s, "frozen") for n, s, _ in seen]
    changes: tuple[Callable[[list[Seen]], list[Seen]], ...] = (more, wider, frozen)
    for change in changes:
        assert faults(found, lambda v, change=change: change(right(v)), wanted=3)[2]
    assert sum(copies(row, {k.name: k.base for k in found.keys if isinstance(k.base, int)})
               for row in found.rows) == len(right({k.path: k.base for k in found.keys}))


def test_what_a_class_gives_to_a_configuration_inside_it_is_given_again() -> None:
    """UperNet's backbone has features of four stages by its class, of one by itself."""
    target = find_target("transformers:upernet", {})
    found = tensors(target.build(target.base))
    from transformers import UperNetConfig, UperNetForSemanticSegmentation

    with torch.device("meta"):
        assert sorted(found) == sorted(tensors(UperNetForSemanticSegmentation(UperNetConfig())))
    assert target.strange == ()
