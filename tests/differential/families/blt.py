"""BLT: four parts, each with sizes of its own but for those that have to meet."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _part(draw: Draw, model_type: str, width: int | None = None) -> Config:
    """A part; heads may share keys, and its network has a width by rule where none is given."""
    n_heads, n_kv = draw.heads()
    if width is not None:
        n_heads = n_kv = draw.one_of(1, 2)
    config: Config = {
        "model_type": f"blt_{model_type}", "num_hidden_layers": draw.depth(3),
        "hidden_size": width or draw.size(4 * n_heads), "num_attention_heads": n_heads}
    draw.maybe(config, num_key_value_heads=n_kv, intermediate_size=draw.size(2))
    return config


def blt(draw: Draw) -> Config:
    """The encoder's width with that of the patches; whole, or without a head."""
    patcher, encoder = _part(draw, "patcher"), _part(draw, "local_encoder")
    decoder = _part(draw, "local_decoder")
    times = draw.one_of(1, 2, 3)
    around = _part(draw, "global_transformer", encoder["hidden_size"] * times)
    draw.maybe(encoder, cross_attn_k=draw.between(1, 3), vocab_size=draw.size(2))
    draw.maybe(decoder, cross_attn_k=draw.between(1, 3), hidden_size_global=draw.size(2))
    draw.maybe(patcher, vocab_size=draw.size(2))
    config: Config = {
        "architectures": [draw.one_of("BltForCausalLM", "BltModel")],
        "patcher_config": patcher, "encoder_config": encoder, "decoder_config": decoder,
        "global_config": around, "cross_attn_k": times}
    draw.maybe(config, vocab_size=draw.size(3), encoder_hash_byte_group_vocab=draw.size(3),
               encoder_hash_byte_group_nb_functions=draw.between(1, 3),
               encoder_hash_byte_group_size=[3, 4, 5, 6, 7, 8],
               local_attention_window_len=draw.size(2))
    return config


DRAWN = {"blt": blt}
