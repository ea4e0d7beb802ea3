"""The tensors of a decoder transformer, found by listing every one of them by name.

A state dict is written out layer by layer with literal names, as PyTorch would hold it, and
only then are layer numbers folded to ``*`` and equal rows counted. It is slow on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Shape = tuple[int, ...]
State = dict[str, Shape]  # full tensor name -> shape
Rows = dict[tuple[str, Shape], int]  # (name with layer numbers as *, shape) -> copies

BLOCK_DEFAULTS: dict[str, Any] = {
    "attention": "mha",
    "ffn": "mlp",
    "norm": "rmsnorm",
    "norms_per_block": 2,
    "bias": (),
    "qk_norm": False,
}
MODEL_DEFAULTS: dict[str, Any] = {
    **BLOCK_DEFAULTS,
    "final_norm": True,
    "positions": "rope",
    "tied": False,
    "blocks": None,
}
CHOICES: dict[str, tuple[Any, ...]] = {
    "attention": ("mha", "gqa", "mqa", "mla"),
    "ffn": ("mlp", "swiglu", "geglu", "moe"),
    "norm": ("rmsnorm", "layernorm", "layernorm-gain", "none"),
    "norms_per_block": (1, 2, 4),
    "qk_norm": (False, True),
    "final_norm": (False, True),
    "positions": ("none", "rope", "learned", "relative", "alibi"),
    "tied": (False, True),
}
BLOCK_SITES = {"qkv", "attn-out", "ffn"}


def tensors(arch: Mapping[str, Any], dims: Mapping[str, int]) -> Rows:
    """Every (name pattern, shape) of the model and how many tensors have it; a tied one once.

    The kind of attention changes nothing by itself: k and v are ``n_kv`` heads wide, always.
    """
    return fold(state_dict(arch, dims))


def total(arch: Mapping[str, Any], dims: Mapping[str, int]) -> int:
    """The number of parameters: copies times the product of the shape, summed."""
    count = 0
    for (_, shape), copies in tensors(arch, dims).items():
        elements = 1
        for side in shape:
            elements *= side
        count += copies * elements
    return count


def fold(state: Mapping[str, Shape]) -> Rows:
    """Write every layer number as ``*`` and count the tensors that then look the same."""
    rows: Rows = {}
    for name, shape in state.items():
        parts = ["*" if part.isdigit() else part for part in name.split(".")]
        key = (".".join(parts), shape)
        rows[key] = rows.get(key, 0) + 1
    return rows


def state_dict(arch: Mapping[str, Any], dims: Mapping[str, int]) -> State:
    """The whole state dict, name by name, without a second entry for a tied head."""
    _check(arch, set(MODEL_DEFAULTS), BLOCK_SITES | {"head"})
    model = {**MODEL_DEFAULTS, **arch}
    vocab, width = dims["V"], dims["d_model"]

    state: State = {}
    state["model.embed_tokens.weight"] = (vocab, width)
    if model["positions"] == "learned":
        state["model.embed_positions.weight"] = (dims["n_ctx"], width)
    for i, block in enumerate(_layers(model, dims)):
        _add_layer(state, i, block, dims)
        if model["positions"] == "relative":
            relative = (dims["n_heads"] * dims["d_head"], width)
            state[f"model.layers.{i}.self_attn.r_proj.weight"] = relative
    if model["final_norm"]:
        _add_norm(state, "model.norm", model["norm"], width)
    if not model["tied"]:
        state["lm_head.weight"] = (vocab, width)
    if "head" in model["bias"]:
        state["lm_head.bias"] = (vocab,)
    return state


def _layers(model: Mapping[str, Any], dims: Mapping[str, int]) -> list[dict[str, Any]]:
    """One description for each layer, from the first to the last."""
    plain = {key: model[key] for key in BLOCK_DEFAULTS}
    if model["blocks"] is None:
        return [plain for _ in range(dims["L"])]
    layers = []
    for kind in model["blocks"]:
        _check(kind, {"layers", *BLOCK_DEFAULTS}, BLOCK_SITES)
        own = {key: value for key, value in kind.items() if key != "layers"}
        for _ in range(kind["layers"]):
            layers.append({**plain, **own})
    if len(layers) != dims["L"]:
        raise ValueError(f"blocks hold {len(layers)} layers, but L is {dims['L']}")
    return layers


def _add_layer(state: State, i: int, block: Mapping[str, Any], dims: Mapping[str, int]) -> None:
    """Add the tensors of layer ``i``; a matrix is (out, in), its bias (out,)."""
    if block["attention"] == "mla":
        _add_latent(state, f"model.layers.{i}.self_attn", block, dims)
    else:
        _add_attention(state, i, block, dims)
    if block["ffn"] == "moe":
        _add_experts(state, f"model.layers.{i}.mlp", dims)
    else:
        _add_dense(state, i, block, dims)
    width = dims["d_model"]
    _add_norm(state, f"model.layers.{i}.input_layernorm", block["norm"], width)
    if block["norms_per_block"] in (2, 4):
        _add_norm(state, f"model.layers.{i}.post_attention_layernorm", block["norm"], width)
    if block["norms_per_block"] == 4:
        _add_norm(state, f"model.layers.{i}.pre_feedforward_layernorm", block["norm"], width)
        _add_norm(state, f"model.layers.{i}.post_feedforward_layernorm", block["norm"], width)


def _add_latent(state: State, name: str, block: Mapping[str, Any],
                dims: Mapping[str, int]) -> None:
    """Latent attention: a low rank for queries, one for keys with values, and what comes back."""
    width, heads = dims["d_model"], dims["n_heads"]
    query = dims["d_nope"] + dims["d_rope"]
    both = dims["d_nope"] + dims["d_v"]
    state[f"{name}.q_a_proj.weight"] = (dims["q_rank"], width)
    state[f"{name}.q_a_layernorm.weight"] = (dims["q_rank"],)
    state[f"{name}.q_b_proj.weight"] = (heads * query, dims["q_rank"])
    state[f"{name}.kv_a_proj_with_mqa.weight"] = (dims["kv_rank"] + dims["d_rope"], width)
    state[f"{name}.kv_a_layernorm.weight"] = (dims["kv_rank"],)
    state[f"{name}.kv_b_proj.weight"] = (heads * both, dims["kv_rank"])
    state[f"{name}.o_proj.weight"] = (width, heads * dims["d_v"])
    if "qkv" in block["bias"]:
        state[f"{name}.q_a_proj.bias"] = (dims["q_rank"],)
        state[f"{name}.kv_a_proj_with_mqa.bias"] = (dims["kv_rank"] + dims["d_rope"],)
    if "attn-out" in block["bias"]:
        state[f"{name}.o_proj.bias"] = (width,)


def _add_experts(state: State, name: str, dims: Mapping[str, int]) -> None:
    """A router, every expert by its number, and the shared ones side by side."""
    width, hidden = dims["d_model"], dims["d_expert"]
    state[f"{name}.gate.weight"] = (dims["n_experts"], width)
    for e in range(dims["n_experts"]):
        state[f"{name}.experts.{e}.gate_proj.weight"] = (hidden, width)
        state[f"{name}.experts.{e}.up_proj.weight"] = (hidden, width)
        state[f"{name}.experts.{e}.down_proj.weight"] = (width, hidden)
    if "n_shared" in dims:
        shared = dims["n_shared"] * hidden
        state[f"{name}.shared_experts.gate_proj.weight"] = (shared, width)
        state[f"{name}.shared_experts.up_proj.weight"] = (shared, width)
        state[f"{name}.shared_experts.down_proj.weight"] = (width, shared)


def _add_attention(state: State, i: int, block: Mapping[str, Any],
                   dims: Mapping[str, int]) -> None:
    """Queries, keys, values and output of layer ``i``."""
    width, head = dims["d_model"], dims["d_head"]
    q_width = dims["n_heads"] * head
    kv_width = dims["n_kv"] * head
    bias = block["bias"]

    state[f"model.layers.{i}.self_attn.q_proj.weight"] = (q_width, width)
    state[f"model.layers.{i}.self_attn.k_proj.weight"] = (kv_width, width)
    state[f"model.layers.{i}.self_attn.v_proj.weight"] = (kv_width, width)
    state[f"model.layers.{i}.self_attn.o_proj.weight"] = (width, q_width)
    if "qkv" in bias:
        state[f"model.layers.{i}.self_attn.q_proj.bias"] = (q_width,)
        state[f"model.layers.{i}.self_attn.k_proj.bias"] = (kv_width,)
        state[f"model.layers.{i}.self_attn.v_proj.bias"] = (kv_width,)
    if "attn-out" in bias:
        state[f"model.layers.{i}.self_attn.o_proj.bias"] = (width,)
    if block["qk_norm"]:
        state[f"model.layers.{i}.self_attn.q_norm.weight"] = (head,)
        state[f"model.layers.{i}.self_attn.k_norm.weight"] = (head,)


def _add_dense(state: State, i: int, block: Mapping[str, Any], dims: Mapping[str, int]) -> None:
    """The dense feed-forward network of layer ``i``."""
    width, hidden, bias = dims["d_model"], dims["d_ff"], block["bias"]
    gated = block["ffn"] in ("swiglu", "geglu")
    if gated:
        state[f"model.layers.{i}.mlp.gate_proj.weight"] = (hidden, width)
    state[f"model.layers.{i}.mlp.up_proj.weight"] = (hidden, width)
    state[f"model.layers.{i}.mlp.down_proj.weight"] = (width, hidden)
    if "ffn" in bias:
        if gated:
            state[f"model.layers.{i}.mlp.gate_proj.bias"] = (hidden,)
        state[f"model.layers.{i}.mlp.up_proj.bias"] = (hidden,)
        state[f"model.layers.{i}.mlp.down_proj.bias"] = (width,)


def _add_norm(state: State, name: str, kind: str, width: int) -> None:
    """Add what one norm of this kind learns, which may be nothing."""
    if kind in ("rmsnorm", "layernorm", "layernorm-gain"):
        state[f"{name}.weight"] = (width,)
    if kind == "layernorm":
        state[f"{name}.bias"] = (width,)


def _check(given: Mapping[str, Any], known: set[str], sites: set[str]) -> None:
    """Refuse a misspelt key or value, which would otherwise pass as a default."""
    for key, value in given.items():
        if key not in known:
            raise ValueError(f"unknown key {key!r}")
        if key in CHOICES and value not in CHOICES[key]:
            raise ValueError(f"unknown {key} {value!r}")
        if key == "bias" and not set(value) <= sites:
            raise ValueError(f"unknown bias sites {sorted(set(value) - sites)}")
