"""Latent attention with other mixers, norms and gates: Kimi Linear, Ling 3.0, A.X K1 and K2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import latent, mixture, mlp_kinds

MIXERS = ("full_attention", "linear_attention")


def _untied(config: Config) -> Config:
    for key in ("tie_word_embeddings", "rope_interleave"):
        config.pop(key, None)
    return config | {"pad_token_id": None}


def _renamed(draw: Draw, config: Config) -> Config:
    """Keys under one of the two names that they have."""
    for old, new in (("num_experts_per_tok", "num_experts_per_token"),
                     ("n_shared_experts", "num_shared_experts"), ("n_group", "num_expert_group"),
                     ("norm_topk_prob", "moe_renormalize")):
        if old in config and draw.flag():
            config[new] = config.pop(old)
    return config


def kimi_linear(draw: Draw) -> Config:
    """Mixers listed, numbered in the older table, or by rule; sizes here and there."""
    experts = draw.one_of("num_experts", "num_local_experts")
    config = mlp_kinds(draw, mixture(draw, _untied(latent(draw, "KimiLinear")), experts))
    depth = config["num_hidden_layers"]
    draw.maybe(config, linear_num_heads=draw.between(1, 5), linear_head_dim=draw.size(2),
               linear_conv_kernel_dim=draw.between(2, 6), num_nextn_predict_layers=0)
    if draw.flag():
        full = [n for n in range(1, depth + 1) if draw.flag()]
        older: Config = {}
        draw.maybe(older, full_attn_layers=full,
                   kda_layers=[n for n in range(1, depth + 1) if n not in full])
        draw.maybe(older, num_heads=draw.between(1, 5), head_dim=draw.size(2),
                   short_conv_kernel_size=draw.between(2, 6))
        config["linear_attn_config"] = older
    draw.maybe(config, layer_types=draw.one_of(None, draw.pattern(MIXERS, depth)))
    return _renamed(draw, config)


def bailing_hybrid(draw: Draw) -> Config:
    """Mixers by period or listed; sizes of the delta attention as made or as saved."""
    config = mixture(draw, _untied(latent(draw, "BailingHybrid", ("none",))),
                     draw.one_of("num_experts", "num_local_experts"))
    config = mlp_kinds(draw, config)
    draw.maybe(config, layer_group_size=draw.between(1, 4), head_dim=draw.size(2),
               short_conv_kernel_size=draw.between(2, 6), linear_head_dim=draw.size(2),
               linear_num_heads=draw.between(1, 5), linear_conv_kernel_dim=draw.between(2, 6))
    draw.maybe(config, layer_types=draw.one_of(
        None, draw.pattern(MIXERS, config["num_hidden_layers"])))
    return _renamed(draw, config)


def axk1(draw: Draw) -> Config:
    """Kinds of layer listed, or by two numbers."""
    config = mixture(draw, latent(draw, "AXK1", (7, "none")),
                     draw.one_of("n_routed_experts", "num_local_experts"))
    draw.maybe(config, moe_layer_freq=draw.between(1, 3))
    return mlp_kinds(draw, config)


def axk2(draw: Draw) -> Config:
    """As K1, with an indexer and gated norms."""
    config = mixture(draw, latent(draw, "AXK2", (7, "none")),
                     draw.one_of("n_routed_experts", "num_local_experts"))
    draw.maybe(config, moe_layer_freq=draw.between(1, 3), index_n_heads=draw.prime(),
               index_head_dim=draw.size(2), gated_norm_rank=draw.prime())
    return mlp_kinds(draw, config)


DRAWN = {"kimi_linear": kimi_linear, "bailing_hybrid": bailing_hybrid, "axk1": axk1, "axk2": axk2}
