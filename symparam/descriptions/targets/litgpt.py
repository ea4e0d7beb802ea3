"""LitGPT's ``model_config.yaml``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.frameworks import litgpt, read_framework
from symparam.descriptions.parts import Parts
from symparam.descriptions.targets import nothing, side_by_side
from symparam.model import Model

FILE = "model_config.yaml"
#: The classes of network that have the matrices of a component.
_MLPS = {"mlp": ("GptNeoxMLP",), "swiglu": ("LLaMAMLP", "GemmaMLP"),
         "geglu": ("GemmaMLP", "LLaMAMLP"), "moe": ("LLaMAMoE",)}
#: Names that its code looks for: of norms with an offset, of norms without weights.
_MEANT = re.compile("Gemma|OLMo")
joined, kept = side_by_side, nothing


def candidates(parts: Parts) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields of its Config; a head of its own is what it always has."""
    for mlp in _MLPS.get(parts.ffn, ()):
        yield "litgpt", _fields(parts, mlp)


def _fields(parts: Parts, mlp: str) -> dict[str, Any]:
    v = parts.values
    data: dict[str, Any] = {
        "name": _name(parts), "padded_vocab_size": v["V"], "vocab_size": v["V"],
        "n_layer": v["L"], "n_embd": v["d_model"], "n_head": v["n_heads"],
        "head_size": v["d_head"], "n_query_groups": v.get("n_kv", v["n_heads"]),
        "norm_class_name": {"rmsnorm": "RMSNorm"}.get(parts.norm, "LayerNorm"),
        "mlp_class_name": mlp, "bias": "attn-out" in parts.bias,
        "attn_bias": "qkv" in parts.bias, "lm_head_bias": "head" in parts.bias,
        "norm_qk": bool(parts.qk_norm),
        "norm_1": "norms.attention" in parts.places or "norms.input" in parts.places,
        "norm_2": bool({"norms.ffn", "norms.input"} & set(parts.places)),
        "shared_attention_norm": "norms.input" in parts.places,
        "post_attention_norm": "norms.attention_out" in parts.places,
        "post_mlp_norm": "norms.ffn_out" in parts.places}
    if parts.qk_norm == "width":
        data["norm_qk_type"] = "olmo2"
    if parts.ffn == "moe":
        data |= {"n_expert": v["n_experts"], "n_expert_per_token": v["top_k"],
                 "moe_intermediate_size": v["d_expert"], "intermediate_size": v["d_expert"],
                 "n_shared_expert": v.get("n_shared")}
    else:
        data["intermediate_size"] = v["d_ff"]
    return {key: value for key, value in data.items() if value is not None}


def _name(parts: Parts) -> str:
    """The name that a LitGPT has; of another model one in which its code finds nothing."""
    own = parts.data.get("name") if parts.form == "litgpt" else None
    return own if isinstance(own, str) else _MEANT.sub(
        lambda found: found[0].lower(), parts.model.name)


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
