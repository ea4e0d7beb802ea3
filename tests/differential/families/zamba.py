"""Zamba and Zamba2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _common(draw: Draw, stem: str) -> Config:
    n_heads, n_kv = draw.heads()
    config: Config = {
        "architectures": [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM",
                                      f"{stem}Model")],
        "vocab_size": draw.size(), "hidden_size": n_heads * draw.size(4),
        "num_attention_heads": n_heads, "num_key_value_heads": n_kv, "n_mamba_heads": n_heads,
        "intermediate_size": draw.size()}
    draw.maybe(config, mamba_d_state=draw.prime(), mamba_d_conv=draw.prime(11),
               mamba_expand=draw.between(1, 3))
    return config


def _pattern(draw: Draw, config: Config, fewest: int) -> None:
    depth = draw.depth(9)
    old = draw.flag()
    names = draw.pattern(("mamba" if old else "linear_attention", "hybrid"), depth)
    names += ["hybrid"] * fewest
    config |= {"num_hidden_layers": depth + fewest, "layers_block_type": names}


def zamba(draw: Draw) -> Config:
    """Hybrid layers by list or by period; widths of the attention given or not."""
    config = _common(draw, "Zamba")
    if draw.flag():
        _pattern(draw, config, 2)  # a single one cannot be built there
    else:
        config["num_hidden_layers"] = draw.between(8, 12)
        if draw.flag():
            config |= {"attn_layer_period": draw.between(2, 5), "attn_layer_offset": 1}
    draw.maybe(config, mamba_conv_bias=draw.flag(), mamba_proj_bias=draw.flag(),
               mamba_dt_rank=draw.one_of("auto", draw.prime()),
               attention_head_dim=draw.one_of(None, draw.size(2)))
    return config


def zamba2(draw: Draw) -> Config:
    """Several shared blocks in turn, adapters of each use."""
    config = _common(draw, "Zamba2")
    if draw.flag() or draw.flag():
        _pattern(draw, config, 0)
    if draw.flag():
        config["num_key_value_heads"] = None
    draw.maybe(config, use_conv_bias=draw.flag(), add_bias_linear=draw.flag(),
               num_mem_blocks=draw.between(1, 3), adapter_rank=draw.size(),
               use_shared_attention_adapter=draw.flag(), use_mem_rope=draw.flag(),
               mamba_ngroups=draw.one_of(1, 2))
    return config


DRAWN = {"zamba": zamba, "zamba2": zamba2}
