"""Step 3.5, the language model of Step 3.7."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def step3p5(draw: Draw) -> Config:
    """Windows and experts by lists, by older keys or by the family's rules; other query heads."""
    n_heads, n_kv = draw.heads()
    depth = draw.depth(6)
    config: Config = {
        "architectures": ["Step3p7TextModel"], "vocab_size": draw.size(2), "pad_token_id": 1,
        "num_hidden_layers": depth, "hidden_size": draw.size(2), "num_attention_heads": n_heads,
        draw.one_of("num_key_value_heads", "num_attention_groups"): n_kv,
        "intermediate_size": draw.prime(), "head_dim": draw.size(2), "sliding_window": 8,
        draw.one_of("n_routed_experts", "moe_num_experts"): draw.between(4, 9),
        draw.one_of("num_experts_per_tok", "moe_top_k"): 2}
    further = draw.between(0, 2)
    draw.maybe(config, moe_intermediate_size=draw.prime(), attention_bias=draw.flag(),
               mlp_bias=draw.flag(), swiglu_limits=None,
               **{draw.one_of("share_expert_dim", "share_expert_dims"): draw.prime()})
    draw.maybe(config, layer_types=draw.pattern(
        ("full_attention", "sliding_attention"), depth + further))
    if further:
        config["num_nextn_predict_layers"] = further
    kinds = draw.pattern(("dense", "sparse"), depth)
    sparse = [str(i) for i, kind in enumerate(kinds) if kind == "sparse"]
    config |= draw.one_of({}, {"mlp_layer_types": kinds}, {"moe_layers_enum": ",".join(sparse)},
                          {"moe_layers_enum": [int(i) for i in sparse]})
    config |= draw.one_of({}, {"num_sliding_attention_heads": 2 * n_kv}, {
        "attention_other_setting": {"attention_type": "sliding_attention",
                                    "num_attention_heads": 3 * n_kv}})
    sliding = [i for i, kind in enumerate(config.get("layer_types", [])[:depth])
               if kind == "sliding_attention"]
    return draw.one_of(config, config | {"per_layer_config": {
        f"{i}": {"num_attention_heads": 5 * n_kv} for i in sliding}})


DRAWN = {"step3p5": step3p5}
