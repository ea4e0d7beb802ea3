"""Language models of Inkling and Inkling 2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def inkling_text(draw: Draw) -> Config:
    """Windows and experts in any layers, each kind of attention with sizes of its own."""
    (n_heads, n_kv), (local, n_local), depth = draw.heads(), draw.heads(), draw.depth(8)
    config: Config = {
        "architectures": ["Inkling" + draw.one_of("ForCausalLM", "ForCausalLM", "TextModel")],
        "num_hidden_layers": depth, "hidden_size": draw.size(2), "num_attention_heads": n_heads,
        "num_key_value_heads": n_kv, "swa_num_attention_heads": local,
        "swa_num_key_value_heads": n_local, "n_routed_experts": draw.prime(),
        "moe_intermediate_size": draw.prime(), "num_experts_per_tok": draw.between(1, 2)}
    draw.maybe(config, vocab_size=draw.size(3), head_dim=draw.size(2), swa_head_dim=draw.size(2),
               d_rel=draw.prime(), rel_extent=draw.size(2), sliding_window_size=draw.size(2),
               intermediate_size=draw.size(2), conv_kernel_size=draw.between(2, 5),
               n_shared_experts=draw.between(1, 3), shared_expert_sink=draw.flag(),
               mlp_layer_types=draw.pattern(("dense", "sparse"), depth))
    if draw.flag():
        config["layer_types"] = draw.pattern(("hybrid", "hybrid_sliding"), depth)
    else:
        draw.maybe(config, local_layer_ids=[i for i in range(depth) if draw.flag()])
    if draw.between(0, 3) == 0 and "intermediate_size" in config:
        config["dense_intermediate_size"] = config.pop("intermediate_size")
        config["intermediate_size"] = config.pop("moe_intermediate_size")
    return config


def inkling2_text(draw: Draw) -> Config:
    """Either kind of attention in any layer, the first among them; other names of keys."""
    (n_heads, n_kv), (local, n_local), depth = draw.heads(), draw.heads(), draw.depth(8)
    config: Config = {
        "architectures": ["Inkling2" + draw.one_of("ForCausalLM", "ForCausalLM", "TextModel")],
        "num_hidden_layers": depth, "hidden_size": draw.size(2), "num_attention_heads": n_heads,
        "num_key_value_heads": n_kv, "swa_num_attention_heads": local,
        "swa_num_key_value_heads": n_local, "num_experts_per_tok": draw.between(1, 2),
        draw.one_of("n_routed_experts", "num_local_experts"): draw.prime(),
        draw.one_of("moe_intermediate_size", "intermediate_size"): draw.prime()}
    draw.maybe(config, vocab_size=draw.size(3), head_dim=draw.size(2), swa_head_dim=draw.size(2),
               d_rel=draw.prime(), rel_extent=draw.size(2), sliding_window_size=draw.size(2),
               layer_types=draw.pattern(("hybrid", "hybrid_sliding"), depth))
    draw.maybe(config, **{draw.one_of("conv_kernel_size", "sconv_kernel_size"):
                          draw.between(2, 5)})
    return config


DRAWN = {"inkling_text": inkling_text, "inkling2_text": inkling2_text}
