"""Others with latent attention: GLM-5, GLM-4.7-Flash, Youtu-LLM, MiniCPM3."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import latent, mixture, mlp_kinds


def glm_moe_dsa(draw: Draw) -> Config:
    """Indexers in all layers or in some: listed, spelled, or by a period."""
    experts = draw.one_of("n_routed_experts", "num_local_experts", "num_experts")
    config = mlp_kinds(draw, mixture(draw, latent(draw, "GlmMoeDsa", (7, "none")), experts))
    draw.maybe(config, index_n_heads=draw.prime(), index_head_dim=draw.size(2))
    depth = config["num_hidden_layers"]
    match draw.between(0, 4):
        case 0:
            config["indexer_types"] = ["full", *draw.pattern(("full", "shared"), depth - 1)]
        case 1:
            config["index_topk_pattern"] = "F" + "".join(draw.pattern("FS", depth - 1))
        case 2:
            config["index_topk_pattern"] = ["full", *draw.pattern(("full", "shared"), depth - 1)]
        case 3:
            draw.maybe(config, index_topk_freq=draw.between(0, 3),
                       index_skip_topk_offset=draw.between(0, 4))
    return config


def glm4_moe_lite(draw: Draw) -> Config:
    """One dense layer, or kinds in any order; full queries too."""
    config = mixture(draw, latent(draw, "Glm4MoeLite"),
                     draw.one_of("n_routed_experts", "num_local_experts"))
    depth = config["num_hidden_layers"]
    draw.maybe(config, mlp_layer_types=draw.one_of(None, draw.pattern(("dense", "sparse"), depth)))
    if draw.flag():
        config["head_dim"] = config.pop("qk_rope_head_dim")
    return config


def youtu(draw: Draw) -> Config:
    """Dense, with and without a query rank."""
    return latent(draw, "Youtu")


def minicpm3(draw: Draw) -> Config:
    """Dense, with biases, the width of values given, null or missing."""
    config = latent(draw, "MiniCPM3")
    draw.maybe(config, mlp_bias=draw.flag(), scale_emb=draw.one_of(1, 12))
    if draw.flag():
        config["v_head_dim"] = None
    elif draw.flag():
        del config["v_head_dim"]
    return config


DRAWN = {"glm_moe_dsa": glm_moe_dsa, "glm4_moe_lite": glm4_moe_lite, "youtu": youtu,
         "minicpm3": minicpm3}
