"""Megatron-LM: the options of a launch script (``--num-layers 32``), or the same in YAML.

Names are those of megatron-core's own layers; with Transformer Engine's the norms stand inside the
projections that follow them.

Source: NVIDIA/Megatron-LM, megatron/training/arguments.py (names and defaults); megatron-core
0.16.1, models/gpt and transformer (what is built).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.component import Component
from symparam.components import find
from symparam.descriptions.assemble import Block, Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.layout import entries, entry
from symparam.model import Model, Slot

NAME = "Megatron-LM"
PLACES = Places(top="", token="embedding.word_embeddings.", layers="decoder.layers.*.",
                final_norm="decoder.final_layernorm.", head="output_layer.")
EXPERT = ".experts.local_experts.*"
NAMES = (*entries("*.attention", Q_K_V="linear_qkv", O="linear_proj"),
         entry("*.attention", "g_Q", ".q_layernorm.weight"),
         entry("*.attention", "g_K", ".k_layernorm.weight"),
         *entries("*.ffn", down="linear_fc2"),
         entry("*.ffn", "W_router", ".router.weight"), entry("*.ffn", "b_router", ".router.bias"),
         entry("*.ffn", "balance", ".router.expert_bias"),
         entry("*.ffn", "X_down", f"{EXPERT}.linear_fc2.weight"),
         entry("*.ffn", "c_down", f"{EXPERT}.linear_fc2.bias"),
         entry("*.ffn", "S_down", ".shared_experts.linear_fc2.weight"))
GATED = (*entries("*.ffn", gate_up="linear_fc1"),
         entry("*.ffn", "X_gate X_up", f"{EXPERT}.linear_fc1.weight"),
         entry("*.ffn", "c_gate c_up", f"{EXPERT}.linear_fc1.bias"),
         entry("*.ffn", "S_gate S_up", ".shared_experts.linear_fc1.weight"))
PLAIN = (*entries("*.ffn", up="linear_fc1"),
         entry("*.ffn", "X_up", f"{EXPERT}.linear_fc1.weight"),
         entry("*.ffn", "c_up", f"{EXPERT}.linear_fc1.bias"),
         entry("*.ffn", "S_up", ".shared_experts.linear_fc1.weight"))
DIMS = {"L": ("num-layers", None), "d_model": ("hidden-size", None),
        "n_heads": ("num-attention-heads", None), "d_head": ("kv-channels", None)}
#: What says how a model is trained and where, by how it begins.
TRAINING = tuple("""
    nproc lr min-lr train- test- valid- data- save load eval log tensorboard wandb micro-batch
    global-batch rampup adam weight-decay clip-grad recompute distributed- use-flash
    use-distributed use-mcore use-cpu tokenizer- seq-len init-method seed split num-workers
    overlap- sequence-parallel attention-dropout hidden-dropout rotary- norm-epsilon
    transformer-impl exit- timing nnodes node- master- rdzv- bf16 fp16 fp8 pipeline-model-parallel
    context-parallel expert-model-parallel expert-tensor-parallel num-layers-per-virtual no-load
    no-save no-async no-masked no-bias no-gradient no-create no-persist no-rope-fusion
    attention-softmax accumulate- manual-gc ckpt- dist-ckpt finetune override- optimizer vocab-file
    merge-file mock-data reset- cross-entropy attention-backend optimizer- profile rerun-
    apply-layernorm-1p apply-query-key apply-residual
    moe-grouped-gemm moe-token-dispatcher moe-router-load moe-router-dtype moe-aux-loss
    moe-z-loss moe-permute moe-pad moe-expert-capacity moe-per-layer moe-token-drop
    moe-router-pre-softmax moe-router-score moe-router-topk-scaling enable-gloo enable-one-logger
    disable-msc
    legacy- dataloader- no-check no-initialization no-mmap
""".split())


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table has Megatron's options; GPT-NeoX has the same three and others."""
    keys = normal(data).keys()
    return {"num-layers", "hidden-size", "num-attention-heads"} <= keys and not {
        "pos-emb", "norm", "no-weight-tying", "pipe-parallel-size", "model-type"} & keys


def normal(data: Mapping[str, Any]) -> dict[str, Any]:
    """Options with dashes, however they are written."""
    return {str(key).replace("_", "-"): value for key, value in data.items()}


def build(config: Config, name: str) -> Model:
    """A GPT; the vocabulary is padded as the options say, or left open where a tokenizer has it."""
    task = config.task({"GPTModel": "causal"}, "causal")
    for key in ("num-layers", "hidden-size", "num-attention-heads"):
        config.raw(key)
    values = config.dims(DIMS) | _vocabulary(config) | _groups(config)
    gated = config.flag("swiglu", False)
    bias = not config.flag("disable-bias-linear", False)
    norm = _norm(config)
    sites = ["qkv"] * (config.flag("add-qkv-bias", False) or bias) + ["attn-out"] * bias
    attention = slot("attention", "gqa", "self_attention.", bias=sites,
                     qk_norm=_head_norms(config, norm))
    ffn = _ffn(config, values, gated, bias)
    tied = not config.flag("untie-embeddings-and-output-weights", False)
    positions = _positions(config, values)
    config.only("multi-latent-attention", False)
    config.read.update(key for key in config.data if key.startswith(TRAINING))
    config.close(("num-query-groups", "use-rope-scaling", "rope-scaling-factor"))
    block = (attention, *ffn, Slot("norms.attention", norm, "input_layernorm."),
             Slot("norms.ffn", norm, "pre_mlp_layernorm."))
    return decoder_model(config, name, task, values, block, tied=tied, final_norm=norm,
                         places=PLACES, names=(*NAMES, *(GATED if gated else PLAIN)),
                         embedding=positions, positions=None if positions else "rope")


def _vocabulary(config: Config) -> dict[str, int]:
    step = config.count_of("make-vocab-size-divisible-by", default=128) * config.count_of(
        "tensor-model-parallel-size", default=1)
    if config.raw("padded-vocab-size", None) is not None:
        return {"V": config.count_of("padded-vocab-size")}
    if config.raw("vocab-size", None) is None:
        config.left_out.append("the options do not say how many tokens there are (the tokenizer "
                               f"does): add V=..., a multiple of {step}")
        return {}
    return {"V": -(-config.count_of("vocab-size") // step) * step}


def _groups(config: Config) -> dict[str, int]:
    """The number of key-value heads, which counts where groups are switched on."""
    if not config.flag("group-query-attention", False):
        return {}
    return {"n_kv": config.count_of("num-query-groups", default=1)}


def _norm(config: Config) -> Component:
    kind = config.text("normalization", "LayerNorm")
    if kind not in {"LayerNorm", "RMSNorm"}:
        raise config.error("normalization", f"{kind[:40]!r} is neither LayerNorm nor RMSNorm")
    return find("norm", kind.lower())()


def _head_norms(config: Config, norm: Component) -> bool:
    normed = config.flag("qk-layernorm", False)
    if normed and norm.name != "rmsnorm":
        raise config.error("qk-layernorm", "is understood with RMSNorm alone")
    return normed


def _positions(config: Config, values: dict[str, int]) -> Block:
    """A table of positions; none where they turn, or where there are none."""
    kind = config.text("position-embedding-type", "learned_absolute")
    if config.flag("use-rotary-position-embeddings", False):
        kind = "rope"
    length = config.optional_count("max-position-embeddings")
    if kind == "learned_absolute":
        if length is None:
            raise config.error("max-position-embeddings", "is missing: positions are learned")
        values["n_ctx"] = length
        return (slot("positions", "learned", "embedding.position_embeddings."),)
    if kind not in {"rope", "none"}:
        raise config.error("position-embedding-type", f"{kind[:40]!r} is not understood; handled: "
                           "learned_absolute, rope, none")
    return ()


def _ffn(config: Config, values: dict[str, int], gated: bool, bias: bool) -> Block:
    """The network of a layer; its width follows where no option says it."""
    inner = config.optional_count("ffn-hidden-size")
    experts = config.optional_count("num-experts")
    width = values["d_model"]
    usual = (4 * width * 2 // 3) // 64 * 64 if gated else 4 * width
    config.only("squared-relu", False, True)
    if experts is None:
        values["d_ff"] = inner or usual
        return (slot("ffn", "swiglu" if gated else "mlp", "mlp.", bias=bias),)
    config.only("moe-layer-freq", 1)
    values |= {"n_experts": experts, "top_k": config.count_of("moe-router-topk", default=2),
               "d_expert": config.optional_count("moe-ffn-hidden-size") or inner or usual}
    shared = config.optional_count("moe-shared-expert-intermediate-size")
    if shared is not None:
        values["d_shared"] = shared
        if bias:  # megatron-core refuses it too (transformer/moe/shared_experts.py)
            raise config.error("moe-shared-expert-intermediate-size", "has no biases: "
                               "--disable-bias-linear is missing")
    config.only("moe-shared-expert-gate", False)
    balance = config.flag("moe-router-enable-expert-bias", False)
    return (slot("ffn", "moe", "mlp.", bias=bias, gated=gated, shared=shared is not None,
                 balance=balance),)
