"""LFM2, dense and with experts."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _common(draw: Draw, stem: str) -> Config:
    n_heads, n_kv = draw.heads()
    d_head = draw.size(2)
    config: Config = {
        "architectures": [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM",
                                      f"{stem}Model")],
        "vocab_size": draw.size(), "num_hidden_layers": draw.depth(7),
        "hidden_size": n_heads * d_head, "num_attention_heads": n_heads,
        "num_key_value_heads": n_kv, "intermediate_size": draw.size(3)}
    if draw.flag():
        config |= {"hidden_size": draw.size(n_heads), "head_dim": d_head}
    draw.maybe(config, conv_bias=draw.flag(), conv_L_cache=draw.prime(11),
               tie_embedding=draw.flag(), tie_word_embeddings=draw.flag())
    return config


def lfm2(draw: Draw) -> Config:
    """Attention by list of kinds or of numbers; the FFN's width adjusted in every way."""
    config = _common(draw, "Lfm2")
    depth = config["num_hidden_layers"]
    draw.maybe(config, layer_types=draw.one_of(None, draw.pattern(("conv", "full_attention"),
                                                                  depth)),
               full_attn_idxs=draw.one_of(None, [0, 2], [1], []), block_ff_dim=draw.size(3),
               block_auto_adjust_ff_dim=draw.flag(), block_multiple_of=draw.size(),
               block_ffn_dim_multiplier=draw.one_of(1.0, 1.3, 2, 0.7))
    return config


def lfm2_moe(draw: Draw) -> Config:
    """Dense layers first, with and without the balancing buffer."""
    config = _common(draw, "Lfm2Moe")
    config |= {"num_experts": draw.between(5, 9), "moe_intermediate_size": draw.size(),
               "layer_types": draw.pattern(("conv", "full_attention"),
                                           config["num_hidden_layers"])}
    draw.maybe(config, num_dense_layers=draw.between(0, 3), use_expert_bias=draw.flag(),
               num_experts_per_tok=3)
    return config


DRAWN = {"lfm2": lfm2, "lfm2_moe": lfm2_moe}
