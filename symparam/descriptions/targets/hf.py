"""A ``config.json`` of transformers: of the first family that has all that there is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.config import read_config
from symparam.descriptions.parts import Parts
from symparam.model import Model

FILE = "config.json"
_CLASSES = {"llama": "Llama", "qwen2": "Qwen2", "qwen3": "Qwen3", "mixtral": "Mixtral",
            "qwen3_moe": "Qwen3Moe", "olmo2": "Olmo2", "gpt_neox": "GPTNeoX"}


def candidates(parts: Parts) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Keys of each family that may be meant."""
    if parts.learned:
        yield _gpt2(parts)
    elif parts.norm == "layernorm":
        yield _common(parts, "gpt_neox", {
            "use_parallel_residual": parts.settings["parallel"],
            "attention_bias": "qkv" in parts.bias, "hidden_act": parts.settings["activation"],
            "rotary_pct": parts.settings.get("rotary", 1.0)})
    elif not parts.settings["parallel"] and parts.ffn in {"swiglu", "moe"}:
        kinds = ("mixtral", "qwen3_moe") if parts.ffn == "moe" else (
            "llama", "qwen2", "qwen3", "olmo2")
        for kind in kinds:
            yield _common(parts, kind, _own(parts, kind))


def _own(parts: Parts, kind: str) -> dict[str, Any]:
    """What a family of Llama's kind says of its own."""
    v, both = parts.values, {"qkv", "attn-out"} <= parts.bias
    head = {"head_dim": v["d_head"]}
    if kind == "llama":
        return {"attention_bias": both, "mlp_bias": "ffn" in parts.bias, **head}
    if kind == "mixtral":
        return {"num_local_experts": v["n_experts"], "num_experts_per_tok": v["top_k"],
                "intermediate_size": v["d_expert"], **head}
    if kind == "qwen3_moe":
        return {"num_experts": v["n_experts"], "num_experts_per_tok": v["top_k"],
                "moe_intermediate_size": v["d_expert"], "attention_bias": both, **head}
    if kind == "qwen2":
        return {}
    return {"attention_bias": both} | (head if kind == "qwen3" else {})


def _common(parts: Parts, kind: str, own: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    v, settings, lost = parts.values, parts.settings, list[str]()
    data: dict[str, Any] = {
        "architectures": [f"{_CLASSES[kind]}ForCausalLM"], "model_type": kind,
        "vocab_size": v["V"], "hidden_size": v["d_model"], "num_hidden_layers": v["L"],
        "num_attention_heads": v["n_heads"]}
    if kind != "gpt_neox":
        data |= {"num_key_value_heads": v["n_kv"], "hidden_act": "silu"}
        if settings.get("rotary", 1) != 1:
            lost.append(f"positions turn {settings['rotary']} of a head")
    if "d_ff" in v:
        data["intermediate_size"] = v["d_ff"]
    data |= {"tie_word_embeddings": parts.tied, **own}
    eps = "layer_norm_eps" if kind == "gpt_neox" else "rms_norm_eps"
    for name, key in (("norm_eps", eps), ("rope_base", "rope_theta"),
                      ("context", "max_position_embeddings")):
        if settings.get(name) is not None:
            data[key] = settings[name]
    return data, lost


def _gpt2(parts: Parts) -> tuple[dict[str, Any], list[str]]:
    v = parts.values
    data = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": v["V"],
            "n_embd": v["d_model"], "n_layer": v["L"], "n_head": v["n_heads"],
            "n_positions": v["n_ctx"], "n_inner": v.get("d_ff"),
            "tie_word_embeddings": parts.tied}
    if parts.settings["activation"]:
        data["activation_function"] = parts.settings["activation"]
    if parts.settings.get("norm_eps") is not None:
        data["layer_norm_epsilon"] = parts.settings["norm_eps"]
    return data, []


def text(data: Mapping[str, Any]) -> str:
    """The file."""
    return json.dumps(data, indent=2) + "\n"


def read(data: Mapping[str, Any], name: str) -> Model:
    """The model that the keys describe."""
    return read_config(FILE, data, name)
