"""CodeGen: GPT-J with queries, keys and values in one tensor.

Source: Nijkamp et al. 2022, arXiv:2203.13474; transformers, models/codegen.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE, SUMMARY
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("codegen",)
CLASSES = classes("CodeGen")
DIMS = {
    "V": ("vocab_size", 50400), "L": ("n_layer", "num_hidden_layers", 28),
    "d_model": ("n_embd", "hidden_size", 4096), "n_heads": ("n_head", "num_attention_heads", 16),
    "d_ff": ("n_inner", None),
}
HARMLESS = NO_TABLE | SUMMARY | frozenset("n_ctx n_positions rotary_dim".split())
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", Q_K_V="qkv_proj", O="out_proj"),
         *entries("*.ffn", up="fc_in", down="fc_out"))


def build(config: Config, name: str) -> Model:
    """A CodeGen from its configuration: n_inner missing means 4·d_model, as a rule."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    block = (slot("attention", "mha", "attn."), slot("ffn", "mlp", bias=True),
             slot("norms.input", "layernorm", "ln_1."))
    return decoder_model(config, name, task, values, block, tied=tied, head_bias=True,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES)
