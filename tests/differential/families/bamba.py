"""Bamba, Falcon-H1 and Granite 4: Mamba-2 and attention in one model."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _hybrid(draw: Draw, stem: str) -> Config:
    n_heads, n_kv = draw.heads()
    d_head, expand, heads = draw.size(4), draw.between(1, 3), draw.one_of(1, 2, 3)
    config: Config = {
        "architectures": [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM",
                                      f"{stem}Model")],
        "vocab_size": draw.size(), "num_hidden_layers": draw.depth(7),
        "hidden_size": n_heads * d_head, "num_attention_heads": n_heads,
        "num_key_value_heads": draw.one_of(n_kv, n_kv, None), "intermediate_size": draw.size(),
        "mamba_expand": expand, "mamba_n_heads": heads * n_heads}
    if expand % heads:
        config["mamba_n_heads"] = n_heads
    draw.maybe(config, mamba_n_groups=draw.between(1, 3), mamba_d_state=draw.prime(),
               mamba_d_conv=draw.prime(11), mamba_conv_bias=draw.flag(), head_dim=draw.size(4),
               mamba_proj_bias=draw.flag(), attention_bias=draw.flag(),
               tie_word_embeddings=draw.flag())
    inner = expand * config["hidden_size"]
    draw.maybe(config, mamba_d_head=draw.one_of("auto", inner // config["mamba_n_heads"]))
    return config


def bamba(draw: Draw) -> Config:
    """Layers that attend by number."""
    config = _hybrid(draw, "Bamba")
    draw.maybe(config, attn_layer_indices=draw.one_of(None, [], [0], [1, 3]),
               mlp_bias=draw.flag())
    return config


def falcon_h1(draw: Draw) -> Config:
    """The inner width stated, null or missing; an output bias and a norm of the mixer."""
    config = _hybrid(draw, "FalconH1")
    config.pop("mamba_d_head", None)
    inner = config["mamba_n_heads"] * draw.size()
    config["mamba_d_ssm"] = draw.one_of(None, inner)
    if draw.flag() and draw.flag():
        del config["mamba_d_ssm"]
        config["mamba_n_heads"] = 16
    draw.maybe(config, mlp_bias=draw.flag(), projectors_bias=draw.flag(),
               mamba_rms_norm=draw.flag())
    return config


def granitemoehybrid(draw: Draw) -> Config:
    """With experts and without, rotary positions or none."""
    config = _hybrid(draw, "GraniteMoeHybrid")
    kinds = draw.one_of(("mamba", "attention"), ("linear_attention", "full_attention"))
    names = draw.pattern(kinds, config["num_hidden_layers"])
    config |= draw.one_of({}, {"layer_types": names}, {"layers_block_type": names})
    draw.maybe(config, num_local_experts=draw.one_of(0, 4, 6), num_experts_per_tok=3,
               shared_intermediate_size=draw.size(), position_embedding_type="rope")
    return config


DRAWN = {"bamba": bamba, "falcon_h1": falcon_h1, "granitemoehybrid": granitemoehybrid}
