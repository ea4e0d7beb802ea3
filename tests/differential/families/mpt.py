"""MPT."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def mpt(draw: Draw) -> Config:
    """Sizes under both of their names, the attention's table, tied or not."""
    n_heads = draw.one_of(1, 2, 4, 8)
    config: Config = {
        "architectures": [draw.one_of("MptForCausalLM", "MptForCausalLM", "MptModel")],
        draw.one_of("d_model", "hidden_size"): n_heads * draw.size(1),
        draw.one_of("n_heads", "num_attention_heads"): n_heads,
        draw.one_of("n_layers", "num_hidden_layers"): draw.depth()}
    attention: Config = {}
    draw.maybe(attention, alibi=True, clip_qkv=draw.one_of(None, 6.0), qk_ln=False,
               attn_type="multihead_attention", attn_impl="torch", alibi_bias_max=8,
               prefix_lm=False, softmax_scale=None)
    draw.maybe(config, vocab_size=draw.size(3), expansion_ratio=4, no_bias=True,
               max_seq_len=draw.size(2), learned_pos_emb=draw.flag(), logit_scale=None,
               tie_word_embeddings=draw.flag(), attn_config=draw.one_of(attention, None),
               norm_type="low_precision_layernorm", embedding_fraction=1.0)
    return config


DRAWN = {"mpt": mpt}
