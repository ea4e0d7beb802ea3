"""LongCat-Flash, without experts that have no weights: transformers makes room for their gates."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import latent


def longcat_flash(draw: Draw) -> Config:
    """Sizes under the names that are published and those of other families."""
    config = latent(draw, "LongcatFlash", (7, "none"))
    config["head_dim"] = config["qk_rope_head_dim"]  # what its rotation asks
    config["num_layers"] = config.pop("num_hidden_layers")
    config[draw.one_of("ffn_hidden_size", "intermediate_size")] = config.pop("intermediate_size")
    config |= {draw.one_of("expert_ffn_hidden_size", "moe_intermediate_size"): draw.prime(),
               draw.one_of("n_routed_experts", "num_local_experts"): draw.one_of(3, 5, 7),
               draw.one_of("moe_topk", "num_experts_per_tok"): draw.between(1, 3),
               "zero_expert_num": 0}
    draw.maybe(config, router_bias=draw.flag(), num_hidden_layers=2 * config["num_layers"])
    return config


DRAWN = {"longcat_flash": longcat_flash}
