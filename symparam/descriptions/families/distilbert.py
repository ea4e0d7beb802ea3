"""DistilBERT: half of BERT's layers, without segments and without a pooler.

Source: Sanh et al. 2019, arXiv:1910.01108; transformers, models/distilbert.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import Around, Head, encoder_model, read_dims, tables
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("distilbert",)
CLASSES = {"DistilBertModel": "base", "DistilBertForMaskedLM": "mlm"}
DIMS = {
    "V": ("vocab_size", 30522), "L": ("n_layers", "num_hidden_layers", 6),
    "d_model": ("dim", "hidden_size", 768), "n_heads": ("n_heads", "num_attention_heads", 12),
    "d_ff": ("hidden_dim", 3072), "n_ctx": ("max_position_embeddings", 512),
}
# Sinusoidal positions are values that a trained table begins with, so they change no number.
HARMLESS = frozenset("""
    activation qa_dropout seq_classif_dropout sinusoidal_pos_embds tie_weights_
""".split())
NAMES = (*entries("*.attention", Q="q_lin", K="k_lin", V="v_lin", O="out_lin"),
         *entries("*.ffn", up="lin1", down="lin2"))
AROUND = Around(
    top="distilbert.", layers="transformer.layer.*.", pooler=None,
    head=Head(transform="vocab_transform.", norm="vocab_layer_norm.", decoder="vocab_projector.",
              bias=None, component="lm"))


def build(config: Config, name: str) -> Model:
    """A DistilBERT from its configuration; the encoder where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    block = (slot("attention", "mha", "attention.", bias=True),
             slot("ffn", "mlp", "ffn.", bias=True),
             slot("norms.attention", "layernorm", "sa_layer_norm."),
             slot("norms.ffn", "layernorm", "output_layer_norm."))
    return encoder_model(config, name, task, values, block, AROUND, tied=tied,
                         embedding=tables(segments=False), names=NAMES)
