"""Gemma 4's language model, and that of Gemma 4 Unified."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _common(draw: Draw, causal: str, base: str) -> Config:
    n_heads, n_kv = draw.heads()
    if draw.flag():
        n_heads, n_kv = 4 * draw.one_of(1, 2, 3), 4
    depth = draw.between(1, 9)
    config: Config = {
        "architectures": [draw.one_of(causal, causal, base)], "vocab_size": draw.size(2),
        "num_hidden_layers": depth, "hidden_size": draw.size(2), "num_attention_heads": n_heads,
        "intermediate_size": draw.size(3)}
    if n_kv != 4 or draw.flag():
        config["num_key_value_heads"] = n_kv
    kinds = draw.pattern(("sliding_attention", "full_attention"), depth)
    draw.maybe(config, layer_types=kinds, head_dim=draw.size(2), tie_word_embeddings=draw.flag(),
               attention_bias=draw.flag(), use_double_wide_mlp=draw.flag(),
               attention_k_eq_v=draw.flag())
    _full_layers(draw, config)
    if draw.flag():
        config["num_kv_shared_layers"] = _most_shared(draw, config)
    return config


def _kinds(config: Config) -> list[str]:
    depth = config["num_hidden_layers"]
    kinds = config.get("layer_types") or [
        "full_attention" if i % 6 == 5 else "sliding_attention" for i in range(depth)]
    return [*kinds[:-1], "full_attention"]


def _full_layers(draw: Draw, config: Config) -> None:
    """Numbers of full layers: two keys of their own, or a table by layer, or neither."""
    n_heads = config["num_attention_heads"]
    own = {"head_dim": draw.size(2), "num_key_value_heads": draw.one_of(1, n_heads)}
    if draw.flag():
        draw.maybe(config, global_head_dim=own["head_dim"],
                   num_global_key_value_heads=own["num_key_value_heads"])
    elif draw.flag():
        kept = {key: value for key, value in own.items() if draw.flag()}
        config["per_layer_config"] = {str(i): kept for i, kind in enumerate(_kinds(config))
                                      if kind == "full_attention"}


def _most_shared(draw: Draw, config: Config) -> int:
    """As many layers as may share: one of each kind has to stand below them."""
    kinds = _kinds(config)
    low = max(kinds.index(kind) for kind in set(kinds)) + 1
    return draw.between(0, len(kinds) - low)


def text(draw: Draw) -> Config:
    """Per-layer embeddings and experts too."""
    config = _common(draw, "Gemma4ForCausalLM", "Gemma4TextModel")
    draw.maybe(config, hidden_size_per_layer_input=draw.one_of(0, draw.size(2)),
               vocab_size_per_layer_input=draw.size(2), enable_moe_block=False)
    if draw.flag():
        experts = draw.prime(31)
        config |= {"enable_moe_block": True, "num_experts": experts,
                   "top_k_experts": draw.between(1, experts), "moe_intermediate_size": draw.size()}
    return config


def unified(draw: Draw) -> Config:
    """Neither per-layer embeddings nor experts."""
    return _common(draw, "Gemma4UnifiedForCausalLM", "Gemma4UnifiedTextModel")


DRAWN = {"gemma4_text": text, "gemma4_unified_text": unified}
