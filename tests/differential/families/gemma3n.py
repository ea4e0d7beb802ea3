"""Gemma 3n's language model."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def text(draw: Draw) -> Config:
    """Streams, residuals of low rank, per-layer embeddings; widths and keys that differ."""
    n_heads, n_kv = draw.heads()
    depth = draw.between(1, 8)
    config: Config = {
        "architectures": [draw.one_of("Gemma3nForCausalLM", "Gemma3nForCausalLM",
                                      "Gemma3nTextModel")],
        "vocab_size": draw.size(2), "num_hidden_layers": depth, "hidden_size": draw.size(n_heads),
        "num_attention_heads": n_heads, "num_key_value_heads": n_kv,
        "intermediate_size": draw.size(3)}
    if draw.flag():
        config["intermediate_size"] = draw.pattern((draw.size(3), draw.size(3)), depth)
    kinds = draw.pattern(("sliding_attention", "full_attention"), depth)
    draw.maybe(config, layer_types=kinds, head_dim=draw.size(2), attention_bias=draw.flag(),
               tie_word_embeddings=draw.flag(), vocab_size_per_layer_input=draw.size(2),
               hidden_size_per_layer_input=draw.prime(), laurel_rank=draw.prime(),
               altup_num_inputs=draw.between(2, 5))
    kinds = config.get("layer_types") or [
        "sliding_attention" if (i + 1) % 5 else "full_attention" for i in range(depth)]
    low = max(kinds.index(kind) for kind in set(kinds)) + 1
    config["num_kv_shared_layers"] = draw.between(0, depth - low)
    return config


DRAWN = {"gemma3n_text": text}
