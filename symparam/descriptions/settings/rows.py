"""The table of settings: what each means, where each format keeps it, and what holds unsaid there.

Formats are ``hf:MODEL_TYPE``, the names of frameworks, ``gguf`` (the keys of a header without the
architecture's name) and ``toml`` (a description).

Sources: transformers 5.23, the classes' own defaults (``tests/test_settings.py`` holds them against
those); litgpt 0.5.13, config.py and model.py; Megatron-LM, megatron/training/arguments.py;
llama-models, models/llama3/args.py; mistral-inference, args.py; nanoGPT, model.py; gpt-neox at
ea7aefd, megatron/neox_arguments/neox_args.py; llama.cpp, gguf-py/gguf/constants.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions.settings import values as v
from symparam.descriptions.settings import windows as w
from symparam.descriptions.settings.places import (
    OPEN,
    Place,
    Source,
    always,
    as_flag,
    as_number,
    as_single,
    as_tokens,
    key,
    plain,
)

#: Families whose layers apply attention, then the network, with a norm of each.
GATED = ("llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "olmo2")
FAMILIES = (*GATED, "gpt2", "gpt_neox")
FRAMEWORKS = ("litgpt", "megatron", "meta", "mistral", "nanogpt", "gpt_neox")
FORMATS = (*(f"hf:{kind}" for kind in FAMILIES), *FRAMEWORKS, "gguf", "toml")


@dataclass(frozen=True)
class Row:
    """A setting.

    Attributes:
        name: what it is called here.
        places: where each format keeps it.
        turned: whether it is one of positions that turn, and without a meaning where there is a
            table of them.
        routed: whether it is one of experts.
    """

    name: str
    places: Mapping[str, Place]
    turned: bool = False
    routed: bool = False


def _row(name: str, gated: Callable[[str], Place] | Place, *, turned: bool = False,
         routed: bool = False, rest: Place = OPEN, **own: Place) -> Row:
    """A row: the families of transformers by a function of their name, others by theirs.

    ``hf_gpt2`` and ``hf_gpt_neox`` are the families, ``gpt_neox`` and ``mistral`` the frameworks.
    """
    places = {f"hf:{kind}": gated if isinstance(gated, Place) else gated(kind) for kind in GATED}
    for kind in FAMILIES[len(GATED):]:
        places[f"hf:{kind}"] = own.pop(f"hf_{kind}", rest)
    places |= {name: own.pop(name, rest) for name in FORMATS if not name.startswith("hf:")}
    if own:
        raise KeyError(name, *own)
    return Row(name, places, turned, routed)


def _rotary(source: Source) -> Any:
    count = source.data.get("rope.dimension_count")
    return 1.0 if count is None else as_number("rope.dimension_count", count) / source.width


def _hf_base(kind: str) -> Place:
    return _in_parameters(key("rope_theta", default=1e6 if kind == "mixtral" else 1e4))


def _in_parameters(place: Place, name: str = "rope_theta") -> Place:
    """A key that the newer way has in a table."""
    def read(source: Source) -> Any:
        table = source.data.get("rope_parameters")
        if isinstance(table, dict) and table.get(name) is not None:
            return as_number(f"rope_parameters.{name}", table[name])
        return place.read(source)

    return Place(read, place.write, place.keys)


def _token(name: str) -> Row:
    ends = {"bos": {"gpt2": 50256, "gpt_neox": 0}, "eos": {"gpt2": 50256, "gpt_neox": 2}}
    usual = {"bos": dict.fromkeys(("llama", "mistral", "mixtral"), 1),
             "eos": dict.fromkeys(("llama", "mistral", "mixtral"), 2) | {"olmo2": 50279},
             "pad": {"olmo2": 1}}[name]
    here = partial(key, f"{name}_token_id", kind=as_tokens, nullable=True)
    in_gguf = f"tokenizer.ggml.{'padding' if name == 'pad' else name}_token_id"
    return _row(f"{name}_token_id", lambda kind: here(default=usual.get(kind)),
                hf_gpt2=here(default=ends.get(name, {}).get("gpt2")),
                hf_gpt_neox=here(default=ends.get(name, {}).get("gpt_neox")),
                gguf=key(in_gguf, default=None, kind=as_tokens), rest=always(None))


_NO_WINDOWS = always(None)
_SILU = always("silu")
_GELU = always("gelu")
_HF_WINDOWS = {"mistral": w.hf_windows(4096), "mixtral": w.hf_windows(None),
               "qwen2": w.hf_windows(4096, True, True), "qwen3": w.hf_windows(4096, True, True),
               "qwen3_moe": w.hf_windows(4096, True)}
_NEOX_TURNED = _in_parameters(key("rotary_pct", default=0.25), "partial_rotary_factor")

ROWS: tuple[Row, ...] = (
    _row("norm_eps", lambda kind: key(
        "rms_norm_eps", default=1e-5 if kind in {"mixtral", "olmo2"} else 1e-6),
        hf_gpt2=key("layer_norm_epsilon", default=1e-5),
        hf_gpt_neox=key("layer_norm_eps", default=1e-5), litgpt=key("norm_eps", default=1e-5),
        megatron=key("norm-epsilon", default=1e-5), meta=key("norm_eps", default=1e-5),
        mistral=key("norm_eps"), nanogpt=always(1e-5),
        gpt_neox=key("layernorm_epsilon", default=1e-5),
        gguf=key("attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon",
                 kind=as_single)),
    _row("rope_base", _hf_base, turned=True,
         # the newer class reads no rope_theta outside of its table
         hf_gpt_neox=_in_parameters(key("rotary_emb_base", "rope_theta", default=1e4,
                                        written=plain)),
         litgpt=key("rope_base", default=1e4, written=plain),
         megatron=key("rotary-base", default=1e4, written=plain), meta=key("rope_theta"),
         mistral=key("rope_theta"), gpt_neox=key("rotary_emb_base", default=1e4, written=plain),
         gguf=key("rope.freq_base", default=1e4, kind=as_single)),
    _row("rope_scaling", Place(v.hf_scaling, v.hf_scaled, ("rope_scaling", "rope_parameters")),
         turned=True,
         hf_gpt_neox=Place(partial(v.hf_scaling, beside=("rope_theta", "partial_rotary_factor")),
                           v.hf_scaled, ("rope_scaling", "rope_parameters")),
         litgpt=Place(v.litgpt_scaling, v.litgpt_scaled, (
             "rope_condense_ratio", "rope_adjustments")),
         megatron=Place(v.megatron_scaling, v.megatron_scaled, (
             "use-rope-scaling", "rope-scaling-factor", "rotary-seq-len-interpolation-factor")),
         meta=Place(v.meta_scaling, keys=(
             "use_scaled_rope", "rope_scaling_factor", "rope_high_freq_factor")),
         mistral=always(None), gpt_neox=always(None), nanogpt=always(None),
         gguf=Place(v.gguf_scaling)),
    _row("rotary", always(1.0), turned=True, hf_gpt_neox=_NEOX_TURNED,
         litgpt=key("rotary_percentage", default=0.25),
         megatron=key("rotary-percent", default=1.0), gpt_neox=key("rotary_pct", default=1.0),
         meta=always(1.0), mistral=always(1.0),
         gguf=Place(_rotary, keys=("rope.dimension_count",))),
    _row("context", lambda kind: key(
        "max_position_embeddings",
        default=2048 if kind in {"llama", "olmo2"} else 131072 if "mi" in kind else 32768),
        turned=True, hf_gpt_neox=key("max_position_embeddings", default=2048),
        litgpt=key("block_size", default=4096), megatron=key("max-position-embeddings"),
        meta=key("max_seq_len"), mistral=key("max_seq_len"),
        gpt_neox=key("max_position_embeddings"), gguf=key("context_length")),
    _row("activation", v.named_activation("hidden_act", "silu"),
         hf_gpt2=v.named_activation("activation_function", "gelu_new", "gelu_new"),
         hf_gpt_neox=v.named_activation("hidden_act", "gelu"),
         litgpt=v.by_network(v.litgpt_gated, v.litgpt_gelu, v.litgpt_gelus,
                             ("gelu_approximate",)),
         megatron=v.by_network(
             lambda source: "silu",
             v.megatron_activation, v.megatron_activated, (
                 "squared-relu", "openai-gelu", "no-bias-gelu-fusion", "bias-gelu-fusion")),
         meta=_SILU, mistral=_SILU, nanogpt=_GELU,
         gpt_neox=Place(v.neox_activation, keys=("activation", "bias_gelu_fusion")),
         gguf=Place(lambda source: "silu" if source.ffn != "mlp" else "gelu_pytorch_tanh" if
                    source.data.get("general.architecture") == "gpt2" else "gelu"),
         toml=Place(v.described)),
    _row("window", lambda kind: _HF_WINDOWS.get(kind, _NO_WINDOWS),
         litgpt=Place(w.litgpt_windows, w.litgpt_windowed, (
             "sliding_window_size", "sliding_window_indices")),
         megatron=Place(w.megatron_windows, w.megatron_windowed, (
             "window-size", "window-attn-skip-freq")),
         mistral=Place(w.mistral_windows, keys=("sliding_window",)),
         gpt_neox=Place(w.neox_windows, keys=("sliding_window_width",)),
         toml=Place(w.toml_windows, w.toml_windowed), rest=_NO_WINDOWS),
    _row("parallel", always(False),
         hf_gpt_neox=key("use_parallel_residual", default=True, kind=as_flag),
         litgpt=key("parallel_residual", default=True, kind=as_flag),
         gpt_neox=key("gpt_j_residual", default=False, kind=as_flag),
         gguf=key("use_parallel_residual", default=False, kind=as_flag), toml=OPEN,
         rest=always(False)),
    _row("positions", always("rope"), hf_gpt2=always("learned"), nanogpt=always("learned"),
         megatron=Place(v.megatron_positions, keys=(
             "position-embedding-type", "use-rotary-position-embeddings",
             "no-position-embedding")), gpt_neox=Place(v.neox_positions, keys=("pos_emb",)),
         gguf=Place(lambda source: source.positions), toml=Place(lambda source: source.positions),
         rest=always("rope")),
    _row("norm_offset", always(False), rest=always(False), litgpt=Place(
        lambda source: "Gemma" in str(source.data.get("name")) and source.data.get(
            "norm_class_name") == "RMSNorm")),
    _row("norm_topk_prob", lambda kind: key("norm_topk_prob", default=False, kind=as_flag)
         if kind == "qwen3_moe" else always(True), routed=True,
         litgpt=Place(lambda source: bool(source.data.get("norm_topk_prob")) or not
                      source.data.get("n_expert_groups"), keys=("norm_topk_prob",)),
         megatron=Place(lambda source: not source.data.get("moe-router-pre-softmax"),
                        lambda value: {} if value else {"moe-router-pre-softmax": True},
                        ("moe-router-pre-softmax",)),
         mistral=always(True), gguf=always(True)),
    _token("bos"), _token("eos"), _token("pad"),
    _row("initializer_range", key("initializer_range", default=0.02),
         hf_gpt2=key("initializer_range", default=0.02),
         hf_gpt_neox=key("initializer_range", default=0.02),
         megatron=key("init-method-std", default=0.02), nanogpt=always(0.02),
         gpt_neox=key("init_method_std", default=0.02)),
    _row("attention_dropout", key("attention_dropout", default=0.0),
         hf_gpt2=key("attn_pdrop", default=0.1), hf_gpt_neox=key("attention_dropout", default=0.0),
         megatron=key("attention-dropout", default=0.1), nanogpt=key("dropout", default=0.0),
         gpt_neox=key("attention_dropout", default=0.0), litgpt=always(0.0), meta=always(0.0),
         mistral=always(0.0)),
    _row("hidden_dropout", always(0.0), hf_gpt2=key("resid_pdrop", default=0.1),
         hf_gpt_neox=key("hidden_dropout", default=0.0),
         megatron=key("hidden-dropout", default=0.1), nanogpt=key("dropout", default=0.0),
         gpt_neox=key("hidden_dropout", default=0.0), litgpt=always(0.0), meta=always(0.0),
         mistral=always(0.0)),
    _row("embedding_dropout", always(0.0), hf_gpt2=key("embd_pdrop", default=0.1),
         hf_gpt_neox=Place(key("hidden_dropout", default=0.0).read),
         megatron=Place(key("hidden-dropout", default=0.1).read),
         nanogpt=key("dropout", default=0.0),
         gpt_neox=Place(key("hidden_dropout", default=0.0).read), litgpt=always(0.0),
         meta=always(0.0), mistral=always(0.0)))
