"""Encoders of pictures and of sound of Gemma 3n and Gemma 4, and what Gemma 4 Unified has."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing


def vision(draw: Draw) -> Config:
    """A head width of its own; bounds of the matrices, and a standardisation."""
    heads, kv = draw.heads()
    config: Config = {"num_attention_heads": heads, "num_key_value_heads": kv,
                      "head_dim": 4 * draw.between(1, 9)}
    draw.maybe(config, hidden_size=draw.size(2), intermediate_size=draw.size(3),
               num_hidden_layers=draw.depth(), patch_size=draw.prime(17),
               position_embedding_size=draw.size(), use_clipped_linears=draw.flag(),
               standardize=draw.flag(), attention_bias=draw.flag(),
               pooling_kernel_size=draw.between(1, 4))
    config.setdefault("num_hidden_layers", 2)
    return config


def audio(draw: Draw) -> Config:
    """Channels of the convolutions that a quarter does not divide."""
    heads = draw.between(1, 5)
    config: Config = {"num_attention_heads": heads, "hidden_size": 2 * heads * draw.between(1, 9),
                      "num_hidden_layers": draw.depth()}
    draw.maybe(config, conv_kernel_size=draw.between(1, 7), output_proj_dims=draw.size(2),
               subsampling_conv_channels=[draw.between(4, 41), draw.between(1, 41)],
               use_clipped_linears=draw.flag())
    return config


def unified_vision(draw: Draw) -> Config:
    """A table of positions, and patches that become one."""
    config: Config = {}
    draw.maybe(config, patch_size=draw.between(1, 9), pooling_kernel_size=draw.between(1, 5),
               mm_embed_dim=draw.size(2), mm_posemb_size=draw.size(),
               output_proj_dims=draw.size(2))
    return config


def unified_audio(draw: Draw) -> Config:
    """A frame of sound, under any of its names."""
    config: Config = {}
    draw.maybe(config, **{draw.one_of("audio_embed_dim", "hidden_size", "output_proj_dims",
                                      "audio_samples_per_token"): draw.size()})
    return config


def gemma3n_vision(draw: Draw) -> Config:
    """One architecture alone, and rows for tokens of its own."""
    config: Config = {}
    draw.maybe(config, architecture="mobilenetv5_300m_enc", vocab_size=draw.size(2),
               do_pooling=draw.flag(), hidden_size=2048, model_args=None)
    return config


def gemma3n_audio(draw: Draw) -> Config:
    """Bands and channels that nothing divides."""
    heads = draw.between(1, 5)
    config: Config = {"conf_num_attention_heads": heads,
                      "hidden_size": 2 * heads * draw.between(1, 9),
                      "conf_num_hidden_layers": draw.depth()}
    draw.maybe(config, conf_conv_kernel_size=draw.between(1, 7),
               input_feat_size=draw.between(1, 99),
               sscp_conv_channel_size=[draw.between(1, 41), draw.between(1, 41)],
               vocab_size=draw.size(2), conf_reduction_factor=draw.between(1, 4))
    return config


TOWERS = {"gemma3n_vision": gemma3n_vision, "gemma3n_audio": gemma3n_audio,
          "gemma4_vision": vision, "gemma4_audio": audio, "gemma4_unified_vision": unified_vision,
          "gemma4_unified_audio": unified_audio}
#: ``towers`` draws them, by themselves and in what they stand in.
DRAWN: dict[str, Drawing] = {}
