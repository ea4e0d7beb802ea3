"""GIT: its text decoder and its encoder of pictures."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def git(draw: Draw) -> Config:
    """With or without vectors for frames, a head of its own or the token table."""
    heads, seeing = draw.one_of(1, 2, 3), draw.one_of(1, 2, 4)
    config: Config = {
        "architectures": [draw.one_of("GitForCausalLM", "GitForCausalLM", "GitModel")],
        "hidden_size": draw.size(heads), "num_attention_heads": heads, "vocab_size": draw.size(3)}
    draw.maybe(config, num_hidden_layers=draw.depth(), intermediate_size=draw.size(2),
               max_position_embeddings=draw.size(2), tie_word_embeddings=draw.flag(),
               num_image_with_embedding=draw.one_of(None, 1, 6))
    vision: Config = {"hidden_size": draw.size(2 * seeing), "num_attention_heads": seeing}
    draw.maybe(vision, num_hidden_layers=draw.depth(), intermediate_size=draw.size(2),
               num_channels=draw.between(1, 4), image_size=draw.size(5),
               patch_size=draw.one_of(4, 7))
    draw.maybe(config, vision_config=vision)
    return config


DRAWN = {"git": git}
