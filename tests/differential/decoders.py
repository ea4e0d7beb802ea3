"""Configurations of decoders in the style of Llama's, for families that share its keys."""

from __future__ import annotations

from tests.differential.draw import Config, Draw

#: A multiple of twice the heads that families have by default: 12, 20, 26, 32, 40, 48, 64 ...
ALL_HEADS = 2**7 * 3 * 5 * 13


def decoder(draw: Draw, stem: str, *, free: bool = True, grouped: bool = True) -> Config:
    """Sizes and tasks; now and then a size is left to the family's default.

    Args:
        draw: the source of random numbers.
        stem: what the class names begin with.
        free: whether ``head_dim`` may be given, so that heads need not split the width.
        grouped: whether there are key-value heads.
    """
    n_heads, n_kv = draw.heads()
    d_head = draw.size(2)
    config: Config = {
        "architectures": [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM",
                                      f"{stem}Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": n_heads * d_head, "num_attention_heads": n_heads,
        "intermediate_size": draw.size(3), "pad_token_id": None,
        "bos_token_id": None, "eos_token_id": None}
    if grouped:
        config["num_key_value_heads"] = n_kv
    if free and draw.flag():
        config |= {"hidden_size": draw.size(n_heads), "head_dim": d_head}
    _leave_out(draw, config)
    draw.maybe(config, tie_word_embeddings=draw.flag(), max_position_embeddings=draw.size(8),
               attention_dropout=0.1, torch_dtype="bfloat16")
    draw.maybe(config, **rope(draw))
    return config


def _leave_out(draw: Draw, config: Config) -> None:
    """Take a size away, once in three times."""
    if draw.between(0, 2):
        return
    key = draw.one_of("vocab_size", "num_hidden_layers", "intermediate_size", "hidden_size",
                      "num_attention_heads")
    if key == "hidden_size":  # these divide every family's default
        config["num_attention_heads"] = draw.one_of(2, 4)
        if "num_key_value_heads" in config:
            config["num_key_value_heads"] = 2
    if key == "num_attention_heads":
        config["hidden_size"] = draw.size(ALL_HEADS)
        if "num_key_value_heads" in config:
            config["num_key_value_heads"] = 2
    del config[key]


def rope(draw: Draw) -> Config:
    """Rotary positions as older and newer files write them."""
    return draw.one_of({"rope_theta": 10000.0}, {"rope_theta": 500000.0, "rope_scaling": None},
                       {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}})


def all_heads(draw: Draw, config: Config) -> Config:
    """Key-value heads given, missing or null, where the query heads are then as many."""
    kind = draw.between(0, 3)
    if kind == 0:
        del config["num_key_value_heads"]
    elif kind == 1:
        config["num_key_value_heads"] = None
    return config


def kinds(draw: Draw, config: Config) -> None:
    """A kind of attention for each layer, sometimes; null means what missing does."""
    if "num_hidden_layers" in config:
        drawn = draw.pattern(("sliding_attention", "full_attention"), config["num_hidden_layers"])
        draw.maybe(config, layer_types=draw.one_of(drawn, drawn, None))
