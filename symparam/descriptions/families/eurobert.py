"""EuroBERT: Llama's layers as an encoder, with a head of one matrix.

Source: Boizard et al. 2025, arXiv:2503.05500; transformers, models/eurobert.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.components import find
from symparam.descriptions.assembling.assemble import decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("eurobert",)
CLASSES = {"EuroBertModel": "base", "EuroBertForMaskedLM": "mlm"}
DIMS = {
    "V": ("vocab_size", 128256), "L": ("num_hidden_layers", 12), "d_model": ("hidden_size", 768),
    "n_heads": ("num_attention_heads", 12), "d_ff": ("intermediate_size", 3072),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | frozenset("classifier_pooling clf_pooling is_decoder".split())
PARTS = {"base": "encoder", "mlm": "encoder with masked-LM head"}


def build(config: Config, name: str) -> Model:
    """A EuroBERT from its configuration: the head has a bias where the networks have."""
    task = config.task(CLASSES, "base")
    values = config.dims(DIMS)
    biased = config.flag("mlp_bias", False)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    model = decoder_model(
        config, name, "causal" if task == "mlm" else "base", values,
        (attention, slot("ffn", "swiglu", bias=biased), *norm_slots(norm, 2)), final_norm=norm,
        tied=tied, head_bias=biased)
    return replace(model, part=PARTS[task])
