"""LitGPT's ``model_config.yaml``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.frameworks import litgpt, read_framework
from symparam.descriptions.parts import Parts, plain
from symparam.model import Model

FILE = "model_config.yaml"
_MLPS = {name: kind for kind, name in litgpt.MLPS.items()}
_GELU = {"gelu": "none", "gelu_new": "tanh"}


def candidates(parts: Parts) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """The fields of its Config; a head of its own is what it always has."""
    v, settings, lost = parts.values, parts.settings, list[str]()
    if parts.ffn not in _MLPS:
        return
    data: dict[str, Any] = {
        "name": parts.model.name, "padded_vocab_size": v["V"], "vocab_size": v["V"],
        "n_layer": v["L"], "n_embd": v["d_model"], "n_head": v["n_heads"],
        "head_size": v["d_head"], "n_query_groups": v.get("n_kv", v["n_heads"]),
        "norm_class_name": {"rmsnorm": "RMSNorm"}.get(parts.norm, "LayerNorm"),
        "mlp_class_name": _MLPS[parts.ffn], "bias": "attn-out" in parts.bias,
        "attn_bias": "qkv" in parts.bias, "lm_head_bias": "head" in parts.bias,
        "norm_qk": bool(parts.qk_norm), "parallel_residual": settings["parallel"],
        "norm_1": "norms.attention" in parts.places or "norms.input" in parts.places,
        "norm_2": bool({"norms.ffn", "norms.input"} & set(parts.places)),
        "shared_attention_norm": "norms.input" in parts.places,
        "post_attention_norm": "norms.attention_out" in parts.places,
        "post_mlp_norm": "norms.ffn_out" in parts.places,
        "rotary_percentage": settings.get("rotary", 1.0)}
    if parts.qk_norm == "width":
        data["norm_qk_type"] = "olmo2"
    if parts.ffn == "moe":
        data |= {"n_expert": v["n_experts"], "n_expert_per_token": v["top_k"],
                 "moe_intermediate_size": v["d_expert"], "intermediate_size": v["d_expert"],
                 "n_shared_expert": v.get("n_shared")}
    else:
        data["intermediate_size"] = v["d_ff"]
    for name, key in (("norm_eps", "norm_eps"), ("rope_base", "rope_base"),
                      ("context", "block_size")):
        if settings.get(name) is not None:
            data[key] = plain(settings[name]) if name == "rope_base" else settings[name]
    if parts.ffn == "mlp":
        data["gelu_approximate"] = _GELU.get(settings["activation"], "none")
        if settings["activation"] not in _GELU:
            lost.append(f"the activation {settings['activation']}")
    yield {key: value for key, value in data.items() if value is not None}, lost


def text(data: Mapping[str, Any]) -> str:
    """The file; a number with an exponent has a point, which YAML asks for."""
    return "".join(f"{key}: {_scalar(value)}\n" for key, value in data.items())


def _scalar(value: Any) -> str:
    said = json.dumps(value)
    return said.replace("e", ".0e") if isinstance(value, float) and "e" in said and (
        "." not in said) else said


def read(data: Mapping[str, Any], name: str) -> Model:
    """The model that the fields describe."""
    return read_framework(litgpt, FILE, data, name)
