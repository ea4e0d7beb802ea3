"""MiMo-V2-Flash."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import experts


def mimo_v2_flash(draw: Draw) -> Config:
    """Windows and experts in any layers; keys and values of different widths."""
    n_kv, depth = draw.one_of(1, 2, 3), draw.depth(8)
    config: Config = {
        "architectures": ["MiMoV2Flash" + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": depth, "hidden_size": draw.size(2),
        "num_attention_heads": n_kv * draw.one_of(2, 4), "num_key_value_heads": n_kv,
        "intermediate_size": draw.size(3), "moe_intermediate_size": draw.prime()}
    draw.maybe(config, attention_bias=draw.flag(), head_dim=draw.size(2), v_head_dim=draw.size(2),
               tie_word_embeddings=draw.flag(), mlp_layer_types=draw.one_of(
                   None, draw.pattern(("dense", "sparse"), depth)))
    if draw.flag():
        config["layer_types"] = draw.pattern(("full_attention", "sliding_attention"), depth)
    else:
        draw.maybe(config, hybrid_layer_pattern=[int(i > 0 and (i + 1) % 6 > 0)
                                                 for i in range(depth)])
    return (experts(draw, config, "n_routed_experts", "num_local_experts") if draw.flag()
            else config)


DRAWN = {"mimo_v2_flash": mimo_v2_flash}
