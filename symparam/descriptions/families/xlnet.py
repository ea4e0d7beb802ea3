"""XLNet: relative attention with segments, norms after each part, a head with a bias.

Source: Yang et al. 2019, arXiv:1906.08237; transformers, models/xlnet.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import SUMMARY
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("xlnet",)
CLASSES = {"XLNetLMHeadModel": "causal", "XLNetModel": "base"}
DIMS = {
    "V": ("vocab_size", "n_token", 32000), "L": ("n_layer", "num_hidden_layers", 24),
    "d_model": ("d_model", "hidden_size", 1024), "n_heads": ("n_head", "num_attention_heads", 16),
    "d_ff": ("d_inner", 4096), "d_head": ("d_head", None),
}
HARMLESS = SUMMARY | frozenset("""
    attn_type bi_data clamp_len end_n_top ff_activation mem_len reuse_len same_length start_n_top
    summary_last_dropout use_mems_eval use_mems_train
""".split())
PLACES = Places(top="transformer.", token="word_embedding.", layers="layer.*.", head="lm_loss.")
NAMES = entries("*.ffn", up="layer_1", down="layer_2")


def build(config: Config, name: str) -> Model:
    """An XLNet from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.only("untie_r", True)
    config.close(HARMLESS)
    norm = find("norm", "layernorm")()
    block = (slot("attention", "xlnet"), slot("ffn", "mlp", "ff.", bias=True),
             Slot("norms.attention", norm, "rel_attn.layer_norm."),
             Slot("norms.ffn", norm, "ff.layer_norm."))
    return decoder_model(config, name, task, values, block, tied=tied, head_bias=True,
                         final_norm=None, positions=None, places=PLACES, names=NAMES,
                         embedding=(slot("mask", "vector"),))
