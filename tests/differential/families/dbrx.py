"""DBRX."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def dbrx(draw: Draw) -> Config:
    """Both tables or one; sizes under two names."""
    n_heads, n_kv = draw.heads()
    names = draw.one_of(("n_heads", "n_layers"), ("num_attention_heads", "num_hidden_layers"))
    config: Config = {
        "architectures": ["Dbrx" + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
        "vocab_size": draw.size(2), "d_model": n_heads * draw.size(2), names[0]: n_heads,
        names[1]: draw.depth()}
    attention: Config = {"clip_qkv": 8, "rope_theta": 500000}
    draw.maybe(attention, kv_n_heads=n_kv)
    experts = draw.prime(31)
    ffn: Config = {"moe_jitter_eps": 0.01}
    draw.maybe(ffn, ffn_hidden_size=draw.size(3))
    if draw.flag():
        ffn |= {"moe_num_experts": experts, "moe_top_k": draw.between(1, experts)}
    draw.maybe(config, ffn_config=draw.one_of(ffn, ffn, None))
    return config | {"attn_config": attention}


DRAWN = {"dbrx": dbrx}
