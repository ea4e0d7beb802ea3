"""Encoders of pictures that have keys of their own; encoders of texts that stand beside one."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing


def _sizes(draw: Draw) -> Config:
    heads = draw.between(1, 3) * 2
    config: Config = {"hidden_size": draw.size(4 * heads, 19), "num_attention_heads": heads,
                      "num_hidden_layers": draw.depth(), "intermediate_size": draw.size(2)}
    draw.maybe(config, num_channels=draw.one_of(1, 3, 4), patch_size=draw.prime(13))
    return config


def siglip2_vision(draw: Draw) -> Config:
    """A head or none; as many patches as are said."""
    config = _sizes(draw)
    draw.maybe(config, num_patches=draw.prime(), vision_use_head=draw.flag())
    return config


def dinov3(draw: Draw) -> Config:
    """Biases that the family knows; registers, gates."""
    config = _sizes(draw)
    query, key = draw.one_of((True, False), (True, True), (False, False))
    if not query or key or draw.flag():
        config |= {"query_bias": query, "key_bias": key, "value_bias": query}
    draw.maybe(config, proj_bias=draw.flag(), mlp_bias=draw.flag(), use_gated_mlp=draw.flag(),
               num_register_tokens=draw.between(0, 5))
    return config


def _text(draw: Draw) -> Config:
    config = _sizes(draw)
    for key in ("num_channels", "patch_size"):
        config.pop(key, None)
    draw.maybe(config, vocab_size=draw.size(2), max_position_embeddings=draw.prime(),
               bos_token_id=0, eos_token_id=1)
    return config


def clip_text(draw: Draw) -> Config:
    """An encoder of texts."""
    config = _text(draw)
    draw.maybe(config, projection_dim=draw.size())
    return config


def siglip_text(draw: Draw) -> Config:
    """The width behind it, null, or nothing."""
    config = _text(draw)
    draw.maybe(config, projection_size=draw.one_of(None, draw.size()))
    return config


TOWERS: dict[str, Drawing] = {"siglip2_vision_model": siglip2_vision, "dinov3_vit": dinov3}
TEXTS = {"clip_text_model": clip_text, "siglip_text_model": siglip_text,
         "siglip2_text_model": siglip_text}
CLASSES = {"clip_text_model": "CLIPTextModel", "siglip_text_model": "SiglipTextModel",
           "siglip2_text_model": "Siglip2TextModel"}


def _drawing(model_type: str, cls: str) -> Drawing:
    def drawn(draw: Draw) -> Config:
        return {"architectures": [cls], **TEXTS[model_type](draw)}
    return drawn


DRAWN = {model_type: _drawing(model_type, cls) for model_type, cls in CLASSES.items()}
