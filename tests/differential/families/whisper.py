"""Whisper."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def whisper(draw: Draw) -> Config:
    """Sides alike or different, one of them alone, tied or not."""
    heads = draw.one_of(1, 2, 3, 6), draw.one_of(1, 2, 3, 6)
    config: Config = {
        "architectures": ["Whisper" + draw.one_of("ForConditionalGeneration", "Model",
                                                  "ForCausalLM", "Encoder")],
        "vocab_size": draw.size(), "encoder_layers": draw.depth(), "decoder_layers": draw.depth(),
        "pad_token_id": 1}
    if draw.flag():
        config |= {"d_model": draw.size(6), "encoder_attention_heads": heads[0],
                   "decoder_attention_heads": draw.one_of(*heads)}
    positions = draw.size()
    draw.maybe(config, encoder_ffn_dim=draw.size(5), decoder_ffn_dim=draw.size(3),
               max_source_positions=positions, num_mel_bins=draw.size(),
               max_target_positions=draw.one_of(positions, draw.size()),
               tie_word_embeddings=draw.flag())
    return config


DRAWN = {"whisper": whisper}
