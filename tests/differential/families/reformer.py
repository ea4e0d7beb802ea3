"""Reformer, of six layers."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def reformer(draw: Draw) -> Config:
    """Positions as the sum of what two shorter tables say."""
    tail = draw.one_of("Model", "ForMaskedLM", "ModelWithLMHead")
    first, second = draw.size(), draw.size()
    config: Config = {
        "architectures": [f"Reformer{tail}"], "hidden_size": first + second,
        "axial_pos_embds_dim": [first, second], "is_decoder": tail == "ModelWithLMHead"}
    draw.maybe(config, vocab_size=draw.size(3), feed_forward_size=draw.size(2),
               attention_head_size=draw.size(), num_attention_heads=draw.one_of(1, 2, 3),
               axial_pos_shape=[draw.size(), draw.size()], tie_word_embeddings=draw.flag(),
               num_hashes=draw.between(1, 4), attn_layers=["local", "lsh"] * 3)
    return config


DRAWN = {"reformer": reformer}
