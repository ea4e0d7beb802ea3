"""The language model of Llama 3.2 Vision."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def text(draw: Draw) -> Config:
    """Layers over the image anywhere, or where they stand by default."""
    n_heads, n_kv = draw.heads()
    depth = draw.between(1, 10)
    config: Config = {
        "architectures": [draw.one_of("MllamaForCausalLM", "MllamaForCausalLM",
                                      "MllamaTextModel")],
        "vocab_size": draw.size(2), "num_hidden_layers": depth, "num_attention_heads": n_heads,
        "num_key_value_heads": n_kv, "hidden_size": draw.size(2 * n_heads), "pad_token_id": 0,
        "intermediate_size": draw.size(3)}
    if draw.flag():
        n_heads = 8 * draw.one_of(1, 2)
        config |= {"num_attention_heads": n_heads, "hidden_size": draw.size(2 * n_heads)}
        del config["num_key_value_heads"]
    layers = [i for i in range(depth) if draw.flag()]
    draw.maybe(config, cross_attention_layers=layers)
    return config


DRAWN = {"mllama_text_model": text}
