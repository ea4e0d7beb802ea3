"""HyperCLOVA X: Llama's block with a norm behind each part as well, where it is asked for.

Source: model card of naver-hyperclovax/HyperCLOVAX-SEED-Think-14B; transformers,
models/hyperclovax.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("hyperclovax",)
CLASSES = classes("HyperCLOVAX")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 11008),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
POST_NORMS = (slot("norms.attention_out", "rmsnorm", "post_norm1."),
              slot("norms.ffn_out", "rmsnorm", "post_norm2."))


def build(config: Config, name: str) -> Model:
    """A HyperCLOVA X from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    ffn = slot("ffn", "swiglu", bias=config.flag("mlp_bias", False))
    post_norms = POST_NORMS if config.flag("use_post_norm", True) else ()
    tied = config.flag("tie_word_embeddings", False)
    config.close(NO_TABLE)
    norm = find("norm", "rmsnorm")()
    block = (attention, ffn, *norm_slots(norm, 2), *post_norms)
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
