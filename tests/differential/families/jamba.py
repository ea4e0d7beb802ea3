"""Jamba."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def jamba(draw: Draw) -> Config:
    """Attention and mixtures at drawn periods, biases of the mixer, few experts or one."""
    n_heads, n_kv = draw.heads()
    d_head = draw.size(2)
    config: Config = {
        "architectures": [draw.one_of("JambaForCausalLM", "JambaForCausalLM", "JambaModel")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(9),
        "hidden_size": n_heads * d_head, "num_attention_heads": n_heads,
        "intermediate_size": draw.size(3), "num_key_value_heads": n_kv,
        draw.one_of("num_experts", "num_local_experts"): draw.one_of(1, 2, 6, 9)}
    if draw.flag():
        config |= {"hidden_size": draw.size(n_heads), "head_dim": d_head}
    if n_kv == 1 and draw.flag():  # the default of 8 stands
        del config["num_key_value_heads"]
        config |= {"num_attention_heads": 8, "hidden_size": 8 * d_head}
    for what in ("attn_layer", "expert_layer"):
        period = draw.between(1, 5)
        if draw.flag():
            config |= {f"{what}_period": period, f"{what}_offset": draw.between(0, period - 1)}
    draw.maybe(config, num_experts_per_tok=1, mamba_d_state=draw.prime(), mamba_expand=3,
               mamba_d_conv=draw.prime(11), mamba_dt_rank=draw.one_of("auto", draw.prime()),
               mamba_conv_bias=draw.flag(), mamba_proj_bias=draw.flag(),
               tie_word_embeddings=draw.flag())
    return config


DRAWN = {"jamba": jamba}
