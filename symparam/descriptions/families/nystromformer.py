"""Nyströmformer: BERT with an approximate attention and a convolution of its values.

The table of positions has two rows more than the configuration says; there is no pooler.

Source: Xiong et al. 2021, arXiv:2102.03902; transformers, models/nystromformer.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("nystromformer",)
CLASSES = {"NystromformerModel": "base", "NystromformerForMaskedLM": "mlm"}
DIMS = ENCODER_DIMS | {"k_conv": ("conv_kernel_size", 65)}
MORE_HARMLESS = frozenset({"num_landmarks", "segment_means_seq_len"})


def build(config: Config, name: str) -> Model:
    """A Nyströmformer from its configuration; the encoder where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, {"V": 30000, "n_ctx": 510}, DIMS)
    values["n_ctx"] += 2
    tied = config.flag("tie_word_embeddings", True)
    config.only("inv_coeff_init_option", False, None)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    skip = slot("skip", "head-convolution", kind="head-convolution")
    return encoder_model(config, name, task, values, (*layer(), skip),
                         Around(top="nystromformer.", pooler=None), tied=tied, embedding=tables())
