"""Mamba.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_MAMBA) and convert_hf_to_gguf.py, MambaModel.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("mamba",)


def configuration(keys: Keys) -> dict[str, Any]:
    """A Mamba: no heads, no feed-forward network."""
    found = {"model_type": "mamba", "vocab_size": keys.vocabulary(),
             "num_hidden_layers": keys.number("block_count"),
             "hidden_size": keys.number("embedding_length"),
             "intermediate_size": keys.number("ssm.inner_size"),
             "state_size": keys.number("ssm.state_size"),
             "conv_kernel": keys.number("ssm.conv_kernel"),
             "time_step_rank": keys.number("ssm.time_step_rank"),
             "tie_word_embeddings": not keys.has("output.weight")}
    keys.only("attention.head_count", 0)
    keys.only("feed_forward_length", 0)
    keys.only("ssm.dt_b_c_rms", False)
    keys.close()
    return found
