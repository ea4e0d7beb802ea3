"""What changes no weight goes along in a conversion, with its default; or is named as lost."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam.descriptions.config import read_config
from symparam.descriptions.convert import Converted, convert
from symparam.descriptions.frameworks import known, read_framework
from symparam.descriptions.settings import carried as table
from symparam.descriptions.settings import places
from symparam.descriptions.settings.places import UNSAID, Source
from symparam.descriptions.settings.rows import FAMILIES, FORMATS, ROWS
from symparam.errors import BadValue
from symparam.model import Model
from tests.helpers import together
from tests.oracle.settings import DEFAULTS, effective
from tests.strategies import quick

Line = Callable[[str], tuple[int, str, str]]
TARGETS = ("hf", "litgpt", "megatron", "toml")
DEPTH = 3
FEW = settings(quick, max_examples=25)


# --- drawn configurations -------------------------------------------------------------------

def some(chance: random.Random, choices: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Some of the keys, each with one of its values."""
    return {key: chance.choice(values) for key, values in choices.items() if chance.random() < 0.5}


LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
TOKENS: dict[str, tuple[Any, ...]] = {
    "bos_token_id": (0, 1, 7, None), "eos_token_id": (2, 9, [3, 4], None),
    "pad_token_id": (0, 5, None), "initializer_range": (0.02, 0.006)}
BESIDE: dict[str, tuple[Any, ...]] = {
    "torch_dtype": ("bfloat16",), "use_cache": (False, True), "transformers_version": ("4.40.0",),
    "rope_scaling": ({"type": "linear", "factor": 4.0}, {"type": "linear", "factor": 2.5},
                     {"rope_type": "llama3", **LLAMA3, "original_max_position_embeddings": 8192},
                     {"rope_type": "llama3", **LLAMA3, "original_max_position_embeddings": 4096},
                     {"rope_type": "dynamic", "factor": 2.0}, None)}
ACTS = ("silu", "gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "relu2", "swish")


def hf(chance: random.Random, kind: str) -> dict[str, Any]:
    """A small configuration of a family; some of what it may say."""
    data: dict[str, Any] = {"model_type": kind, "vocab_size": 256}
    if kind == "gpt2":
        return data | {"n_embd": 48, "n_layer": DEPTH, "n_head": 4, "n_positions": 64} | some(
            chance, TOKENS | {"layer_norm_epsilon": (1e-5, 1e-6), "activation_function": ACTS,
                              "attn_pdrop": (0.0, 0.1), "resid_pdrop": (0.0, 0.2),
                              "embd_pdrop": (0.0, 0.1)})
    data |= {"hidden_size": 48, "num_hidden_layers": DEPTH, "num_attention_heads": 4,
             "intermediate_size": 80, "tie_word_embeddings": chance.random() < 0.5}
    choices = TOKENS | BESIDE | {
        "max_position_embeddings": (512, 4096), "hidden_act": ACTS, "attention_dropout": (0.0, 0.3)}
    if kind == "gpt_neox":
        return data | some(chance, choices | {
            "layer_norm_eps": (1e-5, 1e-6), "rotary_emb_base": (10000, 25000),
            "rotary_pct": (0.25, 0.5, 1.0), "use_parallel_residual": (True, False),
            "hidden_dropout": (0.0, 0.1)})
    data |= {"num_key_value_heads": 2} | some(chance, choices | {
        "rms_norm_eps": (1e-5, 1e-6, 1e-8), "rope_theta": (10000, 1e6, 500000.0)})
    if chance.random() < 0.3 and data.get("rope_scaling") is None:
        data["rope_parameters"] = {"rope_type": "default", "rope_theta": 7777.0}
    if kind in {"mistral", "mixtral"}:
        data |= some(chance, {"sliding_window": (None, 16, 4096)})
    if kind.startswith("qwen"):
        data |= some(chance, {"use_sliding_window": (True, False), "sliding_window": (16, 32),
                              "max_window_layers": (0, 2, 28)})
    if kind == "mixtral":
        data |= {"num_local_experts": 4, "num_experts_per_tok": 2}
    if kind == "qwen3_moe":
        data |= {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24} | some(
            chance, {"norm_topk_prob": (True, False)})
    return data


def litgpt(chance: random.Random) -> dict[str, Any]:
    """A small LitGPT; some of what it may say."""
    mlp = chance.choice(("GptNeoxMLP", "LLaMAMLP", "GemmaMLP"))
    plain = mlp == "GptNeoxMLP"
    data = {"name": "drawn", "n_layer": DEPTH, "n_embd": 48, "n_head": 4, "padded_vocab_size": 256,
            "intermediate_size": 80, "mlp_class_name": mlp, "bias": plain,
            "norm_class_name": "LayerNorm" if plain else "RMSNorm",
            "parallel_residual": plain and chance.random() < 0.5}
    return data | some(chance, {
        "norm_eps": (1e-5, 1e-6, "1e-6"), "rope_base": (10000, 1000000), "block_size": (512, 8192),
        "rotary_percentage": (0.25, 0.5, 1.0), "gelu_approximate": ("none", "tanh"),
        "rope_condense_ratio": (1, 4), "sliding_window_size": (16,),
        "rope_adjustments": ({**LLAMA3, "original_max_seq_len": 8192},), "hf_config": ({"a": 1},)})


def megatron(chance: random.Random) -> dict[str, Any]:
    """Some options of Megatron."""
    data: dict[str, Any] = {
        "num-layers": DEPTH, "hidden-size": 48, "num-attention-heads": 4, "vocab-size": 256,
        "ffn-hidden-size": 80, "position-embedding-type": "rope",
        "untie-embeddings-and-output-weights": True}
    if chance.random() < 0.5:
        data |= {"swiglu": True, "normalization": "RMSNorm", "disable-bias-linear": True}
    elif chance.random() < 0.5:
        data["squared-relu"] = True
    return data | some(chance, {
        "norm-epsilon": (1e-5, 1e-6), "rotary-base": (10000, 500000), "rotary-percent": (1.0, 0.5),
        "max-position-embeddings": (512, 4096), "init-method-std": (0.02, 0.01),
        "attention-dropout": (0.0, 0.1), "hidden-dropout": (0.0, 0.2), "lr": (0.001,),
        "no-bias-gelu-fusion": (True,), "use-rope-scaling": (True,),
        "rope-scaling-factor": (8.0, 32.0), "bf16": (True,)})


FORMS = (*FAMILIES, "litgpt", "megatron")


def drawn(seed: int, form: str) -> tuple[str, dict[str, Any], Model]:
    """The name of a format, a configuration in it and its model."""
    chance = random.Random(f"{seed} {form}")
    if form in FAMILIES and form not in {"litgpt", "megatron"}:
        data = hf(chance, form)
        return "hf", data, read_config("config.json", data, "drawn")
    data = litgpt(chance) if form == "litgpt" else megatron(chance)
    return form, data, read_framework(known()[form], form, data, "drawn")


def faults(kind: str, data: Mapping[str, Any], found: Converted) -> list[str]:
    """Settings of a configuration that another has otherwise, and that are not named."""
    here = effective(kind, data, DEPTH)
    there = effective(found.to, found.data, DEPTH)
    named = {phrase.split()[0].rstrip(",") for phrase in (*found.lost, *found.unsaid)}
    wrong = [f"{name}: {value!r}, there {there.get(name)!r}" for name, value in here.items()
             if name not in named and there.get(name) != value
             and not (value in (None, False, 0) and name not in there)]
    wrong += [f"{name}: not said here, there {value!r}" for name, value in there.items()
              if name not in here and name not in named and value not in (None, False, 0)]
    return wrong


@pytest.mark.thinned(3)
@pytest.mark.parametrize("form", FORMS)
@FEW
@given(seed=st.integers(0, 10**6))
def test_every_setting_is_read_back_or_named_as_lost(form: str, seed: int) -> None:
    kind, data, model = drawn(seed, form)
    for to in TARGETS:
        try:
            found = convert(model, to, kind, data)
        except BadValue:  # no place for a matrix
            continue
        assert faults(kind, data, found) == [], (to, data, dict(found.data), found.lost)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("form", FORMS)
@FEW
@given(seed=st.integers(0, 10**6))
def test_every_key_is_kept_or_named_where_the_tool_is_the_same(form: str, seed: int) -> None:
    kind, data, model = drawn(seed, form)
    found = convert(model, kind, kind, data)
    assert found.lost == found.unsaid == ()
    assert {key: found.data.get(key) for key in data} == data


@pytest.mark.thinned(4)
@pytest.mark.parametrize("form", FORMS)
@FEW
@given(seed=st.integers(0, 10**6))
def test_there_and_back_is_what_it_was_but_for_what_is_named(form: str, seed: int) -> None:
    kind, data, model = drawn(seed, form)
    for to in TARGETS[:3]:
        try:
            there = convert(model, to, kind, data)
            again = _read(to, there.data)
            back = convert(again, kind, to, there.data)
        except BadValue:
            continue
        named = {phrase.split()[0].rstrip(",") for each in (there, back)
                 for phrase in (*each.lost, *each.unsaid)}
        assert {fault.partition(":")[0] for fault in faults(kind, data, back)} <= named


def _read(to: str, data: Mapping[str, Any]) -> Model:
    if to == "hf":
        return read_config("config.json", data, "drawn")
    return read_framework(known()[to], to, data, "drawn")


@pytest.mark.parametrize("name", ["norm_eps", "rope_base", "activation", "context", "rotary"])
def test_a_setting_that_the_table_lacks_is_noticed(name: str,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tuple(row for row in ROWS if row.name != name)
    for module in ("carried", "rows"):
        monkeypatch.setattr(f"symparam.descriptions.settings.{module}.ROWS", kept)
    monkeypatch.setattr("symparam.descriptions.convert.ROWS", kept)
    data = {**hf(random.Random(1), "llama"), "rms_norm_eps": 1e-8, "rope_theta": 1e6,
            "hidden_act": "gelu", "max_position_embeddings": 512, "tie_word_embeddings": False}
    data.pop("rope_parameters", None)
    found = convert(read_config("config.json", data, "drawn"), "litgpt", "hf", data)
    assert any(fault.startswith(name) for fault in faults("hf", data, found))


# --- defaults -------------------------------------------------------------------------------

@together("kind", FAMILIES)
def test_defaults_are_those_of_transformers_classes(kind: str) -> None:
    bare = {"model_type": kind}
    ours = table.carried(f"hf:{kind}", Source(bare, DEPTH, 12, "swiglu"))
    theirs = effective("hf", bare, DEPTH)
    same = {"tanh": "gelu_pytorch_tanh"}
    for name, value in theirs.items():
        assert ours[name] == same.get(value, value) if isinstance(value, str) else (
            ours[name] == value), name
    if "norm_topk_prob" in DEFAULTS[kind]:
        assert ours["norm_topk_prob"] == DEFAULTS[kind]["norm_topk_prob"]
    if kind == "gpt2":
        assert ours["embedding_dropout"] == DEFAULTS[kind]["embd_pdrop"]


@together("kind", FAMILIES)
def test_recorded_defaults_are_those_of_the_installed_classes(kind: str) -> None:
    pytest.importorskip("transformers")
    from tests.hf_defaults import defaults

    assert json.loads(json.dumps(defaults(kind))) == DEFAULTS[kind]


@pytest.mark.parametrize("form", ["litgpt", "megatron", "llama", "gpt_neox"])
def test_what_is_written_is_what_the_class_of_transformers_reads(form: str) -> None:
    pytest.importorskip("transformers")
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    done = 0
    for seed in range(20):
        kind, data, model = drawn(seed, form)
        try:
            found = convert(model, "hf", kind, data).data
        except BadValue:
            continue
        wanted = effective("hf", found, DEPTH)
        made = CONFIG_MAPPING[found["model_type"]].from_dict(json.loads(json.dumps(found)))
        assert made.rope_parameters["rope_theta"] == wanted["rope_base"]
        assert made.rope_parameters.get("partial_rotary_factor", 1.0) == wanted["rotary"]
        assert made.max_position_embeddings == wanted.get("context", made.max_position_embeddings)
        assert made.hidden_act == found.get("hidden_act", made.hidden_act)
        for key in ("bos_token_id", "eos_token_id", "pad_token_id", "initializer_range"):
            assert getattr(made, key) == wanted[key]
        assert getattr(made, "sliding_window", None) == (wanted["window"] or [None])[0]
        done += 1
    assert done > 5


def test_every_row_has_a_place_in_every_format() -> None:
    for row in ROWS:
        assert row.places.keys() == set(FORMATS)
        for place in row.places.values():
            assert place.read(Source({}, DEPTH, 12, "mlp")) is not Ellipsis
    assert table.carried("toml", Source({}))["norm_eps"] is UNSAID


# --- as a person has them -------------------------------------------------------------------

PLAIN = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
         "num_hidden_layers": 2, "intermediate_size": 96, "vocab_size": 256}


def config(**more: Any) -> None:
    """A config.json in this folder."""
    Path("config.json").write_text(json.dumps(PLAIN | more))


def test_an_activation_is_kept_where_there_is_one_and_told_where_not(line: Line) -> None:
    pytest.importorskip("yaml")
    config(hidden_act="gelu")
    assert json.loads(line("convert config.json --to hf")[1])["hidden_act"] == "gelu"
    out = line("convert config.json --to litgpt")[1]
    assert 'mlp_class_name: "GemmaMLP"' in out
    assert 'gelu_approximate: "none"' in out
    assert "lost: activation = gelu (there silu)" in line("convert config.json --to megatron")[2]
    config(hidden_act="silu")
    for to in TARGETS:
        assert "activation" not in line(f"convert config.json --to {to}")[2]


def test_what_the_model_leaves_out_is_named(line: Line) -> None:
    config(foo=1)
    for to in TARGETS:
        code, _, err = line(f"convert config.json --to {to} --ignore-key foo")
        assert code == 0
        assert "lost: the key foo of the configuration" in err


@pytest.mark.parametrize(("key", "value"), [
    ("hidden_act", ["silu"]), ("hidden_act", 7), ("rms_norm_eps", "x"), ("rms_norm_eps", [1]),
    ("rope_theta", {}), ("rope_theta", float("nan")), ("rope_scaling", 3),
    ("bos_token_id", "a"), ("bos_token_id", [[1]]), ("max_position_embeddings", True),
    ("rope_parameters", {"rope_theta": "x"})])
def test_a_value_of_another_kind_is_one_line(key: str, value: Any, line: Line) -> None:
    config(**{key: value})
    for to in TARGETS:
        code, out, err = line(f"convert config.json --to {to}")
        assert (code, out) == (2, ""), (code, out, err)
        assert key in err
        assert err.count("\n") == 1


def test_a_flag_is_true_or_false(line: Line) -> None:
    neox = {"model_type": "gpt_neox", "vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2,
            "num_attention_heads": 2, "intermediate_size": 128, "use_parallel_residual": "yes"}
    Path("config.json").write_text(json.dumps(neox))
    code, out, err = line("convert config.json --to litgpt")
    assert (code, out) == (2, "")
    assert "use_parallel_residual" in err
    assert "true or false" in err


def test_squared_relu_has_a_name_in_transformers_too(line: Line) -> None:
    Path("train.sh").write_text(
        "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --vocab-size 256 --squared-relu"
        " --position-embedding-type rope --untie-embeddings-and-output-weights")
    code, out, _ = line("convert train.sh --to hf -o config.json")
    assert (code, out) == (0, "")
    assert json.loads(Path("config.json").read_text())["hidden_act"] == "relu2"
    assert "--squared-relu" in line("convert config.json --to megatron")[1]
    assert "lost: activation = relu2 (there gelu)" in line("convert train.sh --to litgpt")[2]


OPTIONS = ("--num-layers 2 --hidden-size 64 --num-attention-heads 4 --vocab-size 256"
           " --position-embedding-type rope --untie-embeddings-and-output-weights"
           " --ffn-hidden-size 96 --max-position-embeddings 64")


@pytest.mark.parametrize(("more", "name"), [
    ("", "gelu_pytorch_tanh"), (" --no-bias-gelu-fusion", "gelu"),
    (" --disable-bias-linear", "gelu")])
def test_megatrons_gelu_is_the_tangents_where_it_is_fused_with_a_bias(
        more: str, name: str, line: Line) -> None:
    pytest.importorskip("yaml")
    Path("train.sh").write_text(OPTIONS + more)
    out = line("convert train.sh --to litgpt")[1]
    assert f'gelu_approximate: "{"none" if name == "gelu" else "tanh"}"' in out or (
        name == "gelu" and "gelu_approximate" not in out)
    if "disable" in more:  # transformers' GPT-NeoX has biases
        return
    code, out, _ = line("convert train.sh --to hf -o config.json")
    assert (code, out) == (0, "")
    found = json.loads(Path("config.json").read_text())
    assert found.get("hidden_act", "gelu") == name


def test_a_gelu_that_megatron_has_not_is_a_note(line: Line) -> None:
    pytest.importorskip("yaml")
    for approximate, bias, said, lost in (
            ("tanh", "true", "", False), ("none", "true", "--no-bias-gelu-fusion", False),
            ("none", "false", "", False), ("tanh", "false", "", True)):
        Path("model_config.yaml").write_text(
            "name: x\nn_layer: 2\nn_embd: 64\nn_head: 4\npadded_vocab_size: 256\n"
            f"bias: {bias}\nintermediate_size: 96\nparallel_residual: false\n"
            f"rotary_percentage: 1.0\ngelu_approximate: {approximate}\n")
        code, out, err = line("convert model_config.yaml --to megatron")
        assert code == 0, err
        assert said in out
        assert ("lost: activation = gelu_pytorch_tanh (there gelu)" in err) is lost


def test_gpt_neoxs_gelu_is_the_tangents_where_it_is_fused_with_a_bias(line: Line) -> None:
    pytest.importorskip("yaml")
    for fused in (True, False):
        Path("neox.yml").write_text(json.dumps({
            "num-layers": 2, "hidden-size": 64, "num-attention-heads": 4, "pos-emb": "rotary",
            "no-weight-tying": True, "padded_vocab_size": 256, "bias-gelu-fusion": fused}))
        code, _, err = line("convert neox.yml --to hf -o config.json --force")
        assert code == 0, err
        assert "gelu" not in err
        assert json.loads(Path("config.json").read_text()).get("hidden_act", "gelu") == (
            "gelu_pytorch_tanh" if fused else "gelu")


def test_a_default_that_is_shorter_than_the_scaling_begins_with_is_not_written(line: Line) -> None:
    pytest.importorskip("yaml")
    Path("params.json").write_text(json.dumps({
        "dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 256,
        "multiple_of": 32, "norm_eps": 1e-5, "rope_theta": 5e5, "use_scaled_rope": True}))
    source = "params.json"
    for to, file, key in (("hf", "config.json", "max_position_embeddings"),
                          ("litgpt", "model_config.yaml", "block_size"),
                          ("megatron", "back.sh", "max-position-embeddings")):
        code, _, err = line(f"convert {source} --to {to} -o {file}")
        assert code == 0, err
        assert f"not said: context, to be given there as {key}" in err
        assert "8192" in err
        assert key not in Path(file).read_text().replace("original_max_position_embeddings", "")
        source = file
    code, out, err = line("convert params.json --to megatron")
    assert (code, "max-position" in out) == (0, False)
    assert "not said: context, to be given there as max-position-embeddings" in err
    data = json.loads(Path("config.json").read_text())
    Path("config.json").write_text(json.dumps({**data, "max_position_embeddings": 2048}))
    assert "--max-position-embeddings 2048" in line("convert config.json --to megatron")[1]


def test_a_window_goes_to_a_family_that_has_one(line: Line) -> None:
    pytest.importorskip("yaml")
    Path("model_config.yaml").write_text(
        "name: x\nn_layer: 2\nn_embd: 64\nn_head: 4\npadded_vocab_size: 256\nbias: false\n"
        "intermediate_size: 96\nnorm_class_name: RMSNorm\nmlp_class_name: LLaMAMLP\n"
        "parallel_residual: false\nrotary_percentage: 1.0\nsliding_window_size: 32\n")
    found = json.loads(line("convert model_config.yaml --to hf")[1])
    assert (found["model_type"], found["sliding_window"]) == ("mistral", 32)
    assert "window = 32\n" in line("convert model_config.yaml --to toml")[1]
    assert "--window-size 31,0" in line("convert model_config.yaml --to megatron")[1]
    with Path("model_config.yaml").open("a") as file:
        file.write("sliding_window_indices: [1, 0]\n")
    assert "lost: window = 32 in 1 of 2 layers" in line("convert model_config.yaml --to hf")[2]


def header(path: Path, tensors: tuple[str, ...] = (), **keys: float | str) -> None:
    """A GGUF llama of two layers, written by the library; two underscores in a key are a dot."""
    gguf, numpy = pytest.importorskip("gguf"), pytest.importorskip("numpy")
    writer = gguf.GGUFWriter(path, "llama")
    for key, value in {"block_count": 2, "embedding_length": 64, "attention.head_count": 4,
                       "feed_forward_length": 96, "vocab_size": 256}.items():
        writer.add_uint32(f"llama.{key}", value)
    adding = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
    for key, own in keys.items():
        adding[type(own)](key.replace("__", "."), own)
    layer = {"attn_norm": (64,), "attn_q": (64, 64), "attn_k": (64, 64), "attn_v": (64, 64),
             "attn_output": (64, 64), "ffn_norm": (64,), "ffn_gate": (96, 64), "ffn_up": (96, 64),
             "ffn_down": (64, 96)}
    for name, shape in {"token_embd": (256, 64), "output_norm": (64,), "output": (256, 64), **{
            f"blk.{i}.{name}": shape for i in range(2) for name, shape in layer.items()},
            **dict.fromkeys(tensors, (8,))}.items():
        writer.add_tensor(f"{name}.weight", numpy.zeros(shape, dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.parametrize("more", ["--position-embedding-type none", "--no-position-embedding"])
def test_positions_that_are_told_otherwise_are_refused(more: str, line: Line) -> None:
    Path("train.sh").write_text(
        "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --vocab-size 256 --swiglu"
        " --normalization RMSNorm --disable-bias-linear --max-position-embeddings 64"
        f" --untie-embeddings-and-output-weights {more}")
    for to in ("hf", "litgpt"):
        code, out, err = line(f"convert train.sh --to {to}")
        assert (code, out) == (2, "")
        assert "positions" in err
    assert line("convert train.sh --to megatron")[0] == 0


def test_a_window_of_megatron_is_one(line: Line) -> None:
    Path("train.sh").write_text(
        "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --vocab-size 256 --swiglu"
        " --normalization RMSNorm --disable-bias-linear --position-embedding-type rope"
        " --untie-embeddings-and-output-weights --window-size 127,0")
    found = json.loads(line("convert train.sh --to hf")[1])
    assert (found["model_type"], found["sliding_window"]) == ("mistral", 128)
    Path("train.sh").write_text(Path("train.sh").read_text() + " --window-attn-skip-freq 2")
    assert "lost: window = 127,0 in some layers" in line("convert train.sh --to hf")[2]


def test_what_a_gguf_header_says_goes_along(line: Line) -> None:
    header(Path("x.gguf"), llama__attention__layer_norm_rms_epsilon=1e-5,
           llama__rope__freq_base=500000.0, llama__context_length=8192,
           llama__rope__scaling__type="linear", llama__rope__scaling__factor=4.0,
           llama__rope__dimension_count=16, tokenizer__ggml__bos_token_id=7,
           llama__residual_scale=0.5, general__name="x")
    found = json.loads(line("convert x.gguf --to hf")[1])
    assert {key: found[key] for key in (
        "rms_norm_eps", "rope_theta", "max_position_embeddings", "rope_scaling", "bos_token_id",
        "eos_token_id")} == {
        "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "max_position_embeddings": 8192,
        "rope_scaling": {"rope_type": "linear", "factor": 4.0}, "bos_token_id": 7,
        "eos_token_id": None}
    err = line("convert x.gguf --to hf")[2]
    assert "lost: residual_scale = 0.5" in err
    assert "lost: general.* = 1 key" in err
    out = line("convert x.gguf --to megatron")[1]
    for words in ("--norm-epsilon 1e-05", "--rotary-base 500000", "--max-position-embeddings 8192",
                  "--rotary-seq-len-interpolation-factor 4"):
        assert words in out


def test_scaling_that_only_gguf_has_is_named_and_not_made_up(line: Line) -> None:
    header(Path("x.gguf"), ("rope_freqs",), llama__rope__freq_base=500000.0)
    header(Path("y.gguf"), llama__rope__scaling__type="yarn", llama__rope__scaling__factor=4.0,
           llama__rope__scaling__attn_factor=0.5)
    for file, words in (("x", "factors in rope_freqs.weight"), ("y", "yarn as GGUF has it")):
        for to in TARGETS:
            code, out, err = line(f"convert {file}.gguf --to {to}")
            assert code == 0
            assert "lost: rope_scaling" in err
            assert words in err
            assert "scaling" not in out
    assert "not said: norm_eps" in line("convert x.gguf --to hf")[2]


def test_what_a_description_does_not_say_is_said(line: Line) -> None:
    config()
    assert line("convert config.json --to toml -o x.toml")[0] == 0
    err = line("convert x.toml --to hf")[2]
    assert "not said: norm_eps, there 1e-06" in err
    assert "not said: rope_base, there 10000.0" in err


@together("nullable", [False, True])
@together("names", [("a",), ("a", "b"), ("b", "a", "c")])
@together("data", [dict(zip("abc", each, strict=True)) for each in product((None, 1, 2, ...),
                                                                           repeat=3)])
def test_a_setting_is_under_the_first_of_its_names_that_says_something(
        names: tuple[str, ...], data: dict[str, Any], nullable: bool) -> None:
    """Null says something where it is a value; the first name is written. Three dots: no key."""
    there = {name: value for name, value in data.items() if value is not ...}
    place = places.key(*names, default="nothing", nullable=nullable, written=lambda value: [value])
    said = [there[name] for name in names
            if name in there and (nullable or there[name] is not None)]
    assert place.read(Source(there)) == (said[0] if said else "nothing")
    assert place.write(7) == {names[0]: [7]}
    assert place.keys == names
