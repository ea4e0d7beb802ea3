"""A ``config.json`` of transformers: of the first family that has all that there is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.config import read_config
from symparam.descriptions.harmless import OUTSIDE
from symparam.descriptions.parts import Parts
from symparam.descriptions.targets import side_by_side
from symparam.model import Model

FILE = "config.json"
_CLASSES = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3",
            "mixtral": "Mixtral", "qwen3_moe": "Qwen3Moe", "olmo2": "Olmo2", "gpt_neox": "GPTNeoX"}
_DENSE = ("llama", "mistral", "qwen2", "qwen3", "olmo2")
_SPARSE = ("mixtral", "qwen3_moe")
joined = side_by_side


def candidates(parts: Parts) -> Iterator[tuple[str, dict[str, Any]]]:
    """Keys of each family that may be meant, the source's own first."""
    if parts.learned:
        yield "hf:gpt2", _gpt2(parts)
    elif parts.norm == "layernorm":
        yield "hf:gpt_neox", _common(parts, "gpt_neox", {"attention_bias": "qkv" in parts.bias})
    elif parts.ffn in {"swiglu", "geglu", "moe"}:
        kinds = _SPARSE if parts.ffn == "moe" else _DENSE
        for kind in sorted(kinds, key=lambda each: f"hf:{each}" != parts.form):
            yield f"hf:{kind}", _common(parts, kind, _own(parts, kind))


def _own(parts: Parts, kind: str) -> dict[str, Any]:
    """What a family of Llama's kind says of its own."""
    v, both = parts.values, {"qkv", "attn-out"} <= parts.bias
    head = {"head_dim": v["d_head"]}
    if kind == "llama":
        return {"attention_bias": both, "mlp_bias": "ffn" in parts.bias, **head}
    if kind == "mistral":
        return head
    if kind == "mixtral":
        return {"num_local_experts": v["n_experts"], "num_experts_per_tok": v["top_k"],
                "intermediate_size": v["d_expert"], **head}
    if kind == "qwen3_moe":
        return {"num_experts": v["n_experts"], "num_experts_per_tok": v["top_k"],
                "moe_intermediate_size": v["d_expert"], "attention_bias": both, **head}
    if kind == "qwen2":
        return {}
    return {"attention_bias": both} | (head if kind == "qwen3" else {})


def _common(parts: Parts, kind: str, own: Mapping[str, Any]) -> dict[str, Any]:
    v = parts.values
    data: dict[str, Any] = {
        "architectures": [f"{_CLASSES[kind]}ForCausalLM"], "model_type": kind,
        "vocab_size": v["V"], "hidden_size": v["d_model"], "num_hidden_layers": v["L"],
        "num_attention_heads": v["n_heads"]}
    if kind != "gpt_neox":
        data["num_key_value_heads"] = v["n_kv"]
    if "d_ff" in v:
        data["intermediate_size"] = v["d_ff"]
    return data | {"tie_word_embeddings": parts.tied, **own}


def _gpt2(parts: Parts) -> dict[str, Any]:
    v = parts.values
    return {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": v["V"],
            "n_embd": v["d_model"], "n_layer": v["L"], "n_head": v["n_heads"],
            "n_positions": v["n_ctx"], "n_inner": v.get("d_ff"),
            "tie_word_embeddings": parts.tied}


def kept(rest: Mapping[str, Any]) -> dict[str, Any]:
    """What transformers itself reads or writes, for any model."""
    return {key: value for key, value in rest.items() if key in OUTSIDE}


def text(data: Mapping[str, Any]) -> str:
    """The file."""
    return json.dumps(data, indent=2) + "\n"


def read(data: Mapping[str, Any], name: str) -> Model:
    """The model that the keys describe."""
    return read_config(FILE, data, name)
