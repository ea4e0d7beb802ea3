"""OPT, BioGPT and XGLM, which come from fairseq."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _class(draw: Draw, stem: str) -> list[str]:
    return [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM", f"{stem}Model")]


def opt(draw: Draw) -> Config:
    """A narrow embedding, norms before, after or without weights, biases, tied or not."""
    n_heads = draw.one_of(1, 2, 3, 5)
    width = n_heads * draw.size(1)
    config: Config = {
        "architectures": _class(draw, "OPT"), "vocab_size": draw.size(3), "hidden_size": width,
        "num_hidden_layers": draw.depth(), "num_attention_heads": n_heads}
    draw.maybe(config, ffn_dim=draw.size(2), max_position_embeddings=draw.size(2),
               word_embed_proj_dim=draw.one_of(draw.size(2), draw.size(2), width, None),
               do_layer_norm_before=draw.flag(), _remove_final_layer_norm=draw.flag(),
               enable_bias=draw.flag(), layer_norm_elementwise_affine=draw.flag(),
               tie_word_embeddings=draw.flag(), layerdrop=0.1, activation_function="gelu")
    return config


def biogpt(draw: Draw) -> Config:
    """Sizes, tied or not."""
    n_heads = draw.one_of(1, 2, 3, 5)
    config: Config = {
        "architectures": _class(draw, "BioGpt"), "vocab_size": draw.size(3),
        "hidden_size": n_heads * draw.size(1), "num_hidden_layers": draw.depth(),
        "num_attention_heads": n_heads}
    draw.maybe(config, intermediate_size=draw.size(2), max_position_embeddings=draw.size(2),
               tie_word_embeddings=draw.flag(), scale_embedding=draw.flag(), layerdrop=0.1)
    return config


def xglm(draw: Draw) -> Config:
    """Sizes under both of their names, tied or not."""
    n_heads = draw.one_of(1, 2, 3, 5)
    config: Config = {
        "architectures": _class(draw, "XGLM"), "vocab_size": draw.size(3),
        draw.one_of("d_model", "hidden_size"): n_heads * draw.size(2),
        draw.one_of("num_layers", "num_hidden_layers"): draw.depth(),
        draw.one_of("attention_heads", "num_attention_heads"): n_heads}
    draw.maybe(config, ffn_dim=draw.size(2), max_position_embeddings=draw.size(2),
               tie_word_embeddings=draw.flag(), scale_embedding=draw.flag(),
               add_cross_attention=False)
    return config


DRAWN = {"opt": opt, "biogpt": biogpt, "xglm": xglm}
