"""FNet: BERT with a Fourier transform, which has no weights, in place of attention.

Its masked-LM class keeps the pooler.

Source: Lee-Thorp et al. 2021, arXiv:2105.03824; transformers, models/fnet.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    LAYER_NAMES,
    Around,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("fnet",)
CLASSES = {"FNetModel": "base", "FNetForMaskedLM": "mlm"}
DIMS = {dim: keys for dim, keys in ENCODER_DIMS.items() if dim != "n_heads"}
MORE_HARMLESS = frozenset({"tpu_short_seq_length", "use_tpu_fourier_optimizations"})


def build(config: Config, name: str) -> Model:
    """An FNet from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, {"V": 32000, "n_types": 4}, DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | MORE_HARMLESS)
    _, *block = layer(norms=("fourier.output.LayerNorm.", "output.LayerNorm."))
    square = slot("projection", "linear", "projection.", {"d_embed": "d_model"}, bias=True)
    around = Around(top="fnet.", pooler_stays=True)
    return encoder_model(config, name, task, values, tuple(block), around, tied=tied,
                         embedding=(*tables(), square),
                         names=[each for each in LAYER_NAMES if each.component == "*.ffn"])
