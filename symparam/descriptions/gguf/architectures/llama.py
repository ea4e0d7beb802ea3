"""Llama, Mistral, and Mixtral, which is a llama with experts there.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_LLAMA) and convert_hf_to_gguf.py, LlamaModel.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("llama",)


def configuration(keys: Keys) -> dict[str, Any]:
    """A Llama; with experts a Mixtral."""
    found = keys.decoder("llama") | keys.head_width()
    experts = keys.number("expert_count", 0)
    used = keys.number("expert_used_count", 0)
    keys.close()
    if experts:
        return found | {"model_type": "mixtral", "num_local_experts": experts,
                        "num_experts_per_tok": used}
    return found | {"attention_bias": keys.has("blk.0.attn_q.bias"),
                    "mlp_bias": keys.has("blk.0.ffn_up.bias")}
