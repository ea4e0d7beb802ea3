"""MiniMax M3, its language model."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def minimax_m3_vl_text(draw: Draw) -> Config:
    """Indexers and experts in any layers, listed by name or by switches."""
    config = default_heads(decoder(draw, "MiniMaxM3VL", width=True), 16, 4)
    if config["architectures"] == ["MiniMaxM3VLModel"]:
        config["architectures"] = ["MiniMaxM3VLTextModel"]
    depth = config["num_hidden_layers"]
    table: Config = {"sparse_block_size": 64}
    draw.maybe(table, sparse_num_index_heads=draw.prime(), sparse_index_dim=draw.size(2),
               sparse_attention_freq=draw.pattern((0, 1), depth), use_sparse_attention=True,
               sparse_disable_index_value=[1] * depth)
    draw.maybe(config, dense_intermediate_size=draw.size(2),
               shared_intermediate_size=draw.prime(), index_n_heads=draw.prime(),
               index_head_dim=draw.size(2), sparse_attention_config=table,
               layer_types=draw.one_of(None, draw.pattern(("full_attention", "minimax_m3_sparse"),
                                                          depth)),
               mlp_layer_types=draw.one_of(None, draw.pattern(("dense", "sparse"), depth)),
               moe_layer_freq=draw.pattern((0, 1), depth), attention_output_gate=False,
               n_shared_experts=1, use_qk_norm=True, num_mtp_modules=draw.one_of(0, 1))
    return (experts(draw, config, "num_local_experts", "num_experts") if draw.flag()
            else config)


DRAWN = {"minimax_m3_vl_text": minimax_m3_vl_text}
