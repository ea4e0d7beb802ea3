"""Qwen3-Next and the text models of Qwen3.5."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _linear(draw: Draw) -> Config:
    """Sizes of both kinds of attention, patterns, biases, ties."""
    n_heads, n_kv = draw.heads()
    depth = draw.depth(9)
    config: Config = {
        "vocab_size": draw.size(2), "num_hidden_layers": depth, "hidden_size": draw.size(2),
        "num_attention_heads": n_heads, "num_key_value_heads": n_kv, "head_dim": draw.size(8),
        "linear_num_key_heads": draw.between(1, 3), "linear_num_value_heads": draw.between(4, 6),
        "linear_key_head_dim": draw.size(), "linear_value_head_dim": draw.size()}
    kinds = ("linear_attention", "full_attention")
    draw.maybe(config, attention_bias=draw.flag(), tie_word_embeddings=draw.flag(),
               linear_conv_kernel_dim=draw.prime(11), full_attention_interval=draw.between(1, 5),
               layer_types=draw.one_of(None, draw.pattern(kinds, depth)))
    return config


def _experts(draw: Draw) -> Config:
    config: Config = {"moe_intermediate_size": draw.size(), "num_experts": draw.between(10, 14),
                      "shared_expert_intermediate_size": draw.size()}
    draw.maybe(config, num_experts_per_tok=3)
    return config


def qwen3_next(draw: Draw) -> Config:
    """Dense and sparse layers by step, list and number of experts."""
    config = {"architectures": [draw.one_of("Qwen3NextForCausalLM", "Qwen3NextForCausalLM",
                                            "Qwen3NextModel")],
              "intermediate_size": draw.size(), **_linear(draw), **_experts(draw)}
    draw.maybe(config, decoder_sparse_step=draw.between(1, 3),
               mlp_only_layers=draw.one_of(None, [], [0], [1, 3]))
    if draw.flag() and draw.flag():
        config["num_experts"] = 0
    return config


def qwen3_5_text(draw: Draw) -> Config:
    """Dense."""
    return {"architectures": [draw.one_of("Qwen3_5ForCausalLM", "Qwen3_5TextModel")],
            "intermediate_size": draw.size(), **_linear(draw)}


def qwen3_5_moe_text(draw: Draw) -> Config:
    """Every layer sparse."""
    return {"architectures": [draw.one_of("Qwen3_5MoeForCausalLM", "Qwen3_5MoeTextModel")],
            **_linear(draw), **_experts(draw)}


DRAWN = {"qwen3_next": qwen3_next, "qwen3_5_text": qwen3_5_text,
         "qwen3_5_moe_text": qwen3_5_moe_text}
