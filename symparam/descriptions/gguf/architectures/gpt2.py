"""GPT-2.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_GPT2) and convert_hf_to_gguf.py, GPT2Model.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("gpt2",)
JOINED = {"gpt2": {"Q K V": "attn_qkv"}}


def configuration(keys: Keys) -> dict[str, Any]:
    """A GPT-2: its table of positions has the length of the context."""
    found = {"model_type": "gpt2", "vocab_size": keys.vocabulary(),
             "n_layer": keys.number("block_count"), "n_embd": keys.number("embedding_length"),
             "n_head": keys.number("attention.head_count"),
             "n_positions": keys.number("context_length"),
             "n_inner": keys.number("feed_forward_length"),
             "tie_word_embeddings": not keys.has("output.weight")}
    keys.only("attention.head_count_kv", found["n_head"])
    keys.close()
    return found
