"""GPT-NeoX's YAML: published counts of models that were trained with it, shapes, refusals."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from symparam.cli.main import run
from symparam.descriptions.load import load
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.resolve import with_overrides
from tests.helpers import ledger, message, rows, together

pytest.importorskip("yaml")

PYTHIA: dict[str, Any] = {
    "pipe_parallel_size": 1, "model_parallel_size": 1, "max_position_embeddings": 2048,
    "pos_emb": "rotary", "rotary_pct": 0.25, "no_weight_tying": True, "gpt_j_residual": True,
    "train_micro_batch_size_per_gpu": 32, "optimizer": {"type": "Adam", "params": {"lr": 1e-3}}}
LLAMA: dict[str, Any] = {
    "pos_emb": "rotary", "no_weight_tying": True, "norm": "rmsnorm", "activation": "swiglu",
    "use_bias_in_attn_linear": False, "use_bias_in_mlp": False, "mlp_multiple_of": 256,
    "make_vocab_size_divisible_by": 1}


def sides(layers: int, width: int, heads: int, **more: Any) -> dict[str, Any]:
    """The three keys that every file has."""
    return {"num_layers": layers, "hidden_size": width, "num_attention_heads": heads, **more}


#: Keys, vocabulary, parameters. Pythia: arXiv:2304.01373 (table 1 has those without embeddings) and
#: its model cards; GPT-NeoX-20B: arXiv:2204.06745, section 2; LLaMA: the sums over its checkpoints.
PUBLISHED: list[tuple[str, dict[str, Any], int, int]] = [
    ("pythia-70m", {**PYTHIA, **sides(6, 512, 8)}, 50304, 70_426_624),
    ("pythia-160m", {**PYTHIA, **sides(12, 768, 12)}, 50304, 162_322_944),
    ("pythia-410m", {**PYTHIA, **sides(24, 1024, 16)}, 50304, 405_334_016),
    ("pythia-1b", {**PYTHIA, **sides(16, 2048, 8)}, 50304, 1_011_781_632),
    ("pythia-1.4b", {**PYTHIA, **sides(24, 2048, 16)}, 50304, 1_414_647_808),
    ("pythia-2.8b", {**PYTHIA, **sides(32, 2560, 32)}, 50304, 2_775_208_960),
    ("pythia-6.9b", {**PYTHIA, **sides(32, 4096, 32, model_parallel_size=2)}, 50432, 6_857_302_016),
    ("pythia-12b", {**PYTHIA, **sides(36, 5120, 40, model_parallel_size=4)}, 50688, 11_846_072_320),
    ("20b", {**PYTHIA, **sides(44, 6144, 64, model_parallel_size=2)}, 50432, 20_554_567_680),
    ("llama-7b", {**LLAMA, **sides(32, 4096, 32, intermediate_size=32768)}, 32000, 6_738_415_616),
    ("llama-13b", {**LLAMA, **sides(40, 5120, 40, intermediate_size=40960)}, 32000,
     13_015_864_320),
    ("llama-65b", {**LLAMA, **sides(80, 8192, 64, intermediate_size=65536)}, 32000,
     65_285_660_672)]


def written(folder: Path, keys: dict[str, Any], dashes: bool = False) -> str:
    """A file as the library's own are written: YAML in braces, with a comment."""
    lines = [f'  "{key.replace("_", "-") if dashes else key}": {json.dumps(value)},'
             for key, value in keys.items()]
    path = folder / "model.yml"
    path.write_text("\n".join(["# a model", "{", "  # its sides", *lines, "}"]))
    return str(path)


def total(model: Model) -> int:
    """Its parameters."""
    return sum(tensor.numel for tensor in model.layout.tensors(ledger(model)))


@together("dashes", [False, True])
@together(("name", "keys", "tokens", "count"), PUBLISHED,
                         ids=[each[0] for each in PUBLISHED])
def test_a_published_model_has_its_count(name: str, keys: dict[str, Any], tokens: int, count: int,
                                         dashes: bool, tmp_path: Path) -> None:
    model = load(written(tmp_path, keys, dashes))
    step = keys.get("make_vocab_size_divisible_by", 128) * keys.get("model_parallel_size", 1)
    assert any(f"a multiple of {step}" in text for text in model.left_out)
    assert tokens % step == 0
    assert total(with_overrides(model, {"V": tokens})) == count


@pytest.mark.parametrize("kind", ["yml", "sh"])
def test_what_is_said_of_padding_is_of_the_vocabulary_that_was_taken(
        kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, {**PYTHIA, **sides(24, 1024, 16)})
    if kind == "sh":
        path = str(tmp_path / "x.sh")
        (tmp_path / "x.sh").write_text(
            "python pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
            "--untie-embeddings-and-output-weights --position-embedding-type rope")
    totals = []
    for tokens, more in ((50257, "to a multiple of 128"), (50304, "")):
        assert run(["count", path, f"V={tokens}", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        totals.append(found["total"])
        assert found["dims"]["V"] == tokens
        assert "add V=" not in str(found["left_out"])
        assert any(more in said and f"V = {tokens}" in said and "V=50304" in said
                   for said in found["left_out"]) == bool(more)
    assert totals[1] - totals[0] == 2 * 47 * 1024


def test_shapes_are_those_of_transformers_module(tmp_path: Path) -> None:
    """The family of transformers, which is held against its modules elsewhere."""
    ours = load(written(tmp_path, {**PYTHIA, **sides(24, 1024, 16), "padded_vocab_size": 50304}))
    shapes = [Counter(), Counter()]  # type: list[Counter[Any]]
    for found, model in zip(shapes, (ours, load("pythia-410m")), strict=True):
        for (_, shape), copies in rows(model).items():
            found[shape] += copies
    assert shapes[0] == shapes[1]
    assert {"layers.*.attention.query_key_value.weight", "layers.*.mlp.linear1.bias",
            "layers.*.post_attention_layernorm.weight", "norm.weight", "final_linear.weight",
            "word_embeddings.weight"} <= {name for name, _ in rows(ours)}


def test_gates_groups_and_scales_have_their_places(tmp_path: Path) -> None:
    keys = {**LLAMA, **sides(2, 64, 4, num_kv_heads=2, padded_vocab_size=90), "mlp_multiple_of": 8,
            "intermediate_size": 240}
    assert rows(load(written(tmp_path, keys))) == {
        ("word_embeddings.weight", (90, 64)): 1, ("final_linear.weight", (90, 64)): 1,
        ("norm.scale", (64,)): 1, ("layers.*.input_layernorm.scale", (64,)): 2,
        ("layers.*.post_attention_layernorm.scale", (64,)): 2,
        ("layers.*.attention.query_key_value.weight", (128, 64)): 2,
        ("layers.*.attention.dense.weight", (64, 64)): 2,
        ("layers.*.mlp.linear1.weight", (160, 64)): 2,
        ("layers.*.mlp.linear2.weight", (64, 80)): 2}


def test_learned_positions_tied_heads_and_norms_without_weights(tmp_path: Path) -> None:
    keys = sides(2, 64, 4, max_position_embeddings=32, norm="non_parametric_layernorm",
                 padded_vocab_size=90, use_bias_in_mlp=False, use_bias_in_attn_linear=False,
                 expansion_factor=1.5)
    assert rows(load(written(tmp_path, keys))) == {
        ("word_embeddings.weight", (90, 64)): 1, ("position_embeddings.weight", (32, 64)): 1,
        ("layers.*.attention.query_key_value.weight", (192, 64)): 2,
        ("layers.*.attention.dense.weight", (64, 64)): 2,
        ("layers.*.mlp.linear1.weight", (96, 64)): 2, ("layers.*.mlp.linear2.weight", (64, 96)): 2}


@pytest.mark.parametrize(("kinds", "seen"), [([[["flash"], "all"]], 9), ([[["global"], 2]], 1000)])
def test_a_window_is_of_flash_attention_and_counts_the_token_itself(
        kinds: list[Any], seen: int, tmp_path: Path) -> None:
    model = load(written(tmp_path, {**PYTHIA, **sides(2, 64, 4), "padded_vocab_size": 90,
                                    "attention_config": kinds, "sliding_window_width": 8}))
    found = find("kv_cache").value(Subject.of(model, Setting(run={"s": 1000})))
    assert found == 2 * 2 * 2 * 64 * seen
    assert any("as if they saw all" in text for text in model.left_out) == (seen == 1000)


@together(("change", "words"), [
    ({"attention_config": [[["mamba"], 24]]}, "mamba"), ({"moe_num_experts": 8}, "moe_num_experts"),
    ({"attention_config": [[["gmlp", "flash"], "all"]]}, "gmlp"),
    ({"attention_config": 3}, "attention_config"), ({"attention_config": [[3, 3]]}, "3 is not"),
    ({"activation": "swiglu", "intermediate_size": 14336}, "do not go together"),
    ({"norm": "scalenorm"}, "scalenorm"), ({"pos_emb": "rpe"}, "rpe"),
    ({"use_qk_layernorm": True}, "use_qk_layernorm"), ({"new_key": 1}, "new_key"),
    ({"expansion_factor": "x"}, "expansion_factor"), ({"activation": "x"}, "none of"),
    ({"intermediate_size": 8, "expansion_factor": 2}, "beside"), ({"num_kv_heads": 5}, "n_kv")])
def test_what_is_not_understood_is_refused(change: dict[str, Any], words: str,
                                           tmp_path: Path) -> None:
    with pytest.raises(SymparamError) as caught:
        load(written(tmp_path, {**PYTHIA, **sides(24, 1024, 16), **change}))
    assert words in message(caught.value)


def test_a_pythia_becomes_a_configuration_of_transformers(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, {**PYTHIA, **sides(24, 1024, 16)})
    assert run(["convert", path, "V=50304", "--to", "hf"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["model_type"], found["use_parallel_residual"]) == ("gpt_neox", True)
    assert (found["rotary_pct"], found["max_position_embeddings"]) == (0.25, 2048)
    (tmp_path / "config.json").write_text(json.dumps(found))
    assert total(load(str(tmp_path))) == 405_334_016
