"""Megatron-LM: the options of a launch script (``--num-layers 32``), or the same in YAML.

Names are those of megatron-core's own layers; with Transformer Engine's the norms stand inside the
projections that follow them.

Source: NVIDIA/Megatron-LM, megatron/training/arguments.py (names and defaults); megatron-core
0.16.1, models/gpt and transformer (what is built).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import Any

from symparam.component import Component
from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, decoder_model, slot
from symparam.descriptions.config import MAX_LAYERS, REQUIRED, Config
from symparam.descriptions.megatron_keys import SWITCHES, TRAINING
from symparam.descriptions.padded import padded
from symparam.descriptions.reading.source import Taken, Unsure, shown
from symparam.layout import Entry, entries, entry
from symparam.model import Model
from symparam.stack import Slot

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
#: Dims of latent attention, with the defaults of the options.
LATENT = {"kv_rank": ("kv-lora-rank", 32), "d_nope": ("qk-head-dim", 128),
          "d_rope": ("qk-pos-emb-head-dim", 64), "d_v": ("v-head-dim", 128)}
LATENT_NAMES = (*entries("*.attention", Q="linear_q_proj", DQ="linear_q_down_proj",
                         UQ="linear_q_up_proj", DKV="linear_kv_down_proj",
                         UKV="linear_kv_up_proj", O="linear_proj"),
                entry("*.attention", "g_KV", ".kv_layernorm.weight"))
#: Where the options stand that a script gives only with other settings than its defaults.
ABSENT = "not-given"
#: Programs of Megatron-LM whose models are no GPT, by what is in their names.
_OTHERS = re.compile("bert|t5|mamba|hybrid|vlm|ict|vision|retro|dino|realm|multimodal|mimo")
DIMS = {"L": ("num-layers", REQUIRED), "d_model": ("hidden-size", REQUIRED),
        "n_heads": ("num-attention-heads", REQUIRED), "d_head": ("kv-channels", None)}


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table has Megatron's options; GPT-NeoX has the same three and others."""
    keys = normal(data).keys()
    return {"num-layers", "hidden-size", "num-attention-heads"} <= keys and not {
        "pos-emb", "norm", "no-weight-tying", "pipe-parallel-size", "model-type"} & keys


def almost(data: Mapping[str, Any]) -> str:
    """What a launch script lacks of the options that each model has; empty for other tables."""
    needed = [option for option, absent in DIMS.values() if absent is REQUIRED]
    lost = [option for option in needed if option not in normal(data)]
    if len(lost) == len(needed) or not set(needed) & data.keys():  # (YAML has no dashes)
        return ""
    return f"it has options of {NAME} without {' and '.join(f'--{each}' for each in lost)}"


def normal(data: Mapping[str, Any]) -> dict[str, Any]:
    """Options with dashes, in small letters; a switch stands alone, whatever follows."""
    every = {str(key).replace("_", "-").lower(): value for key, value in data.items()}
    found = {key: value for key, value in every.items()
             if not (isinstance(value, Taken) and value.value is None)}
    absent = {key: every[key].told for key in every.keys() - found.keys()
              if not key.startswith(TRAINING)}
    if absent:
        found[ABSENT] = Taken(len(absent), f"{', '.join(f'--{key}' for key in sorted(absent))}: "
                              + "; ".join(sorted(set(absent.values()))))
    return found | {key: Taken(True, f"{value.why}, taken as empty") for key, value in found.items()
                    if key in SWITCHES and isinstance(value, Unsure) and value.alone}


def build(config: Config, name: str) -> Model:
    """A GPT; the vocabulary is padded as the options say, or left open where a tokenizer has it."""
    task = config.task({"GPTModel": "causal"}, "causal")
    config.raw(ABSENT, None)
    program = config.text("program", "")
    if other := _OTHERS.search(program):
        raise config.error("program", f"{program[:60]} trains another kind of model ({other[0]}): "
                           "a GPT's options are understood")
    values = config.dims(DIMS) | _vocabulary(config) | _groups(config)
    gated = config.flag("swiglu", False)
    bias = not config.flag("disable-bias-linear", False)
    norm = _norm(config)
    attention, more = _attention(config, values, norm, bias)
    networks, pattern = _networks(config, values, gated, bias)
    tied = not config.flag("untie-embeddings-and-output-weights", False)
    positions = _positions(config, values)
    _leave_out(config)
    config.read.update(key for key in config.data if key.startswith(TRAINING))
    config.close(("num-query-groups",))
    around = (Slot("norms.attention", norm, "input_layernorm."),
              Slot("norms.ffn", norm, "pre_mlp_layernorm."))
    blocks = {kind: (attention, ffn, *around) for kind, ffn in networks.items()}
    return decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                         final_norm=norm, places=PLACES,
                         names=(*NAMES, *more, *(GATED if gated else PLAIN)),
                         embedding=positions, positions=None if positions else "rope")


def _leave_out(config: Config) -> None:
    """Note what is built beside the model that is counted, and what a count does not see."""
    layers = config.number("mtp-num-layers", 0) if config.raw("mtp-num-layers", None) else 0
    if layers:
        config.left_out.append(f"{layers} multi-token-prediction layer{'s' * (layers > 1)} "
                               f"(--mtp-num-layers {layers})")
    windows = [config.raw(key, None) for key in ("window-size", "window-attn-skip-freq")]
    if windows[0] is not None:
        config.left_out.append("windows (--window-size): what layers keep is counted as if they "
                               "saw all")


def _vocabulary(config: Config) -> dict[str, int]:
    steps = (config.count_of("make-vocab-size-divisible-by", default=128),
             config.count_of("tensor-model-parallel-size", default=1))
    if config.raw("padded-vocab-size", None) is not None:
        config.optional_count("vocab-size")
        return {"V": config.count_of("padded-vocab-size")}
    if config.raw("vocab-size", None) is None:
        config.ask("V", "the options do not say how many tokens there are (the tokenizer does): "
                   f"add V=..., a multiple of {prod(steps)}", prod(steps))
        return {}
    return {"V": padded(config, "padded-vocab-size", config.count_of("vocab-size"), *steps)}


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


def _attention(config: Config, values: dict[str, int], norm: Component,
               bias: bool) -> tuple[Slot, tuple[Entry, ...]]:
    """Attention of heads, or through a low rank (core, transformer/multi_latent_attention.py)."""
    normed = _head_norms(config, norm)
    sites = ["qkv"] * (config.flag("add-qkv-bias", False) or bias)
    if not config.flag("multi-latent-attention", False):
        return slot("attention", "gqa", "self_attention.", bias=sites + ["attn-out"] * bias,
                    qk_norm=normed), ()
    for dim in ("n_kv", "d_head"):
        values.pop(dim, None)
    rank = config.optional_count("q-lora-rank")
    values |= {"q_rank": rank} if rank is not None else {}
    values |= {dim: config.count_of(key, default=usual) for dim, (key, usual) in LATENT.items()}
    return slot("attention", "mla", "self_attention.", bias=["attn-out"] * bias,
                full_queries=rank is None, bare=not normed), LATENT_NAMES


def _head_norms(config: Config, norm: Component) -> bool:
    normed = config.flag("qk-layernorm", False)
    if normed and norm.name != "rmsnorm":
        raise config.error("qk-layernorm", "is understood with RMSNorm alone")
    return normed


def _positions(config: Config, values: dict[str, int]) -> Block:
    """A table of positions; none where they turn, or where there are none."""
    kind = config.text("position-embedding-type", "learned_absolute")
    kind = "none" if config.flag("no-position-embedding", False) and kind[:7] == "learned" else kind
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


def _networks(config: Config, values: dict[str, int], gated: bool,
              bias: bool) -> tuple[dict[str, Slot], list[str]]:
    """The network of each kind of layer, and the kind of each layer; a width follows where no
    option says it."""
    inner = config.optional_count("ffn-hidden-size")
    experts = config.optional_count("num-experts")
    width, depth = values["d_model"], values["L"]
    usual = (4 * width * 2 // 3) // 64 * 64 if gated else 4 * width
    config.only("squared-relu", False, True)
    if experts is not None and any(key.startswith("deepspeed") for key in config.data):
        raise config.error("num-experts", "of DeepSpeed's own layers is not understood")
    pattern = _pattern(config, depth) if experts is not None else ["dense"] * depth
    networks = {}
    if "dense" in pattern:
        values["d_ff"] = inner or usual
        networks["dense"] = slot("ffn", "swiglu" if gated else "mlp", "mlp.", bias=bias)
    if experts is not None:
        sparse, numbers = _experts(config, gated, bias)
        if "sparse" in pattern:
            networks["sparse"] = sparse
            values |= {"n_experts": experts, "d_expert": inner or usual, **numbers}
    return networks, pattern


def _experts(config: Config, gated: bool, bias: bool) -> tuple[Slot, dict[str, int]]:
    """Experts and the shared ones, and their numbers."""
    values = {"top_k": config.count_of("moe-router-topk", default=2)}
    if (inner := config.optional_count("moe-ffn-hidden-size")) is not None:
        values["d_expert"] = inner
    shared = config.optional_count("moe-shared-expert-intermediate-size")
    if shared is not None:
        values["d_shared"] = shared
        if bias:  # megatron-core refuses it too (transformer/moe/shared_experts.py)
            raise config.error("moe-shared-expert-intermediate-size", "has no biases: "
                               "--disable-bias-linear is missing")
    config.only("moe-shared-expert-gate", False)
    balance = config.flag("moe-router-enable-expert-bias", False)
    return slot("ffn", "moe", "mlp.", bias=bias, gated=gated, shared=shared is not None,
                balance=balance), values


def _pattern(config: Config, depth: int) -> list[str]:
    """The kind of each layer: one in so many has experts, or a list says it, ``[0]*3+[1]*58``."""
    value = config.raw("moe-layer-freq", 1)
    if isinstance(value, str):
        value = _list_of(value.strip("\"' "))
    if type(value) is int and value > 0:
        value = [int(number % value == 0) for number in range(depth)]
    if not isinstance(value, list) or len(value) != depth or not all(
            type(each) is int and each in (0, 1) for each in value):
        raise config.error("moe-layer-freq", f"{shown(config.raw('moe-layer-freq', 1))} is neither "
                           f"a number nor a list of a one or a zero for each of {depth} layers")
    return ["sparse" if each else "dense" for each in value]


def _list_of(text: str) -> list[int] | int | None:
    """What sums and multiples of lists say, ``([1]*3+[0])*2``; None where it is something else."""
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    tokens = re.findall(r"\[[0-9, ]*\]|[0-9]{1,6}|[()*+]", text)
    if "".join(tokens).replace(" ", "") != text.replace(" ", "") or len(text) > 5_000:
        return None
    stack: list[list[int]] = [[]]  # a list for each bracket that is open
    last: list[int] = []
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token[0] in "([" and before not in {"", "(", "+"}:
            return None
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                return None
            last = stack.pop()
            stack[-1] += last
        elif token[0] == "[":
            last = [int(each) for each in token[1:-1].split(",") if each.strip()]
            stack[-1] += last
        elif token.isdecimal():
            if before != "*" or len(last) * int(token) > MAX_LAYERS or not int(token):
                return None
            stack[-1] += last * (int(token) - 1)
            last = last * int(token)
    return stack[0] if len(stack) == 1 else None
