"""DeepSeek V2 and V3: latent attention, experts after some dense layers.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_DEEPSEEK2) and convert_hf_to_gguf.py,
DeepseekV2Model: the widths of keys and values are those of the latents where heads are told apart
by ``key_length_mla``.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("deepseek2",)
NAMES = {"deepseek2": {"attention.g_Q": "attn_q_a_norm.weight"}}


def configuration(keys: Keys) -> dict[str, Any]:
    """A DeepSeek; routers that are kept in balance by a bias are those of V3."""
    found = keys.decoder("deepseek_v2")
    third = any(name.endswith("exp_probs_b.bias") for name in keys.shapes)
    heads = found["num_attention_heads"]
    rope = keys.raw("deepseek2.rope.dimension_count")
    key = keys.number("attention.key_length_mla", None) or keys.number("attention.key_length")
    value = keys.number("attention.value_length_mla", None) or keys.number(
        "attention.value_length")
    dense = keys.number("leading_dense_block_count", 0)
    found |= {
        "model_type": "deepseek_v3" if third else "deepseek_v2", "num_key_value_heads": heads,
        "q_lora_rank": keys.number("attention.q_lora_rank", None),
        "kv_lora_rank": keys.number("attention.kv_lora_rank"),
        "qk_rope_head_dim": rope, "qk_nope_head_dim": key - rope, "v_head_dim": value,
        "n_routed_experts": keys.number("expert_count"),
        "num_experts_per_tok": keys.number("expert_used_count"),
        "n_shared_experts": keys.number("expert_shared_count", 0) or None,
        "moe_intermediate_size": keys.number("expert_feed_forward_length"),
        "first_k_dense_replace": dense}
    keys.close(("attention.key_length", "attention.value_length"))
    if third:
        found["num_nextn_predict_layers"] = 0
    return found
