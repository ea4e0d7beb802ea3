"""GPT-NeoX, OLMo 2 and StarCoder 2.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_GPTNEOX, OLMO2, STARCODER2).
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("gptneox", "olmo2", "starcoder2")
JOINED = {"gptneox": {"Q K V": "attn_qkv"}}
_TYPES = {"gptneox": "gpt_neox"}


def configuration(keys: Keys) -> dict[str, Any]:
    """A decoder whose family has no key beyond the common ones."""
    kind = keys.architecture
    found = keys.decoder(_TYPES.get(kind, kind))
    width, split = keys.head_width(), found["hidden_size"] // found["num_attention_heads"]
    if width:
        keys.only("attention.key_length", split)
    if kind == "gptneox" and found.pop("num_key_value_heads") != found["num_attention_heads"]:
        keys.only("attention.head_count_kv", found["num_attention_heads"])
    if kind == "starcoder2":
        found["use_bias"] = keys.has("blk.0.attn_q.bias")
    keys.close(("attention.sliding_window",) if kind == "olmo2" else ())
    return found
