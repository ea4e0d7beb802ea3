"""xLSTM."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def xlstm(draw: Draw) -> Config:
    """Factors of all widths, matrices apart or fused."""
    n_heads = draw.one_of(1, 2, 4)
    config: Config = {
        "architectures": [draw.one_of("xLSTMForCausalLM", "xLSTMForCausalLM", "xLSTMModel")],
        "vocab_size": draw.size(), "num_hidden_layers": (depth := draw.depth()),
        "hidden_size": draw.size(16), "num_heads": n_heads}
    draw.maybe(config, qk_dim_factor=draw.one_of(0.25, 1.0, 1.5),
               v_dim_factor=draw.one_of(0.5, 2.0), ffn_proj_factor=draw.one_of(2.5, 1.3, 4.0),
               weight_mode=draw.one_of("single", "fused"),
               ffn_round_up_to_multiple_of=draw.size(), num_blocks=depth,
               embedding_dim=config["hidden_size"])
    if "num_blocks" in config and draw.flag():
        del config["num_hidden_layers"]
    return config


DRAWN = {"xlstm": xlstm}
