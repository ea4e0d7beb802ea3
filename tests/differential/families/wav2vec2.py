"""Encoders of samples: wav2vec 2.0 and what follows it."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing


def _samples(draw: Draw, kind: str, stem: str) -> Config:
    groups = draw.one_of(1, 2, 3)
    heads = draw.between(1, 3) * groups
    layers = draw.between(1, 4)
    config: Config = {
        "architectures": [f"{stem}{draw.one_of('Model', 'ForCTC')}"],
        "hidden_size": draw.size(heads), "num_attention_heads": heads,
        "num_conv_pos_embedding_groups": groups, "num_hidden_layers": draw.depth()}
    if draw.flag():
        config |= {"conv_dim": [draw.prime() for _ in range(layers)],
                   "conv_kernel": [draw.between(1, 9) for _ in range(layers)],
                   "conv_stride": [draw.between(1, 4) for _ in range(layers)]}
    draw.maybe(config, intermediate_size=draw.size(2), num_conv_pos_embeddings=draw.prime(),
               conv_bias=draw.flag(), feat_extract_norm=draw.one_of("group", "layer"),
               do_stable_layer_norm=draw.flag(), vocab_size=draw.prime(),
               mask_time_prob=draw.one_of(0, 0.0, 0.1), mask_feature_prob=draw.one_of(0.0, 0.2),
               classifier_proj_size=draw.prime())
    if kind == "hubert":
        draw.maybe(config, feat_proj_layer_norm=draw.flag(), conv_pos_batch_norm=draw.flag())
    elif kind == "wavlm":
        draw.maybe(config, num_buckets=2 * draw.prime(), max_bucket_distance=draw.prime())
    if kind != "wavlm":
        draw.maybe(config, adapter_attn_dim=draw.one_of(None, draw.prime()))
    return config


def _drawing(kind: str, stem: str) -> Drawing:
    return lambda draw: _samples(draw, kind, stem)


DRAWN = {kind: _drawing(kind, stem) for kind, stem in (
    ("wav2vec2", "Wav2Vec2"), ("hubert", "Hubert"), ("wavlm", "WavLM"),
    ("unispeech", "UniSpeech"), ("unispeech-sat", "UniSpeechSat"))}
