"""MPNet: BERT's layers without segments, with T5's relative positions beside a table.

Source: Song et al. 2020, arXiv:2004.09297; transformers, models/mpnet.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    LM_HEAD,
    Around,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("mpnet",)
CLASSES = {"MPNetModel": "base", "MPNetForMaskedLM": "mlm"}
DIMS = {dim: keys for dim, keys in ENCODER_DIMS.items() if dim != "n_types"} | {
    "V": ("vocab_size", 30527), "n_buckets": ("relative_attention_num_buckets", 32)}
NAMES = (*entries("*.attention", Q="attn.q", K="attn.k", V="attn.v", O="attn.o"),
         *entries("*.ffn", up="intermediate.dense", down="output.dense"))


def build(config: Config, name: str) -> Model:
    """An MPNet from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    distances = slot("distances", "relative-bias", "encoder.", kind="positions")
    return encoder_model(
        config, name, task, values, layer(norms=("attention.LayerNorm.", "output.LayerNorm.")),
        Around(top="mpnet.", head=LM_HEAD), tied=tied, embedding=tables(segments=False),
        last=(distances,), names=NAMES)
