"""Configurations in other words: what is written is read again and has the same matrices."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symparam.descriptions.convert import convert, matrices
from symparam.descriptions.frameworks import known, read_framework
from symparam.descriptions.load import load
from symparam.descriptions.references import keys_of
from symparam.descriptions.targets import known as targets
from symparam.errors import BadValue, SymparamError
from symparam.model import Model
from tests.helpers import ledger, message, together
from tests.test_frameworks import LITGPT, OLMO, PARAMS
from tests.test_json import valid

Line = Callable[[str], tuple[int, str, str]]


def shapes(model: Model) -> dict[tuple[int, ...], int]:
    """How often each shape is stored, whatever it is called; counted here."""
    found: dict[tuple[int, ...], int] = {}
    for matrix in ledger(model):
        copies = 0 if matrix.tied_to else 1
        for index in matrix.indices:
            copies *= index.stored
        found[matrix.shape] = found.get(matrix.shape, 0) + copies
    return {shape: count for shape, count in found.items() if count}


def from_file(folder: Path, to: str, text: str) -> Model:
    """The model that a written file describes."""
    path = folder / targets()[to].FILE
    path.write_text(text)
    return load(str(path))


NAMES = ("llama-2-7b", "llama-3-8b", "qwen2-0.5b", "qwen3-0.6b", "qwen3-30b-a3b", "mistral-7b",
         "mixtral-8x7b", "olmo-2-7b", "gpt2", "pythia-160m")
#: What has no place there, with the reason that is told.
REFUSED = {("gpt2", "litgpt"): "embedding.positions.W_P", ("qwen2-0.5b", "litgpt"): "head.lm.W_U",
           ("qwen3-0.6b", "litgpt"): "head.lm.W_U", ("olmo-2-7b", "megatron"): "differ",
           ("olmo-2-7b", "toml"): "without another matrix",
           ("pythia-160m", "megatron"): "without another matrix"}


@together("to", ["hf", "litgpt", "megatron", "toml"])
@together("name", NAMES)
def test_what_is_written_has_the_same_matrices(name: str, to: str, tmp_path: Path) -> None:
    if to == "litgpt":
        pytest.importorskip("yaml")
    model = load(name)
    if words := REFUSED.get((name, to), ""):
        with pytest.raises(BadValue) as caught:
            convert(model, to, *(keys_of(name) or ("", {})))
        assert words in message(caught.value)
        return
    written = convert(model, to, *(keys_of(name) or ("", {})))
    back = from_file(tmp_path, to, written.text)
    assert shapes(back) == shapes(model)
    assert matrices(back) == matrices(model)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("part", range(3))
def test_litgpts_own_come_back_and_what_hf_has_not_is_refused(part: int) -> None:
    done, refused = 0, []
    for record in LITGPT[part::3]:
        name = record["config"]["name"]
        model = read_framework(known()["litgpt"], name, record["config"], name)
        if len([stack for stack in model.stacks if stack.repeat]) > 1:
            continue
        again = convert(model, "litgpt", "litgpt", record["config"])
        assert matrices(targets()["litgpt"].read(again.data, name)) == matrices(model)
        try:
            found = convert(model, "hf", "litgpt", record["config"])
        except SymparamError as error:
            refused.append((name, message(error)))
            continue
        assert shapes(targets()["hf"].read(found.data, name)) == shapes(model)
        neox = found.data["model_type"] == "gpt_neox"
        assert found.data.get("use_parallel_residual", neox) == record["config"].get(
            "parallel_residual", True)
        done += 1
    assert done > 33, refused
    assert any("Gemma" in name or "gemma" in name for name, _ in refused)


@pytest.mark.parametrize(("params", "name"), PARAMS[:5], ids=[name for _, name in PARAMS[:5]])
def test_a_params_file_becomes_a_configuration_of_transformers(
        params: dict[str, Any], name: str, tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps(params))
    written = convert(load(str(path)), "hf", *(keys_of(str(path)) or ("", {})))
    assert shapes(from_file(tmp_path, "hf", written.text)) == shapes(load(name))
    assert written.data["rms_norm_eps"] == params["norm_eps"]
    assert written.data.get("rope_theta") == params.get("rope_theta")


def test_what_is_lost_is_told(line: Line) -> None:
    code, out, err = line("convert llama-3-8b --to toml -o ours.toml")
    assert (code, out) == (0, "")
    assert "note: lost: rope_base = 500000.0" in err
    assert line("count ours.toml --json")[0] == 0
    Path("config.json").write_text(json.dumps({
        "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
        "intermediate_size": 96, "vocab_size": 100, "rope_theta": 1e6, "rms_norm_eps": 1e-6,
        "rope_scaling": {"type": "dynamic", "factor": 2.0}}))
    code, out, err = line("convert config.json --to litgpt")
    assert code == 0
    assert "lost: rope_scaling = {'type': 'dynamic', 'factor': 2.0}" in err
    assert "rope_base: 1000000\n" in out
    assert "norm_eps: 1.0e-06\n" in out
    assert "rotary_percentage: 1.0\n" in out
    assert "parallel_residual: false\n" in out


def test_a_launch_script_becomes_a_config_json_and_back(line: Line) -> None:
    options = ("--num-layers 3 --hidden-size 64 --num-attention-heads 4 --swiglu --vocab-size 1000"
               " --normalization RMSNorm --disable-bias-linear --ffn-hidden-size 96"
               " --position-embedding-type rope --untie-embeddings-and-output-weights --lr 1e-4"
               " --rotary-base 500000 --max-position-embeddings 512")
    Path("train.sh").write_text(options)
    code, out, err = line("convert train.sh --to hf -o config.json")
    assert (code, out) == (0, "")
    assert "lost: lr = 0.0001" in err
    found = json.loads(Path("config.json").read_text())
    assert (found["vocab_size"], found["rope_theta"]) == (1024, 500000)
    assert line("convert config.json --to megatron -o back.sh")[0] == 0
    assert matrices(load("back.sh")) == matrices(load("train.sh"))


@together(("text", "words"), [
    ("convert deepseek-v3 --to hf", "one block that is repeated"),
    ("convert bert-base --to hf", "cannot be written"), ("convert --to hf", "MODEL"),
    ("convert gemma-2b --to litgpt", "how layers of gemma are applied is not known"),
    ("convert gpt2 --to x", "--to"), ("convert nope --to hf", "unknown model"),
    ("convert falcon-7b --to megatron", "how layers of falcon are applied"),
    ("convert mamba-130m --to hf", "it has mixer"), ("convert gpt2", "--to")])
def test_what_cannot_be_written_is_one_line(text: str, words: str, line: Line) -> None:
    code, out, err = line(text)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_settings_in_tables_of_their_own_are_not_dropped_silently(line: Line) -> None:
    record = next(each for each in OLMO if each["name"] == "olmo2_1B")
    Path("config.json").write_text(json.dumps({"model": record["config"], "run_name": "x"}))
    assert line("count config.json")[0] == 0
    code, _, err = line("convert config.json --to hf")
    assert code == 2
    assert "not carried over" in err


def test_a_mutant_that_writes_another_width_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    target = targets()["hf"]
    original = target._common

    def wrong(*arguments: Any) -> Any:
        data = original(*arguments)
        return {**data, "intermediate_size": data["intermediate_size"] + 1}

    monkeypatch.setattr(target, "_common", wrong)
    with pytest.raises(BadValue, match="would differ"):
        convert(load("llama-2-7b"), "hf")


OPTIONS = ("--num-layers 2 --hidden-size 64 --num-attention-heads 4 --ffn-hidden-size 96"
           " --position-embedding-type rope --untie-embeddings-and-output-weights"
           " --max-position-embeddings 512")
GATED = " --swiglu --normalization RMSNorm --disable-bias-linear"


def test_a_number_of_tokens_stays_a_number_where_it_is_padded(line: Line) -> None:
    pytest.importorskip("yaml")
    Path("model_config.yaml").write_text(
        "name: x\nn_layer: 2\nn_embd: 64\nn_head: 4\nvocab_size: 50000\npadded_vocab_size: 50304\n"
        "bias: false\nintermediate_size: 96\nnorm_class_name: RMSNorm\nmlp_class_name: LLaMAMLP\n"
        "parallel_residual: false\nrotary_percentage: 1.0\n")
    code, out, err = line("convert model_config.yaml --to litgpt")
    assert (code, err) == (0, "")
    assert "\nvocab_size: 50000\n" in out
    assert "\npadded_vocab_size: 50304\n" in out
    again = json.loads(line("convert model_config.yaml L=4 --to litgpt --json -q")[1])
    assert (again["data"]["vocab_size"], again["data"]["padded_vocab_size"]) == (50000, 50304)
    assert again["lost"] == []
    code, out, err = line("convert model_config.yaml --to hf")
    assert json.loads(out)["vocab_size"] == 50304
    assert "lost: vocab_size = 50000, padded to 50304" in err


def test_a_script_that_keeps_its_number_of_tokens_loses_none(line: Line) -> None:
    Path("t2.sh").write_text(f"{OPTIONS}{GATED} --vocab-size 32000"
                             " --make-vocab-size-divisible-by 128 --tensor-model-parallel-size 4")
    code, out, err = line("convert t2.sh --to megatron")
    assert code == 0
    assert "--vocab-size 32000" in out
    assert "lost" not in err
    code, out, err = line("convert t2.sh --to hf")
    assert json.loads(out)["vocab_size"] == 32256
    assert "lost: vocab-size = 32000, padded to 32256" in err


def test_it_is_data_too(line: Line) -> None:
    found = json.loads(line("convert llama-2-7b L=4 --to hf --json -q")[1])
    valid("convert", found)
    assert found["data"]["num_hidden_layers"] == 4
    assert json.loads(found["text"]) == found["data"]
    assert "rms_norm_eps" in line("convert llama-2-7b --to hf --format markdown")[1]
