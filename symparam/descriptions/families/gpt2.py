"""GPT-2: learned positions, LayerNorms before each part, fused QKV stored transposed.

Source: Radford et al. 2019; openai/gpt-2, src/model.py; transformers, models/gpt2.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import SUMMARY
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("gpt2",)
CLASSES = {"GPT2LMHeadModel": "causal", "GPT2Model": "base"}
DIMS = {
    "V": ("vocab_size", 50257), "L": ("n_layer", "num_hidden_layers", 12),
    "d_model": ("n_embd", "hidden_size", 768), "n_heads": ("n_head", "num_attention_heads", 12),
    "n_ctx": ("n_positions", "max_position_embeddings", 1024), "d_ff": ("n_inner", None),
}
HARMLESS = SUMMARY | frozenset("""
    n_ctx n_special predict_special_tokens reorder_and_upcast_attn scale_attn_by_inverse_layer_idx
""".split())
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", True, Q_K_V="c_attn", O="c_proj"),
         *entries("*.ffn", True, up="c_fc", down="c_proj"))


def build(config: Config, name: str) -> Model:
    """A GPT-2 from its configuration: n_inner missing means 4·d_model, as a rule."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.only("add_cross_attention", False)
    config.close(HARMLESS)
    block = (slot("attention", "mha", "attn.", bias=True), slot("ffn", "mlp", bias=True),
             slot("norms.attention", "layernorm", "ln_1."),
             slot("norms.ffn", "layernorm", "ln_2."))
    return decoder_model(config, name, task, values, block, tied=tied, positions=None,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES,
                         embedding=(slot("positions", "learned", "wpe."),))
