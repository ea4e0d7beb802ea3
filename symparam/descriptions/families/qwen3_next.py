"""Qwen3-Next and the text models of Qwen3.5: Gated DeltaNet with gated attention in between.

Source: Qwen team 2025, Qwen3-Next and Qwen3.5 model cards; Yang et al. 2024, arXiv:2412.06464;
transformers, models/qwen3_next, models/qwen3_5 and models/qwen3_5_moe.
"""

from __future__ import annotations

from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text")
CLASSES = {
    "qwen3_next": classes("Qwen3Next"),
    "qwen3_5_text": {"Qwen3_5ForCausalLM": "causal", "Qwen3_5TextModel": "base"},
    "qwen3_5_moe_text": {"Qwen3_5MoeForCausalLM": "causal", "Qwen3_5MoeTextModel": "base"},
}
#: Defaults that the three share: keys as in Qwen3-Next.
SHARED = {
    "d_head": ("head_dim", 256), "n_heads": ("num_attention_heads", 16),
    "n_key": ("linear_num_key_heads", 16), "n_value": ("linear_num_value_heads", 32),
    "d_key": ("linear_key_head_dim", 128), "d_value": ("linear_value_head_dim", 128),
    "k_conv": ("linear_conv_kernel_dim", 4),
}
EXPERTS = {"d_expert": ("moe_intermediate_size", 512),
           "d_shared": ("shared_expert_intermediate_size", 512)}
DIMS: dict[str, dict[str, tuple[Any, ...]]] = {
    "qwen3_next": {"V": ("vocab_size", 151936), "L": ("num_hidden_layers", 48),
                   "d_model": ("hidden_size", 2048),
                   "n_kv": ("num_key_value_heads", 2), "d_ff": ("intermediate_size", 5632),
                   "top_k": ("num_experts_per_tok", 10), **SHARED, **EXPERTS},
    "qwen3_5_text": {"V": ("vocab_size", 248320), "L": ("num_hidden_layers", 32),
                     "d_model": ("hidden_size", 4096),
                     "n_kv": ("num_key_value_heads", 4), "d_ff": ("intermediate_size", 12288),
                     **SHARED},
    "qwen3_5_moe_text": {"V": ("vocab_size", 248320), "L": ("num_hidden_layers", 40),
                         "d_model": ("hidden_size", 2048),
                         "n_kv": ("num_key_value_heads", 2), "top_k": ("num_experts_per_tok", 8),
                         **SHARED, **EXPERTS},
}
N_EXPERTS = {"qwen3_next": 512, "qwen3_5_text": 0, "qwen3_5_moe_text": 256}
HARMLESS = NO_TABLE | frozenset("""
    mamba_ssm_dtype max_window_layers output_gate_type sliding_window use_sliding_window
""".split())
NAMES = (
    *FUSED_EXPERTS,
    *(entry("*.ffn", f"S_{part}", f".shared_expert.{part}_proj.weight")
      for part in ("gate", "up", "down")),
    entry("*.attention", "W_Q W_G", ".q_proj.weight"),
    entry("*.attention", "b_Q b_G", ".q_proj.bias"),
    entry("*.mixer", "g_out", ".norm.weight"), entry("*.mixer", "W_O", ".out_proj.weight"),
)
FUSED = (entry("*.mixer", "W_Q W_K W_V W_Z", ".in_proj_qkvz.weight"),
         entry("*.mixer", "W_beta W_alpha", ".in_proj_ba.weight"))
APART = (entry("*.mixer", "W_Q W_K W_V", ".in_proj_qkv.weight"),
         entry("*.mixer", "W_Z", ".in_proj_z.weight"),
         entry("*.mixer", "W_beta", ".in_proj_b.weight"),
         entry("*.mixer", "W_alpha", ".in_proj_a.weight"))


def build(config: Config, name: str) -> Model:
    """A hybrid of linear and softmax attention, its FFNs dense or mixtures."""
    kind = config.model_type
    task = config.task(CLASSES[kind], "causal")
    values = config.dims(DIMS[kind])
    experts = config.number("num_experts", N_EXPERTS[kind]) if N_EXPERTS[kind] else 0
    if experts:
        values["n_experts"] = experts
    pattern = _pattern(config, kind, values.pop("L"), experts)
    bias = ["qkv", "attn-out"] if config.flag("attention_bias", False) else []
    tied = config.flag("tie_word_embeddings", False)
    config.only("attn_output_gate", True)
    leave_out_mtp(config, "mtp_num_hidden_layers", "mtp_use_dedicated_embeddings")
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    return decoder_model(config, name, task, values, _blocks(bias), pattern=pattern,
                         final_norm=norm, tied=tied,
                         names=(*NAMES, *(FUSED if kind == "qwen3_next" else APART)))


def leave_out_mtp(config: Config, key: str, *others: str) -> None:
    """Say that multi-token-prediction layers are left out: transformers does not build them."""
    for other in others:
        config.raw(other, None)
    if number := config.number(key, 0):
        config.left_out.append(f"multi-token prediction ({key} = {number}), which transformers "
                               "leaves out")


def _pattern(config: Config, kind: str, depth: int, experts: int) -> list[str]:
    every = config.optional_count("full_attention_interval") or 4
    mixers = config.kinds("layer_types",
                          {"linear_attention": "linear", "full_attention": "attention",
                           "attention": "attention"}, depth,
                          lambda i: "linear_attention" if (i + 1) % every else "full_attention")
    step, dense = 1, set[int]()
    if kind == "qwen3_next":
        step, dense = config.count_of("decoder_sparse_step", default=1), _dense_layers(config)
    else:
        config.only("mlp_only_layers", [], None)
    return [mixer + "_sparse" * bool(experts and i not in dense and (i + 1) % step == 0)
            for i, mixer in enumerate(mixers)]


def _dense_layers(config: Config) -> set[int]:
    value = config.raw("mlp_only_layers", None)
    if value is not None and not (isinstance(value, list) and all(
            type(each) is int for each in value)):
        raise config.error("mlp_only_layers", f"expected a list of layer numbers, found "
                           f"{shown(value)}")
    return set(value or ())


def _blocks(bias: list[str]) -> dict[str, Block]:
    norms = norm_slots(find("norm", "rmsnorm")(), 2)
    mixers = {"linear": slot("mixer", "gated-delta-net"),
              "attention": slot("attention", "gated", bias=bias, qk_norm=True)}
    dense = slot("ffn", "swiglu")
    sparse = slot("ffn", "moe", shared=True, shared_gate=True)
    return {kind + tail: (mixer, ffn, *norms) for kind, mixer in mixers.items()
            for tail, ffn in (("", dense), ("_sparse", sparse))}
