"""Options of Megatron-LM, as a launch script has them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.frameworks import megatron, read_framework
from symparam.descriptions.parts import Parts
from symparam.descriptions.targets import nothing, side_by_side
from symparam.model import Model

FILE = "arguments.sh"


joined, kept = side_by_side, nothing


def candidates(parts: Parts) -> Iterator[tuple[str, dict[str, Any]]]:
    """The options."""
    v = parts.values
    if parts.ffn not in {"mlp", "swiglu", "geglu", "moe"}:
        return
    data: dict[str, Any] = {
        "num-layers": v["L"], "hidden-size": v["d_model"], "num-attention-heads": v["n_heads"],
        "kv-channels": v["d_head"],
        "normalization": {"rmsnorm": "RMSNorm"}.get(parts.norm, "LayerNorm"),
        "position-embedding-type": "learned_absolute" if parts.learned else "rope",
        "vocab-size": v["V"]}
    if v["V"] % 128:
        data["make-vocab-size-divisible-by"] = 1
    if v.get("n_kv", v["n_heads"]) != v["n_heads"]:
        data |= {"group-query-attention": True, "num-query-groups": v["n_kv"]}
    if parts.ffn == "moe":
        data |= {"num-experts": v["n_experts"], "moe-router-topk": v["top_k"],
                 "moe-ffn-hidden-size": v["d_expert"]}
    else:
        data["ffn-hidden-size"] = v["d_ff"]
    data |= {key: True for key, on in (
        ("swiglu", parts.ffn != "mlp"), ("disable-bias-linear", "attn-out" not in parts.bias),
        ("add-qkv-bias", "qkv" in parts.bias and "attn-out" not in parts.bias),
        ("qk-layernorm", parts.qk_norm == "head"),
        ("untie-embeddings-and-output-weights", not parts.tied)) if on}
    if parts.learned:
        data["max-position-embeddings"] = v["n_ctx"]
    yield "megatron", data


def text(data: Mapping[str, Any]) -> str:
    """The options, one a line."""
    lines = [f"--{key}" if value is True else f"--{key} {shlex.quote(str(value))}"
             for key, value in data.items()]
    return " \\\n".join(lines) + "\n"


def read(data: Mapping[str, Any], name: str) -> Model:
    """The model that the options describe."""
    return read_framework(megatron, FILE, data, name)
