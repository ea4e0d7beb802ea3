"""XLM, FlauBERT and XLNet."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _xlm(draw: Draw, stem: str) -> Config:
    """One language or several, with their embedding or without, tied or not."""
    n_heads = draw.one_of(1, 2, 3, 4)
    config: Config = {
        "architectures": [draw.one_of(f"{stem}WithLMHeadModel", f"{stem}WithLMHeadModel",
                                      f"{stem}Model")],
        draw.one_of("emb_dim", "hidden_size"): n_heads * draw.size(1),
        draw.one_of("n_heads", "num_attention_heads"): n_heads,
        draw.one_of("vocab_size", "n_words"): draw.size(3),
        draw.one_of("n_layers", "num_hidden_layers"): draw.depth()}
    draw.maybe(config, n_langs=draw.one_of(1, draw.size(1)), use_lang_emb=draw.flag(),
               max_position_embeddings=draw.size(2), tie_word_embeddings=draw.flag(),
               causal=draw.flag(), gelu_activation=draw.flag(), asm=False, is_encoder=True)
    return config


def xlm(draw: Draw) -> Config:
    """XLM."""
    return _xlm(draw, "XLM")


def flaubert(draw: Draw) -> Config:
    """FlauBERT, whose norms may stand before each part."""
    config = _xlm(draw, "Flaubert")
    draw.maybe(config, pre_norm=draw.flag(), layerdrop=0.1)
    return config


def xlnet(draw: Draw) -> Config:
    """Sizes under both of their names, the second one only with a head width; tied or not."""
    n_heads, d_head = draw.one_of(1, 2, 3, 4), draw.size(2)
    given = draw.flag()
    names = [draw.one_of(first, second if given else first) for first, second in (
        ("d_model", "hidden_size"), ("n_head", "num_attention_heads"),
        ("n_layer", "num_hidden_layers"))]
    config: Config = {
        "architectures": [draw.one_of("XLNetLMHeadModel", "XLNetLMHeadModel", "XLNetModel")],
        draw.one_of("vocab_size", "n_token"): draw.size(3),
        **dict(zip(names, (n_heads * d_head, n_heads, draw.depth()), strict=True))}
    if given:
        config["d_head"] = d_head
    draw.maybe(config, d_inner=draw.size(2), tie_word_embeddings=draw.flag(), mem_len=None,
               ff_activation="relu")
    if not given:
        draw.maybe(config, d_head=None)
    return config


DRAWN = {"xlm": xlm, "flaubert": flaubert, "xlnet": xlnet}
