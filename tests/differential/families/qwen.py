"""Qwen 2 and Qwen 3, dense."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _drawn(draw: Draw, stem: str) -> Config:
    n_heads, n_kv = draw.heads()
    if draw.flag():
        n_heads, n_kv = 32 * draw.one_of(1, 2), 32
    config: Config = {
        "architectures": [stem + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": draw.size(2 * n_heads), "num_attention_heads": n_heads,
        "intermediate_size": draw.size(3)}
    if n_kv != 32 or draw.flag():
        config["num_key_value_heads"] = draw.one_of(n_kv, n_kv, None)
    draw.maybe(config, tie_word_embeddings=draw.flag(), head_dim=draw.size(2),
               use_sliding_window=draw.flag(), max_window_layers=1)
    return config


def qwen2(draw: Draw) -> Config:
    """Biases on queries, keys and values, whatever the configuration says."""
    config = _drawn(draw, "Qwen2")
    draw.maybe(config, attention_bias=True)
    return config


def qwen3(draw: Draw) -> Config:
    """Norms of heads; biases where asked for; a head width of 128 where none is told."""
    config = _drawn(draw, "Qwen3")
    draw.maybe(config, attention_bias=draw.flag())
    return config


def qwen2_vl_text(draw: Draw) -> Config:
    """The language model of Qwen 2-VL: heads split the width."""
    config = _drawn(draw, "Qwen2")
    config.pop("head_dim", None)
    if "num_key_value_heads" not in config:
        config["num_attention_heads"] //= 4
    return config | {"architectures": ["Qwen2VLTextModel"]}


def qwen2_5_vl_text(draw: Draw) -> Config:
    """That of Qwen 2.5-VL: the same."""
    return qwen2_vl_text(draw) | {"architectures": ["Qwen2_5_VLTextModel"]}


def qwen3_vl_text(draw: Draw) -> Config:
    """That of Qwen 3-VL: Qwen 3's."""
    return qwen3(draw) | {"architectures": ["Qwen3VLTextModel"]}


DRAWN = {"qwen2": qwen2, "qwen3": qwen3, "qwen2_vl_text": qwen2_vl_text,
         "qwen2_5_vl_text": qwen2_5_vl_text, "qwen3_vl_text": qwen3_vl_text}
