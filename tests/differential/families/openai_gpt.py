"""The first GPT, and CTRL."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _sizes(draw: Draw) -> Config:
    """Sizes under both of their names, or the default depth."""
    n_heads = draw.one_of(1, 2, 3, 4)
    config: Config = {
        draw.one_of("n_embd", "hidden_size"): n_heads * draw.size(2),
        draw.one_of("n_head", "num_attention_heads"): n_heads, "vocab_size": draw.size(3)}
    if draw.between(0, 4):
        config[draw.one_of("n_layer", "num_hidden_layers")] = draw.depth()
    draw.maybe(config, **{draw.one_of("n_positions", "max_position_embeddings"): draw.size(2)})
    draw.maybe(config, tie_word_embeddings=draw.flag(), resid_pdrop=0.2)
    return config


def openai_gpt(draw: Draw) -> Config:
    """The first GPT: sizes, tied or not."""
    found = draw.one_of("OpenAIGPTLMHeadModel", "OpenAIGPTLMHeadModel", "OpenAIGPTModel")
    return {"architectures": [found], **_sizes(draw)}


def ctrl(draw: Draw) -> Config:
    """CTRL: the same with an inner width of its own."""
    found = draw.one_of("CTRLLMHeadModel", "CTRLLMHeadModel", "CTRLModel")
    config = {"architectures": [found], **_sizes(draw)}
    draw.maybe(config, dff=draw.size(5))
    return config


DRAWN = {"openai-gpt": openai_gpt, "ctrl": ctrl}
