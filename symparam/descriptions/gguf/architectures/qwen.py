"""Qwen 2 and 3, dense and with experts.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_QWEN2, QWEN2MOE, QWEN3, QWEN3MOE).
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("qwen2", "qwen3", "qwen2moe", "qwen3moe")


def configuration(keys: Keys) -> dict[str, Any]:
    """A Qwen; that of the third generation has a head width of its own."""
    kind = keys.architecture.replace("moe", "_moe")
    found = keys.decoder(kind)
    width = keys.head_width()
    if keys.architecture.startswith("qwen3"):
        found |= width or {"head_dim": found["hidden_size"] // found["num_attention_heads"]}
    elif width:
        keys.only("attention.key_length", found["hidden_size"] // found["num_attention_heads"])
    if keys.architecture.endswith("moe"):
        found |= {"num_experts": keys.number("expert_count"),
                  "num_experts_per_tok": keys.number("expert_used_count"),
                  "moe_intermediate_size": keys.number("expert_feed_forward_length")}
        found.setdefault("intermediate_size", found["moe_intermediate_size"])
    if keys.architecture == "qwen2moe":
        found["shared_expert_intermediate_size"] = keys.number(
            "expert_shared_feed_forward_length")
    if keys.architecture == "qwen3":
        found["attention_bias"] = keys.has("blk.0.attn_q.bias")
    keys.close()
    return found
