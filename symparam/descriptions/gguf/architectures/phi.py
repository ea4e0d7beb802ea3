"""Phi 2; Phi 3 and 4, with queries, keys and values in one tensor, gate and up in another.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_PHI2, PHI3).
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("phi2", "phi3")
JOINED = {"phi3": {"Q K V": "attn_qkv", "gate up": "ffn_up"}}


def configuration(keys: Keys) -> dict[str, Any]:
    """A Phi; windows of all layers where the header has a length."""
    found = keys.decoder({"phi2": "phi"}.get(keys.architecture, "phi3")) | keys.head_width()
    window = keys.number("attention.sliding_window", None)
    keys.close()
    return found | ({"sliding_window": window} if window and keys.architecture == "phi3" else {})
