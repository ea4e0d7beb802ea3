"""Command R and R7B.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_COMMAND_R, COHERE2).
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("command-r", "cohere2")


def configuration(keys: Keys) -> dict[str, Any]:
    """A Command R; norms of heads where the table has them."""
    second = keys.architecture == "cohere2"
    found = keys.decoder("cohere2" if second else "cohere")
    width, split = keys.head_width(), found["hidden_size"] // found["num_attention_heads"]
    if width and (second or width["head_dim"] != split):
        found |= width
    if second:
        window = keys.number("attention.sliding_window", None)
        found |= {} if window is None else {"sliding_window": window}
    else:
        found["use_qk_norm"] = keys.has("blk.0.attn_q_norm.weight")
    keys.close()
    return found
