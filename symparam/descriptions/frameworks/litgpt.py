"""LitGPT: the fields of its ``Config``, as ``model_config.yaml`` has them.

Its head is a tensor of its own always. Norms without weights are OLMo's first: the class looks at
the name.

Source: Lightning-AI/litgpt 0.5.13, litgpt/config.py and litgpt/model.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symparam.component import Component
from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, told
from symparam.descriptions.config import Config
from symparam.descriptions.padded import padded
from symparam.descriptions.reading.source import shown
from symparam.layout import Entry, entries, entry
from symparam.model import Model
from symparam.stack import Slot

NAME = "LitGPT"
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
DIMS = {"L": ("n_layer", 16), "d_model": ("n_embd", 4096), "n_heads": ("n_head", 32),
        "n_kv": ("n_query_groups", None), "d_head": ("head_size", None),
        "d_ff": ("intermediate_size", None)}
MLPS = {"GptNeoxMLP": "mlp", "LLaMAMLP": "swiglu", "GemmaMLP": "geglu", "LLaMAMoE": "moe"}
HARMLESS = frozenset("""
    name hf_config block_size norm_eps parallel_residual attention_scores_scalar
    attention_logit_softcapping final_logit_softcapping rope_base rotary_percentage
    rope_condense_ratio rope_adjustments rope_interleave rope_local_base_freq rope_indices
    gelu_approximate scale_embeddings routed_scaling_factor norm_topk_prob n_topk_groups
    n_topk_scores_per_group rope_n_elem vocab_size padding_multiple
""".split())
ATTENTION = (*entries("*.attention", Q_K_V="qkv", O="proj"),
             entry("*.attention", "g_Q", ".norm_q.weight"),
             entry("*.attention", "g_K", ".norm_k.weight"),
             entry("*.qk-norm", "g_Q", ".norm_q.weight"),
             entry("*.qk-norm", "g_K", ".norm_k.weight"))
LATENT = (*entries("*.attention", DQ="q_a_proj", UQ="q_b_proj", DKV="kv_a_proj_with_mqa",
                   UKV="kv_b_proj", O="proj"),
          entry("*.attention", "g_Q", ".q_a_norm.weight"),
          entry("*.attention", "g_KV", ".kv_a_norm.weight"))
PLAIN = entries("*.ffn", up="fc", down="proj")
GATED = entries("*.ffn", gate="fc_1", up="fc_2", down="proj")
EXPERTS = tuple(entry("*.ffn", f"{letter}_{part}", f".{place}.{name}.weight")
                for letter, place in (("X", "experts.*"), ("S", "shared_experts"))
                for part, name in (("gate", "fc_1"), ("up", "fc_2"), ("down", "proj")))


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of LitGPT's, or of a run that it trains."""
    if {"model_name", "model_config"} <= data.keys():
        return True
    return "n_embd" in data and (file.startswith("model_config.") or bool(
        {"mlp_class_name", "norm_class_name", "padded_vocab_size", "hf_config"} & data.keys()))


def normal(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The model's table, of a run's."""
    inner = data.get("model_config")
    return inner if isinstance(inner, dict) else data


def build(config: Config, name: str) -> Model:
    """A model from its fields; a vocabulary is padded to a multiple unless that is stated."""
    if "model_name" in config:
        raise config.error("model_name", f"{shown(config.raw('model_name'))} is a name of LitGPT's "
                           "own list, and no number of it stands here: the model_config.yaml "
                           "beside its checkpoint has them")
    task = config.task({"GPT": "causal"}, "causal")
    values = config.dims(DIMS) | {"V": vocabulary(config)}
    norm = _norm(config)
    mlp = config.text("mlp_class_name", "GptNeoxMLP")
    if mlp not in MLPS:
        raise config.error("mlp_class_name", f"{mlp[:40]!r} is none of {', '.join(MLPS)}")
    bias = config.flag("bias", True)
    attention, names = _attention(config, values, bias)
    slots = (*attention, *_norms(config, norm))
    blocks, pattern, more = _blocks(config, values, slots, mlp, bias)
    head = config.flag("lm_head_bias", False)
    windows = _windows(config, values["L"])
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, blocks, pattern=pattern, tied=False,
                         head_bias=head, final_norm=norm, places=PLACES, names=(*names, *more),
                         windows=windows)


def vocabulary(config: Config) -> int:
    """The rows of the embedding: the padded number, or the next multiple of the padding."""
    if config.raw("padded_vocab_size", None) is not None:
        config.optional_count("vocab_size")
        return config.count_of("padded_vocab_size")
    return padded(config, "padded_vocab_size", config.count_of("vocab_size", default=50254),
                  config.count_of("padding_multiple", default=512))


def _norm(config: Config) -> Component:
    kind = config.text("norm_class_name", "LayerNorm")
    if kind not in {"LayerNorm", "RMSNorm"}:
        raise config.error("norm_class_name", f"{kind[:40]!r} is neither LayerNorm nor RMSNorm")
    bare = kind == "LayerNorm" and "OLMo" in config.text("name", "")
    return find("norm", "none" if bare else kind.lower())()


def _norms(config: Config, norm: Component) -> Block:
    """The norms of a block, each where the fields say that it stands."""
    shared = config.flag("shared_attention_norm", False)
    there = (("norms.attention", "norm_1.", config.flag("norm_1", True)),
             ("norms.attention_out", "post_attention_norm.",
              config.flag("post_attention_norm", False)),
             ("norms.ffn", "norm_2.", config.flag("norm_2", True) and not shared),
             ("norms.ffn_out", "post_mlp_norm.", config.flag("post_mlp_norm", False)))
    found = tuple(Slot(path, norm, prefix) for path, prefix, on in there if on)
    if shared and len(found) == 1:  # one for both
        return (replace(found[0], path="norms.input"),)
    return found


def _latent(config: Config, values: dict[str, int], bias: bool) -> Block:
    """Latent attention (MultiheadLatentAttention): ranks for queries and for keys with values."""
    part, heads = config.part("latent_attention", NAME), values["n_heads"]
    if values.pop("n_kv", heads) != heads:
        raise config.error("n_query_groups", f"latent attention has one for each of {heads} heads")
    values.pop("d_head", None)
    config.only("norm_qk", False)
    if bias:
        raise config.error("bias", "of latent attention is not understood")
    for dim, key in (("q_rank", "q_lora_rank"), ("kv_rank", "kv_lora_rank"),
                     ("d_nope", "qk_nope_head_dim"), ("d_rope", "qk_rope_head_dim"),
                     ("d_v", "v_head_dim")):
        values[dim] = part.count_of(key)
    part.close()
    sites = ["qkv"] * config.flag("attn_bias", False)
    return (slot("attention", "mla", "attn.", bias=sites),)


def _attention(config: Config, values: dict[str, int],
               bias: bool) -> tuple[Block, tuple[Entry, ...]]:
    """Attention of heads, or latent attention."""
    queries = config.flag("attn_bias", False) or bias
    if config.raw("latent_attention", None) is not None:
        return _latent(config, values, bias), LATENT
    sites = ["qkv"] * queries + ["attn-out"] * bias
    normed = config.flag("norm_qk", False)
    wide = config.text("norm_qk_type", "default")
    if wide not in {"default", "olmo2"}:
        raise config.error("norm_qk_type", f"{wide[:40]!r} is neither default nor olmo2")
    if normed and config.raw("norm_class_name", "LayerNorm") != "RMSNorm":
        raise config.error("norm_qk", "is understood with RMSNorm alone")
    block: Block = (slot("attention", "gqa", "attn.", bias=sites,
                         qk_norm=normed and wide == "default"),)
    if normed and wide == "olmo2":
        block += (slot("qk-norm", "width", "attn."),)
    return block, ATTENTION


def _blocks(config: Config, values: dict[str, int], slots: Block, mlp: str, bias: bool,
            ) -> tuple[Block | dict[str, Block], list[str], tuple[Entry, ...]]:
    """The block of every layer, or of dense and sparse ones, with the kind of each."""
    experts = config.number("n_expert", 0)
    used, dense = config.number("n_expert_per_token", 0), config.raw("first_k_dense_replace", None)
    groups = config.optional_count("n_expert_groups")
    shared = config.optional_count("n_shared_expert")
    inner = config.optional_count("moe_intermediate_size")
    if mlp != "LLaMAMoE":
        if "d_ff" not in values and mlp != "GptNeoxMLP":
            values["d_ff"] = 4 * values["d_model"]
        return ((*slots, slot("ffn", MLPS[mlp], "mlp.", bias=bias)), [],
                PLAIN if mlp == "GptNeoxMLP" else GATED)
    if bias:
        raise config.error("bias", "of experts is not understood")
    width = values.pop("d_ff", 4 * values["d_model"])
    values |= {"n_experts": experts, "top_k": used, "d_expert": inner or width}
    if shared:
        values["n_shared"] = shared
    sparse = slot("ffn", "moe", "mlp.", balance=groups is not None, shared=bool(shared))
    if dense is None:
        return (*slots, sparse), [], (*EXPERTS,)
    first = config.number("first_k_dense_replace", 0)
    pattern = ["dense"] * min(first, values["L"]) + ["sparse"] * max(0, values["L"] - first)
    if first:
        values["d_ff"] = width
    return ({"dense": (*slots, slot("ffn", "swiglu", "mlp.")), "sparse": (*slots, sparse)},
            pattern, (*GATED, *EXPERTS))


def _windows(config: Config, depth: int) -> Sliding | None:
    """Which layers have a window: those with a one in the list, all of them where there is none."""
    length = config.optional_count("sliding_window_size")
    listed = config.raw("sliding_window_indices", None)
    if length is None:
        return None
    marks = [1] * depth if listed is None else listed
    if not isinstance(marks, list) or len(marks) < depth or not all(
            type(mark) is int and mark in (0, 1) for mark in marks):
        raise config.error("sliding_window_indices",
                           f"expected a one or a zero for each of {depth} layers")
    return told(config, [length if mark else None for mark in marks[:depth]])
