"""DeepSeek V2, V3 and V3.2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def latent(draw: Draw, stem: str, ranks: tuple[int | str | None, ...] = (7, None, "none"),
           ) -> Config:
    """What all of them have: a class, widths, and the ranks of latent attention."""
    n_heads = draw.one_of(2, 3, 5)
    config: Config = {
        "architectures": [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM", f"{stem}Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": n_heads * draw.size(2), "num_attention_heads": n_heads,
        "num_key_value_heads": n_heads, "intermediate_size": draw.size(3),
        "kv_lora_rank": draw.prime(), "qk_nope_head_dim": draw.prime(),
        "qk_rope_head_dim": draw.size(2, 13), "v_head_dim": draw.prime()}
    rank = draw.one_of(*ranks)
    if rank != "none":
        config["q_lora_rank"] = rank and draw.prime()
    draw.maybe(config, attention_bias=draw.flag(), tie_word_embeddings=draw.flag(),
               rope_interleave=draw.flag())
    return config


def mixture(draw: Draw, config: Config, experts: str = "n_routed_experts") -> Config:
    """The sizes of a mixture, with groups that divide its experts."""
    groups = draw.one_of(1, 2)
    config |= {experts: groups * draw.one_of(3, 5, 7), "num_experts_per_tok": 2,
               "moe_intermediate_size": draw.prime(), "n_group": groups, "topk_group": groups}
    draw.maybe(config, n_shared_experts=draw.between(1, 3), norm_topk_prob=draw.flag())
    return config


def mlp_kinds(draw: Draw, config: Config) -> Config:
    """Dense layers first, or dense and sparse ones in any order."""
    depth = config["num_hidden_layers"]
    draw.maybe(config, first_k_dense_replace=draw.between(0, depth + 1))
    draw.maybe(config, mlp_layer_types=draw.one_of(None, draw.pattern(("dense", "sparse"), depth)))
    return config


def deepseek_v2(draw: Draw) -> Config:
    """With and without a query rank, biases in dense and shared networks."""
    config = mixture(draw, latent(draw, "DeepseekV2"),
                     draw.one_of("n_routed_experts", "num_experts"))
    draw.maybe(config, first_k_dense_replace=draw.between(0, 4), mlp_bias=draw.flag())
    return config


def deepseek_v3(draw: Draw) -> Config:
    """Dense layers first, as many as there are or fewer."""
    config = mixture(draw, latent(draw, "DeepseekV3"),
                     draw.one_of("n_routed_experts", "num_local_experts"))
    draw.maybe(config, first_k_dense_replace=draw.between(0, 5), moe_layer_freq=1)
    draw.maybe(config, **{draw.one_of("num_nextn_predict_layers", "num_mtp_layers"):
                          draw.between(0, 2)})
    return config


def deepseek_v32(draw: Draw) -> Config:
    """An indexer in every layer, kinds of layer listed or counted."""
    experts = draw.one_of("n_routed_experts", "num_local_experts", "num_experts")
    config = mlp_kinds(draw, mixture(draw, latent(draw, "DeepseekV32", (7, "none")), experts))
    draw.maybe(config, index_n_heads=draw.prime(), index_head_dim=draw.size(2),
               mlp_bias=draw.flag())
    return config


DRAWN = {"deepseek_v2": deepseek_v2, "deepseek_v3": deepseek_v3, "deepseek_v32": deepseek_v32}
