"""Encoders of pictures and of sound of dots3-note, Inkling and Inkling 2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing


def dots3_vision(draw: Draw) -> Config:
    """A number of experts for each layer, in either way of writing it; older names."""
    heads, depth = draw.between(1, 3), draw.depth()
    width, merge = 4 * heads * draw.between(1, 9), draw.between(1, 3)
    config: Config = {
        draw.one_of("hidden_size", "embed_dim"): width, "adapter_in_dim": width,
        draw.one_of("num_attention_heads", "num_heads"): heads, "num_hidden_layers": depth,
        "spatial_merge_size": merge, "adapter_merge_size": merge}
    draw.maybe(config, intermediate_size=draw.size(3), moe_intermediate_size=draw.size(2),
               patch_size=draw.prime(17), num_channels=draw.between(1, 4),
               num_experts_per_tok=draw.between(1, 4))
    config[draw.one_of("attention_bias", "use_bias")] = draw.flag()
    if draw.flag():
        return config | {"pyramid_num_routed": [draw.one_of(-1, draw.between(1, 9))
                                                for _ in range(depth)]}
    kinds = [draw.one_of("dense", "sparse") for _ in range(depth)]
    if "sparse" not in kinds:
        config["mlp_bias"] = draw.flag()
    own = {str(i): {"num_local_experts": draw.between(4, 9)}
           for i, kind in enumerate(kinds) if kind == "sparse" and draw.flag()}
    return config | {"mlp_layer_types": kinds, "num_local_experts": draw.between(4, 9)} | (
        {"per_layer_config": own} if own else {})


def dots3_audio(draw: Draw) -> Config:
    """Bands that nothing divides; the sizes in the table that older files have."""
    heads = draw.between(1, 3)
    width = 4 * heads * draw.between(1, 9)
    sizes = {"hidden_size": width, "num_attention_heads": heads,
             "num_hidden_layers": draw.depth(), "intermediate_size": draw.size(2),
             "feature_size": draw.between(1, 99)}
    config: Config = {"adapter_input_size": width}
    draw.maybe(config, downsample_hidden_size=draw.size(), attention_bias=draw.flag())
    if draw.flag():
        return config | sizes
    return config | {"whisper_config": {
        "d_model": width, "encoder_attention_heads": heads,
        "encoder_layers": sizes["num_hidden_layers"], "num_mel_bins": sizes["feature_size"],
        "encoder_ffn_dim": sizes["intermediate_size"]}}


def inkling_vision(draw: Draw) -> Config:
    """At least as many layers as there are sizes; channels of which no side is a multiple, so that
    no layer is as near to one size as to another."""
    config: Config = {"patch_size": draw.one_of(4, 10, 20, 40),
                      "temporal_patch_size": draw.one_of(2, 4),
                      draw.one_of("n_layers", "num_hidden_layers"): draw.between(7, 13)}
    draw.maybe(config, num_channels=draw.one_of(3, 7), text_hidden_size=draw.size(2))
    return config


def inkling_audio(draw: Draw) -> Config:
    """Rows for each band."""
    config: Config = {}
    draw.maybe(config, mel_vocab_size=draw.size(), text_hidden_size=draw.size(2),
               n_mel_bins=draw.prime())
    return config


def inkling2_vision(draw: Draw) -> Config:
    """A width inside by its key or by a ratio; older names."""
    heads = draw.between(1, 3)
    config: Config = {"num_attention_heads": heads, "hidden_size": 8 * heads * draw.between(1, 9),
                      "num_hidden_layers": draw.depth()}
    draw.maybe(config, intermediate_size=draw.size(2), mlp_ratio=draw.one_of(0.7, 2.5, 4.0),
               posemb_grid_size=draw.prime(), projection_hidden_dim=draw.size(2),
               projector_bias=draw.flag(), num_channels=draw.between(1, 4))
    draw.maybe(config, **{draw.one_of("patch_size", "native_patch_size"): draw.prime(17),
                          draw.one_of("spatial_merge_size", "adapter_merge_size"):
                          draw.between(1, 3)})
    return config


TOWERS = {"dots3_note_vision_encoder": dots3_vision, "dots3_note_audio_encoder": dots3_audio,
          "inkling_vision": inkling_vision, "inkling_audio": inkling_audio,
          "inkling2_vision": inkling2_vision}
#: Keys of towers that have to be the width of the language model.
WIDTHS = {"dots3_note": {"vision_config": "adapter_out_dim", "audio_config": "adapter_out_dim"},
          "inkling2": {"vision_config": "text_hidden_size"}}
#: ``towers`` draws them, by themselves and in what they stand in.
DRAWN: dict[str, Drawing] = {}


def fitted(name: str, config: Config, text: Config) -> Config:
    """A whole whose towers lead to the width of its language model."""
    for place, key in WIDTHS.get(name, {}).items():
        config = config | {place: config.get(place, {}) | {key: text["hidden_size"]}}
    return config
