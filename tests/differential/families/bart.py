"""BART and the families with its layers: mBART, PLBART, MVP, PEGASUS and others."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing

STEMS = {"bart": "Bart", "mbart": "MBart", "plbart": "PLBart", "mvp": "Mvp", "pegasus": "Pegasus",
         "blenderbot": "Blenderbot", "blenderbot-small": "BlenderbotSmall"}


def sizes(draw: Draw) -> Config:
    """Keys of the sizes; the two sides alike or different, some keys missing."""
    heads = draw.one_of(1, 2, 3, 6), draw.one_of(1, 2, 3, 6)
    config: Config = {"vocab_size": draw.size(), "max_position_embeddings": draw.size(),
                      "encoder_layers": draw.depth(), "decoder_layers": draw.depth(),
                      "pad_token_id": 1}
    if draw.flag():
        config |= {"d_model": draw.size(6), "encoder_attention_heads": heads[0],
                   "decoder_attention_heads": draw.one_of(*heads)}
    ffn = draw.size(5)
    draw.maybe(config, encoder_ffn_dim=ffn, decoder_ffn_dim=draw.one_of(ffn, draw.size(3)))
    draw.maybe(config, tie_word_embeddings=draw.flag(), scale_embedding=draw.flag())
    return config


def like_bart(stem: str, *tails: str) -> Drawing:
    """With the head and without, the decoder alone, tied or not."""
    def drawing(draw: Draw) -> Config:
        tail = draw.one_of("ForConditionalGeneration", "Model", *tails)
        return {"architectures": [stem + tail], **sizes(draw)}
    return drawing


def marian(draw: Draw) -> Config:
    """One vocabulary or two."""
    config = {"architectures": ["Marian" + draw.one_of("MTModel", "Model", "ForCausalLM")],
              **sizes(draw)}
    draw.maybe(config, share_encoder_decoder_embeddings=draw.flag(),
               decoder_vocab_size=draw.one_of(draw.size(), None))
    return config


def bigbird_pegasus(draw: Draw) -> Config:
    """Attention with biases or without, sparse or full."""
    config = like_bart("BigBirdPegasus", "ForCausalLM")(draw)
    draw.maybe(config, use_bias=draw.flag(),
               attention_type=draw.one_of("block_sparse", "original_full"))
    return config


def led(draw: Draw) -> Config:
    """Each side with its own number of positions."""
    config = like_bart("LED")(draw)
    config["max_decoder_position_embeddings"] = config.pop("max_position_embeddings")
    draw.maybe(config, attention_window=4, max_encoder_position_embeddings=draw.one_of(
        draw.size(), config["max_decoder_position_embeddings"]))
    return config


DRAWN = {model_type: like_bart(stem, "ForCausalLM") for model_type, stem in STEMS.items()}
DRAWN |= {"m2m_100": like_bart("M2M100"), "marian": marian, "bigbird_pegasus": bigbird_pegasus,
          "led": led}
