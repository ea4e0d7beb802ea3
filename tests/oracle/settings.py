"""What a configuration says beside its matrices, by each format's own names and defaults.

Written from the sources alone: transformers' defaults are recorded from its classes
(``tests/data/hf_defaults.json``), LitGPT's stand in its config.py, Megatron's in arguments.py. A
value that a format leaves open is not in the table that is returned.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DEFAULTS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "hf_defaults.json").read_text(encoding="utf-8"))
TANH = {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"}
_LLAMA3 = ("factor", "low_freq_factor", "high_freq_factor")


def effective(form: str, data: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """The settings of a configuration: those that it leaves open are left out.

    Args:
        form: ``hf``, ``litgpt``, ``megatron`` or ``toml``.
        data: its keys and values.
        depth: how many layers its model has.
    """
    return {"hf": _hf, "litgpt": _litgpt, "megatron": _megatron, "toml": _toml}[form](data, depth)


def _hf(data: Mapping[str, Any], depth: int) -> dict[str, Any]:
    kind = data["model_type"]
    own = DEFAULTS[kind]
    all_of = {**own, **data}
    new = data.get("rope_parameters") or {}
    scaling = dict(new or data.get("rope_scaling") or {})
    found = {"norm_eps": next(all_of[key] for key in (
        "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon") if key in all_of),
        "activation": _act(all_of.get("hidden_act", all_of.get("activation_function"))),
        "bos_token_id": all_of["bos_token_id"], "eos_token_id": all_of["eos_token_id"],
        "pad_token_id": all_of["pad_token_id"], "initializer_range": all_of["initializer_range"],
        "attention_dropout": all_of.get("attention_dropout", all_of.get("attn_pdrop")),
        "hidden_dropout": all_of.get("hidden_dropout", all_of.get("resid_pdrop", 0.0)),
        "parallel": bool(all_of.get("use_parallel_residual", False)), "window": None}
    if kind != "gpt2":
        found |= _context(data.get("max_position_embeddings"), own["max_position_embeddings"],
                          scaling.get("original_max_position_embeddings", 0))
        base = "rotary_emb_base" if kind == "gpt_neox" else "rope_theta"
        found |= {"rope_base": new.get("rope_theta", data.get(
            base, own["rope_parameters"]["rope_theta"])),
            "rotary": new.get(
                "partial_rotary_factor", data.get("rotary_pct", 0.25))
            if kind == "gpt_neox" else 1.0, "rope_scaling": _scaling(
                scaling.get("rope_type", scaling.get("type", "default")), scaling)}
    if kind in {"mistral", "mixtral"} or data.get("use_sliding_window"):
        size = data.get("sliding_window", own.get("sliding_window") or (
            None if kind == "mixtral" else 4096))
        first = data.get("max_window_layers", 28) if kind in {"qwen2", "qwen3"} else 0
        kinds = data.get("layer_types")
        found["window"] = _windows([size if (kinds[i] == "sliding_attention" if kinds else
                                             i >= first) else None for i in range(depth)])
    return found


def _context(said: Any, usual: int, scaled_from: int) -> dict[str, Any]:
    """A length; a default that is shorter than what positions are scaled from is left out."""
    return {} if said is None and usual < scaled_from else {"context": said or usual}


def _act(name: str) -> str:
    return "tanh" if name in TANH else {"swish": "silu"}.get(name, name)


def _scaling(kind: str, table: Mapping[str, Any]) -> Any:
    if kind == "linear":
        return ("linear", table["factor"])
    if kind == "llama3":
        return ("llama3", *(table[key] for key in _LLAMA3),
                table["original_max_position_embeddings"])
    return None if kind == "default" else (kind, str(sorted(table)))


def _windows(lengths: list[int | None]) -> Any:
    return lengths if any(lengths) else None


def _litgpt(data: Mapping[str, Any], depth: int) -> dict[str, Any]:
    mlp, more = data.get("mlp_class_name", "GptNeoxMLP"), data.get("rope_adjustments")
    ratio = data.get("rope_condense_ratio", 1)
    size = data.get("sliding_window_size")
    marks = data.get("sliding_window_indices") or [1] * depth
    gelu = {"none": "gelu", "tanh": "tanh"}[data.get("gelu_approximate", "none")]
    # (YAML reads 1e-6 as a text)
    return {"norm_eps": float(data.get("norm_eps", 1e-5)),
            "rope_base": data.get("rope_base", 10000),
            **_context(data.get("block_size"), 4096, (more or {}).get("original_max_seq_len", 0)),
            "rotary": data.get("rotary_percentage", 0.25),
            "activation": gelu if mlp in {"GptNeoxMLP", "GemmaMLP"} else "silu",
            "attention_dropout": 0.0, "hidden_dropout": 0.0,
            "parallel": data.get("parallel_residual", True),
            "window": _windows([size if mark else None for mark in marks[:depth]]),
            "rope_scaling": ("llama3", *(more[key] for key in _LLAMA3),
                             more["original_max_seq_len"]) if more else (
                ("linear", ratio) if ratio != 1 else None)}


def _megatron(data: Mapping[str, Any], depth: int) -> dict[str, Any]:
    ratio = data.get("rotary-seq-len-interpolation-factor")
    scaled = ("llama3", data.get("rope-scaling-factor", 8.0), 1.0, 4.0, 8192)
    found = {"norm_eps": data.get("norm-epsilon", 1e-5),
             "activation": "silu" if data.get("swiglu") else
             "relu2" if data.get("squared-relu") else "gelu" if data.get("disable-bias-linear")
             or data.get("no-bias-gelu-fusion") else "tanh",
             "initializer_range": data.get("init-method-std", 0.02),
             "attention_dropout": data.get("attention-dropout", 0.1),
             "hidden_dropout": data.get("hidden-dropout", 0.1), "parallel": False,
             "window": [int(data["window-size"].split(",")[0]) + 1] * depth
             if "window-size" in data else None}
    if data.get("position-embedding-type") == "rope":
        found |= {"rope_base": data.get("rotary-base", 10000),
                  "rotary": data.get("rotary-percent", 1.0),
                  "rope_scaling": scaled if data.get("use-rope-scaling") else (
                      ("linear", ratio) if ratio else None)}
        if "max-position-embeddings" in data:
            found["context"] = data["max-position-embeddings"]
    return found


def _toml(data: Mapping[str, Any], depth: int) -> dict[str, Any]:
    block = data["blocks"][0]
    found: dict[str, Any] = {"window": [block["window"]] * depth if "window" in block else None}
    gated = {"swiglu": "silu", "moe": "silu", "geglu": "tanh"}.get(block["ffn"]["kind"])
    return found | ({"activation": gated} if gated else {})
