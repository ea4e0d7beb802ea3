"""Frameworks' own configurations: named tensors and counts as the real packages have them."""

from __future__ import annotations

import copy
import json
import lzma
import shlex
from pathlib import Path
from typing import Any

import pytest

from symparam.cli.main import run
from symparam.descriptions.frameworks import framework_of, known, read_framework
from symparam.descriptions.load import load
from symparam.descriptions.reading import yaml
from symparam.descriptions.reading.python_file import fields_of
from symparam.descriptions.reading.written import options_of
from symparam.descriptions.reading.yaml import MAX_DEPTH, parse_yaml
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.resolve import numbers
from tests.helpers import DATA, data, ledger, message, recorded, rows, together

with lzma.open(DATA / "litgpt.jsonl.xz", "rt", encoding="utf-8") as lines:
    LITGPT: list[dict[str, Any]] = [json.loads(line) for line in lines]


# --- LitGPT ---------------------------------------------------------------------------------

def test_every_configuration_of_litgpt_is_what_litgpt_builds() -> None:
    different = []
    for record in LITGPT:
        name = record["config"]["name"]
        framework = framework_of("model_config.yaml", record["config"])
        assert framework is known()["litgpt"], name
        try:
            model = read_framework(framework, name, record["config"], name)
            if rows(model) != recorded(record["tensors"]):
                different.append((name, sorted(rows(model).items() ^ recorded(
                    record["tensors"]).items())[:3]))
        except SymparamError as error:
            different.append((name, str(error)))
    assert not different, f"{len(different)}: {different[:5]}"
    assert len(LITGPT) >= 200


def test_the_model_of_a_run_of_litgpt_is_read(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    record = next(each for each in LITGPT if each["config"]["name"] == "latent-experts")
    path = tmp_path / "pretrain.yaml"
    path.write_text(json.dumps({"model_name": "x", "model_config": record["config"],
                                "out_dir": "y", "train": {"max_seq_length": 3}}))
    assert rows(load(str(path))) == recorded(record["tensors"])
    path.write_text(json.dumps({"model_name": "pythia-14m", "model_config": None}))
    with pytest.raises(SymparamError, match="pythia-14m"):
        load(str(path))


# --- OLMo-core ------------------------------------------------------------------------------

with lzma.open(DATA / "olmo_core.jsonl.xz", "rt", encoding="utf-8") as lines:
    OLMO: list[dict[str, Any]] = [json.loads(line) for line in lines]


def test_every_configuration_of_olmo_core_is_what_olmo_core_builds() -> None:
    different = []
    for record in OLMO:
        framework = framework_of("config.json", {"model": record["config"], "run_name": "x"})
        assert framework is known()["olmo_core"]
        model = read_framework(framework, "config.json", {"model": record["config"]}, "x")
        if rows(model) != recorded(record["tensors"]):
            different.append(record["name"])
    assert not different
    assert len([record for record in OLMO if not record["name"].startswith("windows")]) == 52


def test_the_sample_of_olmo_core_in_the_documentation_is_read(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DATA.parents[1] / "docs" / "models-as-you-have-them.md").read_text(encoding="utf-8")
    samples = [each.split("```")[0] for each in text.split("```json\n")[1:]]
    sample = next(each for each in samples if "olmo_core" in each)
    path = tmp_path / "config.json"
    path.write_text(sample)
    model = load(str(path))
    record = next(each for each in OLMO if each["name"].startswith("llama2_271M"))
    assert {name for name, _ in rows(model)} == {name for name, _, _ in record["tensors"]}
    assert sum_of(model) == 2 * 2048 * 256 + 256 + 2 * (4 * 256 * 256 + 3 * 256 * 768 + 2 * 256)
    data = json.loads(sample)
    del data["model"]["_CLASS_"]
    for without in (data, data["model"]):
        path.write_text(json.dumps(without))
        assert run(["count", str(path)]) == 2
        err = capsys.readouterr().err
        assert '"_CLASS_": "olmo_core.nn.transformer.config.TransformerConfig"' in err
        assert err.count("\n") == 1
    path.write_text("{}")
    assert run(["count", str(path)]) == 2
    assert "_CLASS_" not in capsys.readouterr().err


def test_the_older_key_of_attention_is_read_as_olmo_core_reads_it() -> None:
    """TransformerBlockConfig takes ``attention`` for ``sequence_mixer``, and refuses both."""
    record = next(each for each in OLMO if each["name"].startswith("olmo2"))
    block = dict(record["config"]["block"])
    mixer = {key: value for key, value in block.pop("sequence_mixer").items() if key != "type"}
    config = {**record["config"], "block": {**block, "attention": mixer}}
    assert rows(read_framework(known()["olmo_core"], "x", config, "x")) == recorded(
        record["tensors"])
    config["block"] = {**block, "attention": mixer, "sequence_mixer": mixer}
    with pytest.raises(SymparamError, match="beside sequence_mixer"):
        read_framework(known()["olmo_core"], "x", config, "x")


def test_kinds_of_block_with_other_weights_are_named() -> None:
    record = next(each for each in OLMO if "block_pattern" in each["config"]
                  and each["config"]["block_pattern"])
    for path, words in ((("feed_forward", "hidden_size"), "d_ff = "),
                        (("feed_forward", "bias"), ": ffn")):
        config = copy.deepcopy(record["config"])
        kind = config["block_pattern"][-1]
        table = config["block"][kind]
        value = table[path[0]][path[1]]
        table[path[0]][path[1]] = (not value) if isinstance(value, bool) else value + 8
        with pytest.raises(SymparamError) as caught:
            read_framework(known()["olmo_core"], "x", config, "x")
        assert f"block.{kind}" in message(caught.value)
        assert words in message(caught.value)


def kept(model: Model, windows: list[int | None], tokens: int) -> int:
    """Bytes of keys and values in two bytes each, of layers with these windows."""
    values = numbers(model).values
    each = 2 * 2 * values["n_kv"] * values["d_head"]
    return sum(each * (tokens if size is None else min(size, tokens)) for size in windows)


def cached(model: Model, tokens: int) -> int:
    """The same as the model has it."""
    found: int = find("kv_cache").value(Subject.of(model, Setting(run={"s": tokens})))
    return found


@pytest.mark.parametrize("tokens", [7, 900, 40_000])
def test_windows_of_olmo_core_are_those_of_its_modules(tokens: int) -> None:
    several = 0
    for record in OLMO:
        windows = record.get("windows") or [None] * record["config"]["n_layers"]
        model = read_framework(known()["olmo_core"], "config.json", record["config"], "x")
        if len(set(windows) - {None}) > 1:
            assert "of several lengths" in " ".join(model.left_out)
            several, windows = several + 1, [None] * len(windows)
        assert cached(model, tokens) == kept(model, windows, tokens), record["name"]
    assert several == 1
    assert sum("windows" in record for record in OLMO) == 23


@pytest.mark.parametrize("tokens", [7, 900, 40_000])
def test_windows_of_litgpt_are_those_that_its_lists_say(tokens: int) -> None:
    """Layers with a one in the list, as litgpt's model.py reads it (an index for each layer)."""
    with_one = 0
    for record in LITGPT:
        keys = record["config"]
        size, depth = keys.get("sliding_window_size"), keys.get("n_layer", 16)
        if size is None:
            continue
        marks = keys.get("sliding_window_indices") or [1] * depth
        model = read_framework(known()["litgpt"], "model_config.yaml", keys, keys["name"])
        windows = [size if mark else None for mark in marks[:depth]]
        assert cached(model, tokens) == kept(model, windows, tokens), keys["name"]
        with_one += 1
    assert with_one == 17


@together(("size", "words"), [
    (None, ""), (96, ""), ([96, None], ""), ([96, 64], "several"), ([0], "expected a number"),
    ("x", "expected")])
def test_windows_of_mistral_go_round(size: Any, words: str, tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps({**PARAMS[3][0], "sliding_window": size}))
    if words.startswith("expected"):
        with pytest.raises(SymparamError, match=words):
            load(str(path))
        return
    model = load(str(path))
    listed = size if isinstance(size, list) else [size]
    windows = [None] * 32 if words else [listed[i % len(listed)] for i in range(32)]
    assert cached(model, 500) == kept(model, windows, 500)
    assert words in " ".join(model.left_out)


# --- Megatron-LM ----------------------------------------------------------------------------

MEGATRON: list[dict[str, Any]] = data("megatron.json")


def script(args: dict[str, Any]) -> str:
    """A launch script with these options."""
    lines = [f"    --{key}" + ("" if value is True else f" {shlex.quote(str(value))}")
             for key, value in args.items()]
    return "\n".join(["#!/bin/bash", "# --num-layers 99", "GPT_ARGS=(", *lines, ")", "",
                      "torchrun --nproc-per-node 8 pretrain_gpt.py ${GPT_ARGS[@]} \\",
                      "    --lr 6.0e-4 --train-iters 500000 --bf16 --data-path $DATA_PATH"])


@together("record", MEGATRON)
@together("kind", ["sh", "yaml"])
def test_options_of_megatron_are_what_megatron_core_builds(
        record: dict[str, Any], kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"train.{kind}"
    args = record["args"]
    if kind == "yaml":
        pytest.importorskip("yaml")
        path.write_text("".join(f"{key.replace('-', '_')}: {json.dumps(value)}\n"
                                for key, value in args.items()))
    else:
        path.write_text(script(args))
    model = load(str(path))
    assert rows(model) == recorded(record["tensors"])


# --- Meta, Mistral, nanoGPT -----------------------------------------------------------------

#: params.json as they are published: model cards and repositories of meta-llama and mistralai.
PARAMS: list[tuple[dict[str, Any], str]] = [
    ({"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-06,
      "vocab_size": 32000}, "llama-2-7b"),
    ({"dim": 8192, "multiple_of": 4096, "ffn_dim_multiplier": 1.3, "n_heads": 64, "n_kv_heads": 8,
      "n_layers": 80, "norm_eps": 1e-05, "vocab_size": 32000}, "llama-2-70b"),
    ({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256,
      "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05, "rope_theta": 500000.0},
     "llama-3-8b"),
    ({"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32,
      "n_kv_heads": 8, "norm_eps": 1e-05, "vocab_size": 32000, "sliding_window": 4096},
     "mistral-7b"),
    ({"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32,
      "n_kv_heads": 8, "norm_eps": 1e-05, "vocab_size": 32000,
      "moe": {"num_experts_per_tok": 2, "num_experts": 8}}, "mixtral-8x7b"),
    ({"n_layer": 12, "n_head": 12, "n_embd": 768, "vocab_size": 50257, "block_size": 1024,
      "bias": True, "dropout": 0.0}, "gpt2")]


@together(("params", "name"), PARAMS, ids=[name for _, name in PARAMS])
def test_a_published_params_file_has_the_count_of_the_model(
        params: dict[str, Any], name: str, tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps(params))
    assert sum_of(load(str(path))) == sum_of(load(name))


def sum_of(model: Any) -> int:
    """The parameters of a model."""
    return sum(tensor.numel for tensor in model.layout.tensors(ledger(model)))


def test_names_are_those_of_the_frameworks_own_code(tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps(PARAMS[4][0]))
    names = {name for name, _ in rows(load(str(path)))}
    assert {"tok_embeddings.weight", "output.weight", "layers.*.attention.wq.weight",
            "layers.*.feed_forward.experts.*.w1.weight", "layers.*.feed_forward.gate.weight",
            "layers.*.attention_norm.weight", "norm.weight"} <= names
    path.write_text(json.dumps(PARAMS[5][0]))
    assert rows(load(str(path)))["transformer.h.*.attn.c_attn.weight", (2304, 768)] == 12


def test_a_vocabulary_that_the_file_has_not_is_asked_for(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps({**PARAMS[0][0], "vocab_size": -1}))
    assert run(["count", str(path)]) == 2
    assert "V" in capsys.readouterr().err
    assert run(["count", str(path), "V=32000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 6738415616


@pytest.mark.parametrize(("more", "total", "steps"), [
    (" --make-vocab-size-divisible-by 64 --tensor-model-parallel-size 8", 32256, "64 × 8"),
    (" --tensor-model-parallel-size 4", 32256, "128 × 4")])
def test_a_vocabulary_that_is_padded_says_by_what(
        more: str, total: int, steps: str, tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t2.sh"
    path.write_text("--num-layers 2 --hidden-size 64 --num-attention-heads 4 --vocab-size 32000"
                    f" --position-embedding-type rope{more}")
    assert run(["count", str(path)]) == 0
    words = f"32,000 tokens, padded to a multiple of {steps}"
    assert words in " ".join(capsys.readouterr().out.split())
    assert run(["count", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["defaulted"]["padded-vocab-size"] == total
    assert found["defaulted_from"]["padded-vocab-size"] == words
    path.write_text(path.read_text().replace("32000", "32256"))
    assert run(["count", str(path), "--json"]) == 0
    assert "padded-vocab-size" not in json.loads(capsys.readouterr().out)["defaulted"]


def test_the_lines_of_a_python_file_are_read_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "train_mine.py"
    path.write_text('''"""A small one."""
import os; os._exit(3)
wandb_log = True  # said so
batch_size = 12
block_size: int = 1024
gradient_accumulation_steps = 5 * 8
n_layer, n_head = 1, 2
n_layer = 2
n_head: int = 4
n_embd = 64
bias = False # no biases
vocab_size = 1_000
''')
    model = load(str(path))
    assert model.values["L"] == 2
    assert not [name for name, _ in rows(model) if name.endswith("bias")]
    assert fields_of("x.py", "n_layer = 1\nn_layer = 2") == {"n_layer": 2}


@together(("name", "text", "words"), [
    ("x.yaml", "a: &x [1]\nb: *x", "an alias"), ("x.yaml", "a: 1\na: 2", "stands twice"),
    ("x.yaml", "[" * 3000, "deeper than"), ("x.yaml", "a: " + "1" * 5000, "more than 1000 digits"),
    ("x.yaml", "- 1", "a table"), ("x.yaml", "a: !!python/name:os.system", "not YAML"),
    ("x.yaml", "a: b: c", "not YAML"), ("x.yaml", "a: 1", "neither a config.json"),
    ("model_config.yaml", "n_embd: 64\nnew_key: 1", "new_key"),
    ("model_config.yaml", "n_embd: 64\npadded_vocab_size: 50304\n"
     "vocab_size: \"50000, padded to 50304\"", "vocab_size"),
    ("model_config.yaml", "n_embd: 64\nmlp_class_name: Mine", "is none of"),
    ("model_config.yaml", "n_embd: 64\nbias: false\nlatent_attention: {a: 1}", "latent_attention"),
    ("model_config.yaml", "n_embd: 64\nbias: false\nnorm_qk: true",
     "norm_qk: is understood with RMSNorm"),
    ("model_config.yaml", "n_embd: 64\nbias: false\nnorm_qk: true\nnorm_class_name: RMSNorm\n"
     "norm_qk_type: mine", "norm_qk_type: 'mine' is neither default nor olmo2"),
    ("x.sh", "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --new-thing 3 --vocab-size 9"
     " --max-position-embeddings 8", "new-thing"),
    ("x.sh", "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --num-experts 4"
     " --vocab-size 9 --moe-shared-expert-intermediate-size 8", "disable-bias-linear"),
    ("x.sh", "--num-layers 3 --hidden-size 64 --num-attention-heads 4 --num-experts 4"
     " --vocab-size 9 --moe-layer-freq '[0]*2' --position-embedding-type rope", "moe-layer-freq"),
    ("x.sh", "--num-layers 3 --hidden-size 64 --num-attention-heads 4 --num-experts 4"
     " --vocab-size 9 --moe-layer-freq '[0][1]*2'", "moe-layer-freq"),
    ("x.sh", "--num-layers 3 --hidden-size 64 --num-attention-heads 4 --num-experts 4"
     " --vocab-size 9 --moe-layer-freq '[1]*99999'", "moe-layer-freq"),
    ("x.sh", "--num-layers 3 --hidden-size 64 --num-attention-heads 4 --num-experts 4"
     " --vocab-size 9 --deepspeed_config x", "DeepSpeed"),
    ("model_config.yaml", "n_embd: 64\nbias: false\nn_head: 4\nn_query_groups: 2\n"
     "latent_attention: {q_lora_rank: 8}", "n_query_groups"),
    ("model_config.yaml", "n_embd: 64\nlatent_attention: {q_lora_rank: 8}", "latent attention"),
    ("x.sh", "--num-layers $L --hidden-size 64 --num-attention-heads 4", "num-layers"),
    ("params.json", json.dumps({**PARAMS[0][0], "new": 1}), "new"),
    *(("params.json", json.dumps({**PARAMS[0][0], "ffn_dim_multiplier": factor}),
       "ffn_dim_multiplier") for factor in ("x", True, 0, 99))])
def test_what_is_not_understood_is_refused(name: str, text: str, words: str,
                                           tmp_path: Path) -> None:
    if name.endswith("yaml"):
        pytest.importorskip("yaml")
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(SymparamError) as caught:
        load(str(path))
    assert words in message(caught.value)


def test_without_pyyaml_one_line_says_what_to_install(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "x.yaml"
    path.write_text("a: 1")
    with pytest.raises(SymparamError, match="symparam"):
        load(str(path))


def test_options_are_read_as_a_shell_would_hand_them_over() -> None:
    text = ("LAYERS=12\n# --seed 1\npython x.py --num-layers ${LAYERS} --swiglu --lr=1e-4 \\\n"
            " --fp-kind 'a'")
    assert options_of("x.sh", text) == {
        "program": "x.py", "num-layers": 12, "swiglu": True, "lr": 1e-4, "fp-kind": "a"}


def test_yaml_is_what_the_safe_loader_makes_of_it() -> None:
    yaml = pytest.importorskip("yaml")
    for text in ("a: 1\nb: [1.5, null, true, 'x']\nc: {d: 0x10, e: 1e-5}", "a: 2026-01-01", ""):
        assert parse_yaml(text) == yaml.safe_load(text)


def test_yaml_may_be_as_large_and_as_deep_as_its_bounds_say(
        monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("yaml")
    monkeypatch.setattr(yaml, "MAX_NODES", 90)
    deep = "[" * (MAX_DEPTH - 1) + "1" + "]" * (MAX_DEPTH - 1)
    assert parse_yaml(f"a: {deep}") == {"a": json.loads(deep)}
    # beside its values a list has six events: the file's, the document's and its own
    most = yaml.MAX_NODES - 5
    assert parse_yaml("[" + "1," * most + "]") == [1] * most
    for text in (f"a: [{deep}]", "[" + "1," * (most + 1) + "]"):
        with pytest.raises(ValueError, match="more than 90 values, or deeper than"):
            parse_yaml(text)


def test_a_plain_llama_has_all_the_names_of_its_published_weights(tmp_path: Path) -> None:
    """consolidated.00.pth of meta-llama/llama-models (models/llama3/model.py)."""
    path = tmp_path / "params.json"
    for params, _ in PARAMS[:4]:
        path.write_text(json.dumps(params))
        assert {name for name, _ in rows(load(str(path)))} == {
            "tok_embeddings.weight", "norm.weight", "output.weight",
            *(f"layers.*.{name}.weight" for name in (
                "attention.wq", "attention.wk", "attention.wv", "attention.wo",
                "feed_forward.w1", "feed_forward.w2", "feed_forward.w3", "attention_norm",
                "ffn_norm"))}
        shapes = dict(rows(load(str(path))).keys())
        assert shapes["layers.*.feed_forward.w2.weight"][0] == params["dim"]
        assert shapes["layers.*.feed_forward.w1.weight"] == shapes[
            "layers.*.feed_forward.w3.weight"] == shapes["layers.*.feed_forward.w2.weight"][::-1]
