"""Qwen 2, Qwen 3 and Qwen 3-VL with experts."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def _sparse(draw: Draw, config: Config) -> Config:
    depth = config["num_hidden_layers"]
    config["moe_intermediate_size"] = draw.prime()
    draw.maybe(config, decoder_sparse_step=draw.between(1, 3),
               mlp_only_layers=draw.one_of(None, [], [0], [draw.between(0, depth), 2]))
    return config


def qwen2_moe(draw: Draw) -> Config:
    """Sparse by step and by list, a shared expert, biases or none; heads that leave a rest."""
    config = _sparse(draw, default_heads(decoder(draw, "Qwen2Moe", width=True), 32, 16))
    if "head_dim" not in config and draw.flag():
        config["hidden_size"] += 1 % config["num_attention_heads"]
    draw.maybe(config, qkv_bias=draw.flag(), shared_expert_intermediate_size=draw.size(5),
               use_sliding_window=draw.flag())
    return experts(draw, config, "num_experts") if draw.flag() else config


def qwen3_moe(draw: Draw) -> Config:
    """Experts under both names, biases in all of attention or nowhere."""
    config = _sparse(draw, default_heads(decoder(draw, "Qwen3Moe", width=True), 12, 4))
    draw.maybe(config, attention_bias=draw.flag(), use_qk_norm=True, qkv_bias=False)
    return experts(draw, config, "num_experts", "num_local_experts") if draw.flag() else config


def qwen3_vl_moe_text(draw: Draw) -> Config:
    """That of Qwen 3-VL: Qwen 3's with other defaults."""
    config = _sparse(draw, default_heads(decoder(draw, "Qwen3VLMoe", width=True), 16, 16))
    draw.maybe(config, attention_bias=draw.flag())
    config["architectures"] = ["Qwen3VLMoeTextModel"]
    return experts(draw, config, "num_experts", "num_local_experts") if draw.flag() else config


DRAWN = {"qwen2_moe": qwen2_moe, "qwen3_moe": qwen3_moe, "qwen3_vl_moe_text": qwen3_vl_moe_text}
