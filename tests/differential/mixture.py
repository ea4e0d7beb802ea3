"""What drawings of mixtures share."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def decoder(draw: Draw, stem: str, kv: tuple[int | str | None, ...] = (7, 7, "none"),
            width: bool = False) -> Config:
    """A class, sizes, heads; a head width of its own where ``width`` allows for it.

    Args:
        draw: the source of numbers.
        stem: what the names of the family's classes begin with.
        kv: for the key-value heads: a number, null, or ``none`` where the key is left out.
        width: whether the code reads ``head_dim``.
    """
    n_heads, n_kv = draw.heads()
    d_head = draw.size(2)
    config: Config = {
        "architectures": [stem + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": n_heads * d_head, "num_attention_heads": n_heads,
        "intermediate_size": draw.size(3)}
    given = draw.one_of(*kv)
    if given != "none":
        config["num_key_value_heads"] = given and n_kv
    if width and draw.flag():
        config |= {"hidden_size": draw.size(2), "head_dim": d_head}
    draw.maybe(config, tie_word_embeddings=draw.flag())
    return config


def default_heads(config: Config, n_heads: int, n_kv: int) -> Config:
    """Heads that go with the family's number of key-value heads, where the key is left out."""
    if "num_key_value_heads" not in config:
        width = config["hidden_size"] // config["num_attention_heads"]
        if "head_dim" not in config:
            config["hidden_size"] = n_heads * width
        config["num_attention_heads"] = n_heads
        if n_heads % n_kv:
            raise AssertionError("heads have to go with the family's default")
    return config


def experts(draw: Draw, config: Config, *names: str, used: str = "num_experts_per_tok") -> Config:
    """A number of experts under one of several names, and how many a token uses."""
    number = draw.prime(31)
    return config | {draw.one_of(*names): number, used: draw.between(1, number)}


def first_dense(draw: Draw, config: Config) -> Config:
    """Dense layers first, as many as there are, fewer, or more."""
    draw.maybe(config, first_k_dense_replace=draw.between(0, config["num_hidden_layers"] + 1))
    return config
