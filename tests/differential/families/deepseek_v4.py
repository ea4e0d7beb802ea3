"""DeepSeek V4."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import mixture

ATTENTIONS = ("sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention")


def deepseek_v4(draw: Draw) -> Config:
    """Kinds of attention listed, as ratios or by rule; rates; tables for the first layers."""
    depth, groups = draw.depth(), draw.one_of(1, 2, 3)
    config: Config = {
        "architectures": [draw.one_of("DeepseekV4ForCausalLM", "DeepseekV4ForCausalLM",
                                      "DeepseekV4Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": depth, "hidden_size": draw.size(2),
        "num_attention_heads": groups * draw.one_of(1, 5), "head_dim": draw.size(2),
        "o_groups": groups, "o_lora_rank": draw.prime(), "q_lora_rank": draw.prime()}
    mixture(draw, config, draw.one_of("n_routed_experts", "num_local_experts"))
    for key in ("n_group", "topk_group", "n_shared_experts"):
        config.pop(key, None)
    draw.maybe(config, index_n_heads=draw.prime(), index_head_dim=draw.size(2),
               hc_mult=draw.between(1, 5), mlp_bias=draw.flag(), attention_bias=draw.flag(),
               tie_word_embeddings=draw.flag(), n_shared_experts=1)
    match draw.between(0, 3):
        case 0:
            config["layer_types"] = draw.pattern(ATTENTIONS, depth)
        case 1:
            config["compress_ratios"] = draw.pattern((0, 4, 128), depth + draw.between(0, 2))
    match draw.between(0, 3):
        case 0:
            config["compress_rates"] = {name: draw.prime() for name in ATTENTIONS[1:]}
        case 1:
            draw.maybe(config, compress_rate_csa=draw.prime(), compress_rate_hca=draw.prime())
    match draw.between(0, 3):
        case 0:
            config["mlp_layer_types"] = draw.pattern(("moe", "hash_moe"), depth)
        case 1:
            config["num_hash_layers"] = draw.between(0, 6)
    if "moe_intermediate_size" in config and draw.flag():
        config["intermediate_size"] = config.pop("moe_intermediate_size")
    return config


DRAWN = {"deepseek_v4": deepseek_v4}
