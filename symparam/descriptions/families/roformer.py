"""RoFormer: BERT with rotary positions, whose table a checkpoint holds untrained.

The embedding may be narrower than the model and is projected then; there is no pooler.

Source: Su et al. 2021, arXiv:2104.09864; transformers, models/roformer.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.constraints import Differs
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

MODEL_TYPES = ("roformer",)
CLASSES = {"RoFormerModel": "base", "RoFormerForMaskedLM": "mlm", "RoFormerForCausalLM": "causal"}
DIMS = ENCODER_DIMS | {"V": ("vocab_size", 50000), "n_ctx": ("max_position_embeddings", 1536),
                       "d_embed": ("embedding_size", None)}
AROUND = Around(top="roformer.", pooler=None)


def build(config: Config, name: str) -> Model:
    """A RoFormer from its configuration; the encoder where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | {"rotary_value"})
    narrow = values.setdefault("d_embed", values["d_model"]) != values["d_model"]
    width = "d_embed" if narrow else "d_model"
    projection = slot("linear", "linear", "embeddings_project.", kind="projection", bias=True)
    turned = slot("rotary", "sinusoidal", "encoder.embed_positions.", {"d_model": "d_head"},
                  kind="positions", stored=True)
    if not narrow:
        del values["d_embed"]
    return encoder_model(
        config, name, task, values, layer(), replace(AROUND, head=Head(width=width)), tied=tied,
        token={"d_model": width} if narrow else None,
        embedding=tables(positions=False, width=width), last=(turned,),
        projection=(projection,) if narrow else (), checks=(Differs(
            "d_embed", "d_model", "an embedding as wide as the model is not projected"),))
