"""Nemotron-H and Nemotron 3."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def nemotron_h(draw: Draw) -> Config:
    """All four kinds of layer, as letters, old names and new ones; experts in a latent width."""
    n_heads, n_kv = draw.heads()
    config: Config = {
        "architectures": [draw.one_of("NemotronHForCausalLM", "NemotronHForCausalLM",
                                      "NemotronHModel")],
        "vocab_size": draw.size(2), "hidden_size": draw.size(2), "num_attention_heads": n_heads,
        "num_key_value_heads": n_kv, "intermediate_size": draw.size(),
        "mamba_num_heads": draw.between(2, 6), "mamba_head_dim": draw.size(),
        draw.one_of("n_groups", "mamba_n_groups"): draw.between(1, 3),
        draw.one_of("conv_kernel", "mamba_d_conv"): draw.prime(11),
        draw.one_of("n_routed_experts", "num_local_experts"): draw.between(4, 9),
        "moe_intermediate_size": draw.size(), "moe_shared_expert_intermediate_size": draw.size()}
    letters = draw.one_of("M-M*", "ME*EM", "*", "MM", "E-", "-M", "M*-E", "M*M-")
    old = {"M": "mamba", "E": "moe", "*": "attention", "-": "mlp"}
    new = old | {"M": "linear_attention", "*": "full_attention"}
    names = [draw.one_of(old, new)[letter] for letter in letters]
    config |= draw.one_of({"hybrid_override_pattern": letters}, {"layers_block_type": names},
                          {"layer_types": names}, {}, {"hybrid_override_pattern": letters,
                                                       "layers_block_type": None})
    draw.maybe(config, head_dim=draw.size(2), ssm_state_size=draw.prime(), use_bias=draw.flag(),
               use_conv_bias=draw.flag(), mamba_conv_bias=draw.flag(), num_experts_per_tok=3,
               moe_latent_size=draw.one_of(None, draw.size()), num_nextn_predict_layers=1,
               mamba_proj_bias=draw.flag())
    dense = "E" not in letters and set(config) & {"hybrid_override_pattern", "layers_block_type",
                                                  "layer_types"}
    if dense:
        draw.maybe(config, mlp_bias=draw.flag(), num_hidden_layers=len(letters))
    return config


DRAWN = {"nemotron_h": nemotron_h}
