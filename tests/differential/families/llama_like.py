"""SmolLM3, Granite, Seed-OSS, Arcee, Helium, InternLM3, Code World Model."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _drawn(draw: Draw, stem: str, kv: int = 0, width: int = 0) -> Config:
    """Sizes; ``kv`` and ``width`` are the family's own numbers where none are told."""
    n_heads, n_kv = draw.heads()
    config: Config = {
        "architectures": [stem + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "num_key_value_heads": n_kv, "intermediate_size": draw.size(3),
        "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0}
    if draw.flag() and kv:
        del config["num_key_value_heads"]
        n_heads = kv * draw.one_of(1, 2, 3)
    config |= {"num_attention_heads": n_heads, "hidden_size": draw.size(2 * n_heads)}
    if not width:
        draw.maybe(config, head_dim=draw.size(2))
    elif draw.flag():
        config["head_dim"] = draw.one_of(draw.size(2), draw.size(2), None)
    draw.maybe(config, tie_word_embeddings=draw.flag())
    return config


def smollm3(draw: Draw) -> Config:
    """Biases of attention and of the FFN; positions in some layers only."""
    config = _drawn(draw, "SmolLM3", kv=4)
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), no_rope_layer_interval=2)
    return config


def granite(draw: Draw) -> Config:
    """Multipliers that are no weights."""
    config = _drawn(draw, "Granite")
    if draw.flag():
        config["num_key_value_heads"] = None
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), embedding_multiplier=12.0)
    return config


def seed_oss(draw: Draw) -> Config:
    """Biases on queries, keys and values unless told otherwise; on the output if told."""
    config = _drawn(draw, "SeedOss", kv=8, width=128)
    draw.maybe(config, attention_bias=draw.flag(), attention_out_bias=draw.flag(),
               mlp_bias=draw.flag())
    return config


def arcee(draw: Draw) -> Config:
    """Two matrices in the FFN."""
    config = _drawn(draw, "Arcee")
    if draw.flag():
        del config["num_key_value_heads"]
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag())
    return config


def helium(draw: Draw) -> Config:
    """Heads that split the width; no bias on the output."""
    config = _drawn(draw, "Helium", kv=20)
    config["head_dim"] = config["hidden_size"] // config["num_attention_heads"]
    if draw.flag():
        config["hidden_size"] = 128 * config["num_attention_heads"]
        del config["head_dim"]
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag())
    return config


def internlm3(draw: Draw) -> Config:
    """Biases everywhere or nowhere, under either of two names."""
    config = _drawn(draw, "Llama", kv=2, width=128)
    bias = draw.flag()
    if bias or draw.flag():
        config |= {draw.one_of("attention_bias", "qkv_bias"): bias,
                   draw.one_of("mlp_bias", "bias"): bias}
    return config


def cwm(draw: Draw) -> Config:
    """Biases in the FFN alone."""
    config = _drawn(draw, "Cwm", kv=8)
    draw.maybe(config, mlp_bias=draw.flag())
    return config


DRAWN = {"smollm3": smollm3, "granite": granite, "seed_oss": seed_oss, "arcee": arcee,
         "helium": helium, "internlm3": internlm3, "cwm": cwm}
