"""RoCBert: BERT for Chinese with embeddings of how a character sounds and looks.

The two tables are there whether they are used or not; those that are used are joined with the
token's embedding and brought back to the model's width.

Source: Su et al. 2022, RoCBert, ACL 2022; transformers, models/roc_bert.
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

MODEL_TYPES = ("roc_bert",)
CLASSES = {"RoCBertModel": "base", "RoCBertForMaskedLM": "mlm", "RoCBertForCausalLM": "causal"}
DIMS = ENCODER_DIMS | {
    "V_sound": ("pronunciation_vocab_size", 910), "d_sound": ("pronunciation_embed_dim", 768),
    "V_shape": ("shape_vocab_size", 24858), "d_shape": ("shape_embed_dim", 512),
}


def build(config: Config, name: str) -> Model:
    """A RoCBert from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    used = {"sound": config.flag("enable_pronunciation", True),
            "shape": config.flag("enable_shape", True)}
    joined = config.flag("concat_input", True)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    further = tuple(
        slot(path, "segments", prefix, {"n_types": f"V_{path}", "d_model": f"d_{path}"},
             kind="segments")
        for path, prefix in (("sound", "pronunciation_embed."), ("shape", "shape_embed.")))
    if joined:
        values["d_joined"] = values["d_model"] + sum(
            values[f"d_{each}"] for each, on in used.items() if on)
        further += (slot("projection", "linear", "map_inputs_layer.", {"d_embed": "d_joined"},
                         bias=True),)
    return encoder_model(config, name, task, values, layer(), Around(top="roc_bert."), tied=tied,
                         embedding=(*tables(), *further))
