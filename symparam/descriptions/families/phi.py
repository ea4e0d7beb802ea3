"""Phi 1 to Phi 4: first one norm for attention and FFN side by side, then LLaMA's block, fused.

Phi 1, 1.5 and 2 have LayerNorms and a bias on everything, the head included. Phi 3 and Phi 4 have
no biases; queries, keys and values are one tensor, gate and up another.

Source: Gunasekar et al. 2023, arXiv:2306.11644; Abdin et al. 2024, arXiv:2404.14219 and
arXiv:2412.08905; transformers, models/phi and models/phi3.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("phi", "phi3")
CLASSES = classes("Phi")
PHI3_CLASSES = classes("Phi3")
DIMS = {
    "V": ("vocab_size", 51200), "L": ("num_hidden_layers", 24), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 8192),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
PHI3_DIMS = DIMS | {"V": ("vocab_size", 32064), "L": ("num_hidden_layers", 32),
                    "d_model": ("hidden_size", 3072)}
HARMLESS = NO_TABLE | frozenset("""
    full_attn_mod interpolate_factor layer_types original_max_position_embeddings sliding_window
""".split())
PLACES = Places(final_norm="final_layernorm.")
NAMES = (*entries("*.attention", O="dense"), *entries("*.ffn", up="fc1", down="fc2"))
PHI3_NAMES = (*entries("*.attention", Q_K_V="qkv_proj"), *entries("*.ffn", gate_up="gate_up_proj"))
SLIDING = Sliding()


def build(config: Config, name: str) -> Model:
    """A Phi from its configuration."""
    if config.model_type == "phi3":
        return _phi3(config, name)
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    block = (slot("attention", "gqa", bias=True), slot("ffn", "mlp", bias=True),
             *_head_norms(config, values), *norm_slots(find("norm", "layernorm")(), 1))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, block, tied=tied, head_bias=True,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES)


def _head_norms(config: Config, values: dict[str, int]) -> tuple[Slot, ...]:
    """LayerNorms of the heads, as wide as hidden_size/num_attention_heads whatever head_dim is."""
    if not config.flag("qk_layernorm", False):
        return ()
    if values.get("d_head", 0) * values["n_heads"] not in {0, values["d_model"]}:
        raise config.error("head_dim", "norms of heads with a head width other than "
                           "hidden_size/num_attention_heads are not understood")
    return (slot("qk-norm", "shared", shift=True),)


def _phi3(config: Config, name: str) -> Model:
    """Phi 3 or Phi 4; keys of hub configurations that would add biases are false there."""
    task = config.task(PHI3_CLASSES, "causal")
    values = config.dims(PHI3_DIMS)
    tied = config.flag("tie_word_embeddings", False)
    for key in ("attention_bias", "mlp_bias", "lm_head_bias"):
        config.only(key, False, None)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa"), slot("ffn", "swiglu"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, tied=tied, final_norm=norm,
                         names=PHI3_NAMES, windows=SLIDING)
