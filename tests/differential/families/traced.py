"""Traced: ZAYA1, NeoMME, UltraBERT, T5Gemma 2, Phi-4-multimodal and SeamlessM4T."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing


def llama_sizes(draw: Draw, of_head: int = 2) -> Config:
    """Sizes of grouped attention with a width of its own for a head."""
    n_heads, n_kv = draw.heads()
    config: Config = {
        "hidden_size": draw.size(n_heads), "num_attention_heads": n_heads,
        "num_key_value_heads": n_kv, "head_dim": draw.size(of_head),
        "num_hidden_layers": draw.depth()}
    draw.maybe(config, intermediate_size=draw.size(2), vocab_size=draw.size(3),
               max_position_embeddings=draw.size(8))
    return config


def zaya(draw: Draw) -> Config:
    """Experts of any number, a router of any width, convolutions of any length."""
    config = {"architectures": [draw.one_of("ZayaForCausalLM", "ZayaModel")],
              **llama_sizes(draw, 4)}
    config.pop("intermediate_size", None)
    draw.maybe(config, moe_intermediate_size=draw.size(2), num_experts=draw.size(),
               router_hidden_size=draw.size(), cca_time0=draw.between(1, 4),
               cca_time1=draw.between(1, 4), tie_word_embeddings=True)
    return config


def neomme(draw: Draw) -> Config:
    """Patches and ranks of any size."""
    config = {"architectures": [draw.one_of("NeoMMEForMaskedLM", "NeoMMEModel")],
              **llama_sizes(draw, 16)}
    draw.maybe(config, embedding_rank=draw.size(), patch_size=draw.size(), sliding_window=8,
               embedding_dim=draw.size())
    return config


def ultrabert(draw: Draw) -> Config:
    """Heads by rule where they are not given."""
    config = {"architectures": [draw.one_of("UltrabertForMaskedLM", "UltrabertModel")],
              **llama_sizes(draw)}
    for key in ("head_dim", "num_key_value_heads"):
        if draw.flag():
            del config[key]
    if "head_dim" not in config:
        config["hidden_size"] *= 2
    draw.maybe(config, prediction_head_size=draw.size(), sliding_window=8)
    return config


def t5gemma2(draw: Draw) -> Config:
    """Sides of one width and vocabulary, else each with sizes of its own."""
    n_heads = draw.one_of(1, 2, 3)
    shared = {"hidden_size": draw.size(12), "vocab_size": 300 + draw.size(3)}
    sides = []
    for _ in range(2):
        side: Config = {**shared, "num_hidden_layers": draw.depth(), "head_dim": draw.size(2),
                        "num_attention_heads": draw.one_of(n_heads, 2 * n_heads),
                        "num_key_value_heads": n_heads}
        draw.maybe(side, intermediate_size=draw.size(2), sliding_window=8)
        sides.append(side)
    heads = draw.one_of(1, 2)
    vision: Config = {"hidden_size": draw.size(2 * heads), "num_attention_heads": heads,
                      "num_hidden_layers": draw.depth(3), "patch_size": 14, "image_size": 896}
    draw.maybe(vision, intermediate_size=draw.size(2), num_channels=draw.between(1, 4))
    text, decoder = sides
    return {"architectures": [draw.one_of("T5Gemma2ForConditionalGeneration", "T5Gemma2Model")],
            "encoder": {"text_config": text, "vision_config": vision}, "decoder": decoder}


def phi4_multimodal(draw: Draw) -> Config:
    """Towers of any size; a head of its own, or the token table."""
    config: Config = {"architectures": ["Phi4MultimodalForCausalLM"], "pad_token_id": 0,
                      **llama_sizes(draw)}
    del config["head_dim"]
    config["hidden_size"] *= 2
    heads = draw.one_of(1, 2, 4)
    config["vision_config"] = {"hidden_size": draw.size(2 * heads), "num_attention_heads": heads,
                               "num_hidden_layers": 1 + draw.depth(3)}
    draw.maybe(config["vision_config"], intermediate_size=draw.size(2), patch_size=14,
               num_channels=draw.between(1, 4), image_size=14 * draw.between(2, 9))
    config["audio_config"] = {"hidden_size": draw.size(2 * heads), "num_attention_heads": heads,
                              "num_blocks": draw.depth(3)}
    draw.maybe(config["audio_config"], intermediate_size=draw.size(2), kernel_size=draw.size(),
               ext_pw_out_channel=draw.size(2), depthwise_multiplier=draw.between(1, 3),
               bias_max_distance=draw.size(3), nemo_conv_channels=draw.size(2),
               input_size=draw.between(40, 120), time_reduction=8)
    draw.maybe(config, tie_word_embeddings=draw.flag())
    return config


def seamless(stem: str) -> Drawing:
    """All parts, or those of text; sizes that go together in both."""
    def drawn(draw: Draw) -> Config:
        tail = draw.one_of("ForTextToText", "Model" if stem == "SeamlessM4T" else "ForTextToText")
        config: Config = {"architectures": [stem + tail], "hidden_size": draw.size(32),
                          "pad_token_id": 0}
        draw.maybe(config, vocab_size=draw.size(3), encoder_layers=draw.depth(),
                   decoder_layers=draw.depth(), encoder_ffn_dim=draw.size(2),
                   decoder_ffn_dim=draw.size(2), max_position_embeddings=draw.size(4),
                   speech_encoder_layers=draw.depth(3), t2u_encoder_layers=draw.depth(3),
                   t2u_decoder_layers=draw.depth(3), t2u_vocab_size=draw.size(5),
                   speech_encoder_intermediate_size=draw.size(2),
                   feature_projection_input_dim=draw.size(2), t2u_encoder_ffn_dim=draw.size(2),
                   vocoder_num_langs=draw.size(), spkr_embed_dim=draw.size(2))
        return config
    return drawn


DRAWN: dict[str, Drawing] = {
    "zaya": zaya, "neomme": neomme, "ultrabert": ultrabert, "t5gemma2": t5gemma2,
    "phi4_multimodal": phi4_multimodal, "seamless_m4t": seamless("SeamlessM4T"),
    "seamless_m4t_v2": seamless("SeamlessM4Tv2")}
