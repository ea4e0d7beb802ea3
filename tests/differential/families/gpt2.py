"""GPT-2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def gpt2(draw: Draw) -> Config:
    """An inner width of its own or four times the width, tied or not, both spellings of keys."""
    n_heads, _ = draw.heads()
    width = draw.size(n_heads)
    sizes = {"n_embd": width, "n_head": n_heads, "n_layer": draw.depth(),
             "n_positions": draw.size()}
    others = {"n_embd": "hidden_size", "n_head": "num_attention_heads",
              "n_layer": "num_hidden_layers", "n_positions": "max_position_embeddings"}
    config: Config = {others[key] if draw.flag() else key: value for key, value in sizes.items()}
    config |= {"architectures": [draw.one_of("GPT2LMHeadModel", "GPT2LMHeadModel", "GPT2Model")],
               "vocab_size": draw.size(2)}
    draw.maybe(config, n_inner=draw.one_of(None, draw.size(3)), tie_word_embeddings=draw.flag())
    return config


DRAWN = {"gpt2": gpt2}
