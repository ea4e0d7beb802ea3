"""Falcon.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_FALCON) and convert_hf_to_gguf.py, FalconModel.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("falcon",)
JOINED = {"falcon": {"Q K V": "attn_qkv"}}
#: Of two norms side by side the attention's is the second there.
NAMES = {"falcon": {"norms.ffn.gain": "attn_norm.weight", "norms.ffn.shift": "attn_norm.bias",
                    "norms.attention.gain": "attn_norm_2.weight",
                    "norms.attention.shift": "attn_norm_2.bias"}}


def configuration(keys: Keys) -> dict[str, Any]:
    """A Falcon: two norms in a block, and several key-value heads, are those of the newer one."""
    found = keys.decoder("falcon")
    groups, newer = found.pop("num_key_value_heads"), keys.has("blk.0.attn_norm_2.weight")
    inner = found.pop("intermediate_size")
    keys.close()
    return found | {
        "ffn_hidden_size": inner, "num_kv_heads": groups, "multi_query": groups == 1,
        "new_decoder_architecture": newer or 1 < groups < found["num_attention_heads"],
        "num_ln_in_parallel_attn": 2 if newer else 1, "parallel_attn": True,
        "bias": keys.has("blk.0.attn_qkv.bias")}
