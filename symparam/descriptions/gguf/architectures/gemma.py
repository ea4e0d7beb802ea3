"""Gemma 1 to 3, the text part.

Source: llama.cpp, src/llama-model.cpp (LLM_ARCH_GEMMA, GEMMA2, GEMMA3).
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.gguf.keys import Keys

ARCHITECTURES = ("gemma", "gemma2", "gemma3")


def configuration(keys: Keys) -> dict[str, Any]:
    """A Gemma: its heads have a width of their own, and most layers of the later ones a window."""
    kind = {"gemma3": "gemma3_text"}.get(keys.architecture, keys.architecture)
    found = keys.decoder(kind) | keys.head_width()
    window = keys.number("attention.sliding_window", None)
    keys.close()
    return found | ({} if window is None or kind == "gemma" else {"sliding_window": window})
