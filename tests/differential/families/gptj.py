"""GPT-J and CodeGen, which have the same keys."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _config(draw: Draw, stem: str) -> Config:
    """The inner width or a rule, tied or not, keys under both of their names."""
    n_heads = draw.one_of(1, 2, 4, 8)
    config: Config = {
        "architectures": [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM",
                                      f"{stem}Model")],
        draw.one_of("n_embd", "hidden_size"): n_heads * draw.size(2),
        draw.one_of("n_head", "num_attention_heads"): n_heads,
        draw.one_of("n_layer", "num_hidden_layers"): draw.depth(),
        "vocab_size": draw.size(3)}
    draw.maybe(config, n_inner=draw.one_of(draw.size(5), draw.size(5), None),
               tie_word_embeddings=draw.flag(), n_positions=draw.size(2),
               rotary_dim=2 * draw.between(1, 5), resid_pdrop=0.1, attn_pdrop=0.1)
    return config


def gptj(draw: Draw) -> Config:
    """GPT-J."""
    return _config(draw, "GPTJ")


def codegen(draw: Draw) -> Config:
    """CodeGen."""
    return _config(draw, "CodeGen")


DRAWN = {"gptj": gptj, "codegen": codegen}
