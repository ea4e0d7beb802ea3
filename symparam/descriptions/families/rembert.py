"""RemBERT: a narrow embedding at the input, a wide one of its own at the output.

Source: Chung et al. 2020, arXiv:2010.12821; transformers, models/rembert.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    Head,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("rembert",)
CLASSES = {"RemBertModel": "base", "RemBertForMaskedLM": "mlm", "RemBertForCausalLM": "causal"}
DIMS = ENCODER_DIMS | {
    "V": ("vocab_size", 250300), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 1152),
    "n_heads": ("num_attention_heads", 18), "d_ff": ("intermediate_size", 4608),
    "d_embed": ("input_embedding_size", 256), "d_output": ("output_embedding_size", 1664),
}
AROUND = Around(top="rembert.", head=Head(
    transform="cls.predictions.dense.", norm="cls.predictions.LayerNorm.", bias=None,
    component="lm", width="d_output"))


def build(config: Config, name: str) -> Model:
    """A RemBERT from its configuration; no key ties its two embeddings, of different widths."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    if task == "base":
        del values["d_output"]
    config.close(HARMLESS | {"tie_word_embeddings"})
    projection = slot("linear", "linear", "encoder.embedding_hidden_mapping_in.",
                      kind="projection", bias=True)
    return encoder_model(config, name, task, values, layer(), AROUND, tied=False,
                         token={"d_model": "d_embed"}, embedding=tables(width="d_embed"),
                         projection=(projection,))
