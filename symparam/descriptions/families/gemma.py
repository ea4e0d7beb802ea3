"""Gemma 1 to 3 and VaultGemma: GeGLU, a head width of its own, a tied head, two to four norms.

Gemma 2 norms each part of the block before and after it; Gemma 3 norms query and key heads too;
VaultGemma has Gemma 2's block without the norms after.

Source: Gemma Team 2024, arXiv:2403.08295 and arXiv:2408.00118; 2025, arXiv:2503.19786;
transformers, models/gemma, models/gemma2, models/gemma3 and models/vaultgemma.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model
from symparam.stack import Slot

CLASSES = {"gemma": classes("Gemma"), "gemma2": classes("Gemma2"),
           "gemma3_text": {"Gemma3ForCausalLM": "causal", "Gemma3TextModel": "base"},
           "vaultgemma": classes("VaultGemma")}
MODEL_TYPES = tuple(CLASSES)
GEMMA_DIMS = {
    "V": ("vocab_size", 256000), "L": ("num_hidden_layers", 28), "d_model": ("hidden_size", 3072),
    "n_heads": ("num_attention_heads", 16), "d_ff": ("intermediate_size", 24576),
    "n_kv": ("num_key_value_heads", 16), "d_head": ("head_dim", 256),
}
GEMMA2_DIMS = {
    "V": ("vocab_size", 256000), "L": ("num_hidden_layers", 26), "d_model": ("hidden_size", 2304),
    "n_heads": ("num_attention_heads", 8), "d_ff": ("intermediate_size", 9216),
    "n_kv": ("num_key_value_heads", 4), "d_head": ("head_dim", 256),
}
DIMS = {"gemma": GEMMA_DIMS, "gemma2": GEMMA2_DIMS, "vaultgemma": GEMMA2_DIMS,
        "gemma3_text": GEMMA2_DIMS | {"V": ("vocab_size", 262208)}}
NORMS = {"gemma": 2, "gemma2": 4, "gemma3_text": 4}
HARMLESS = NO_TABLE | frozenset("""
    _sliding_window_pattern cache_implementation layer_types rope_local_base_freq sliding_window
    sliding_window_pattern sliding_window_size use_bidirectional_attention
""".split())
GEMMA2_SLIDING = Sliding(default=4096, rule=all_but_every(2))
SLIDING = {"gemma2": GEMMA2_SLIDING, "vaultgemma": GEMMA2_SLIDING, "gemma3_text": Sliding(
    default=4096, rule=all_but_every(6, key="sliding_window_pattern"))}


def build(config: Config, name: str) -> Model:
    """A Gemma from its configuration; its head is tied unless the configuration says otherwise."""
    kind = config.model_type
    task = config.task(CLASSES[kind], "causal")
    values = config.dims(DIMS[kind])
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False),
                     qk_norm=kind == "gemma3_text")
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    norms = norm_slots(norm, NORMS[kind]) if kind in NORMS else (
        Slot("norms.attention", norm, "input_layernorm."),
        Slot("norms.ffn", norm, "pre_feedforward_layernorm."))
    return decoder_model(config, name, task, values, (attention, slot("ffn", "geglu"), *norms),
                         final_norm=norm, tied=tied, windows=SLIDING.get(kind))
