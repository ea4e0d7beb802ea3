"""The language model of dots3-note."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import latent, mixture, mlp_kinds


def dots3_note(draw: Draw) -> Config:
    """Layers with a window of sizes of their own, indexers or not, experts by list or by rule."""
    config = mixture(draw, latent(draw, "Dots3Note", (7, "none")),
                     draw.one_of("n_routed_experts", "num_local_experts"))
    if config["architectures"] == ["Dots3NoteModel"]:
        config["architectures"] = ["Dots3NoteTextModel"]
    config = mlp_kinds(draw, config | {"pad_token_id": None})
    depth, heads = config["num_hidden_layers"], draw.one_of(2, 3)
    nope, rope = draw.prime(), draw.size(2, 13)
    config["qk_rope_head_dim"] = 2
    config |= {"swa_num_attention_heads": heads, "swa_num_key_value_heads": heads,
               "swa_qk_nope_head_dim": nope, "swa_head_dim": nope + rope,
               "swa_v_head_dim": draw.prime(), "index_head_dim": draw.size(2)}
    draw.maybe(config, swa_q_lora_rank=draw.prime(), swa_kv_lora_rank=draw.prime(),
               index_n_heads=draw.prime(), use_dsa=draw.flag(), use_sliding_window=draw.flag(),
               shared_experts_intermediate_size=draw.prime(), layer_types=draw.pattern(
                   ("full_attention", "sliding_attention", "indexed_attention"), depth))
    if "layer_types" not in config or draw.flag():
        return config
    own = {"num_attention_heads": heads, "num_key_value_heads": heads, "head_dim": nope + rope,
           "qk_nope_head_dim": nope, "qk_rope_head_dim": rope, "kv_lora_rank": draw.prime()}
    saved = {key: value for key, value in config.items() if not key.startswith("swa_")}
    return saved | {"per_layer_config": {f"{i:02}": own for i, kind in enumerate(
        config["layer_types"]) if kind == "sliding_attention"}}


DRAWN = {"dots3_note_text": dots3_note}
