"""Mamba, Mamba-2 and Falcon Mamba."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _common(draw: Draw, stem: str) -> Config:
    config: Config = {
        "architectures": [draw.one_of(f"{stem}ForCausalLM", f"{stem}ForCausalLM",
                                      f"{stem}Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": draw.size(2), "state_size": draw.size()}
    draw.maybe(config, use_bias=draw.flag(), use_conv_bias=draw.flag(), conv_kernel=draw.prime(11),
               tie_word_embeddings=draw.flag(), expand=draw.between(1, 3))
    return config


def _mamba(draw: Draw, stem: str) -> Config:
    config = _common(draw, stem)
    draw.maybe(config, intermediate_size=draw.size(2),
               time_step_rank=draw.one_of("auto", draw.prime(), draw.prime()))
    return config


def mamba(draw: Draw) -> Config:
    """Biases, ranks that are given or follow, an inner width of its own."""
    return _mamba(draw, "Mamba")


def falcon_mamba(draw: Draw) -> Config:
    """As Mamba."""
    return _mamba(draw, "FalconMamba")


def mamba2(draw: Draw) -> Config:
    """Heads that split the inner width, in groups."""
    config = _common(draw, "Mamba2")
    expand, heads, width = config.get("expand", 2), draw.one_of(1, 2, 3, 5), draw.size()
    config |= {"hidden_size": heads * width, "num_heads": heads * expand, "head_dim": width}
    draw.maybe(config, n_groups=draw.one_of(1, 2, 3), intermediate_size=expand * heads * width,
               time_step_rank=draw.one_of("auto", 7))
    return config


DRAWN = {"mamba": mamba, "mamba2": mamba2, "falcon_mamba": falcon_mamba}
