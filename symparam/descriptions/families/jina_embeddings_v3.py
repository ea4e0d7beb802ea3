"""Jina Embeddings v3: XLM-RoBERTa's encoder with rotary positions; its adapters are left out.

Source: Sturua et al. 2024, arXiv:2409.10173; transformers, models/jina_embeddings_v3.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    DIMS,
    HARMLESS,
    LM_HEAD,
    Around,
    encoder_model,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import with_positions
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("jina_embeddings_v3",)
CLASSES = {"JinaEmbeddingsV3Model": "base", "JinaEmbeddingsV3ForMaskedLM": "mlm"}
SIZES = {dim: keys for dim, keys in DIMS.items() if dim != "n_ctx"} | {
    "d_head": ("head_dim", None)}
DEFAULTS = {"V": 250002, "L": 24, "d_model": 1024, "n_heads": 16, "d_ff": 4096, "n_types": 1}
AROUND = Around(top="roberta.", layers="layers.*.", head=replace(LM_HEAD, first=True))


def build(config: Config, name: str) -> Model:
    """One from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, DEFAULTS, SIZES)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | NO_TABLE)
    block = (slot("attention", "mha", bias=True), slot("ffn", "mlp", bias=True),
             slot("norms.attention", "layernorm", "post_attention_layernorm."),
             slot("norms.ffn", "layernorm", "post_mlp_layernorm."))
    model = encoder_model(config, name, task, values, block, AROUND, tied=tied,
                          names=entries("*.ffn", up="fc1", down="fc2"),
                          embedding=tables(positions=False))
    return with_positions(model, "rope")
