"""Gemma 1 to 3 and VaultGemma."""

from __future__ import annotations

from collections.abc import Callable

from tests.differential.draw import Config, Draw


def _drawing(causal: str, base: str) -> Callable[[Draw], Config]:
    def drawn(draw: Draw) -> Config:
        n_heads, n_kv = draw.heads()
        config: Config = {
            "architectures": [draw.one_of(causal, causal, base)], "vocab_size": draw.size(2),
            "num_hidden_layers": draw.depth(), "hidden_size": draw.size(n_heads),
            "num_attention_heads": n_heads, "num_key_value_heads": n_kv,
            "intermediate_size": draw.size(3)}
        if draw.flag():
            del config["num_key_value_heads"]
            n_heads = 16 * draw.one_of(1, 2)
            config |= {"num_attention_heads": n_heads, "hidden_size": draw.size(n_heads)}
        draw.maybe(config, head_dim=draw.size(2), tie_word_embeddings=draw.flag(),
                   attention_bias=draw.flag())
        return config
    return drawn


DRAWN = {"gemma": _drawing("GemmaForCausalLM", "GemmaModel"),
         "gemma2": _drawing("Gemma2ForCausalLM", "Gemma2Model"),
         "gemma3_text": _drawing("Gemma3ForCausalLM", "Gemma3TextModel"),
         "vaultgemma": _drawing("VaultGemmaForCausalLM", "VaultGemmaModel")}
