"""GPT-BigCode."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def gpt_bigcode(draw: Draw) -> Config:
    """One key-value head or many, the inner width or a rule, tied or not."""
    n_heads = draw.one_of(1, 2, 3, 4, 8)
    config: Config = {
        "architectures": [draw.one_of("GPTBigCodeForCausalLM", "GPTBigCodeForCausalLM",
                                      "GPTBigCodeModel")],
        draw.one_of("n_embd", "hidden_size"): n_heads * draw.size(1),
        draw.one_of("n_head", "num_attention_heads"): n_heads, "vocab_size": draw.size(3),
        draw.one_of("n_layer", "num_hidden_layers"): draw.depth()}
    draw.maybe(config, n_inner=draw.one_of(draw.size(5), draw.size(5), None),
               multi_query=draw.flag(), tie_word_embeddings=draw.flag(),
               scale_attn_weights=draw.flag(), attention_softmax_in_fp32=draw.flag())
    draw.maybe(config, **{draw.one_of("n_positions", "max_position_embeddings"): draw.size(2)})
    return config


DRAWN = {"gpt_bigcode": gpt_bigcode}
