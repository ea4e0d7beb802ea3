"""Nomic BERT and GTE: BERT's order of norms around rotary positions and gated networks.

Nomic BERT has no biases in its layers; GTE has them around attention and after the gated network.
Neither has a pooler.

Source: Nussbaum et al. 2024, arXiv:2402.01613; Zhang et al. 2024, arXiv:2407.19669; transformers,
models/nomic_bert and models/gte.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    Head,
    encoder_model,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import with_positions
from symparam.model import Model

MODEL_TYPES = ("nomic_bert", "gte")
CLASSES = {
    "nomic_bert": {"NomicBertModel": "base", "NomicBertForMaskedLM": "mlm"},
    "gte": {"GteModel": "base", "GteForMaskedLM": "mlm"},
}
DIMS: dict[str, tuple[Any, ...]] = {
    dim: keys for dim, keys in ENCODER_DIMS.items() if dim not in ("n_ctx", "n_types")} | {
    "d_head": ("head_dim", None)}
HEADS = {
    "nomic_bert": Head(norm="cls.predictions.transform.layer_norm."),
    "gte": Head(transform="lm_head.dense.", norm="lm_head.layer_norm.",
                decoder="lm_head.decoder.", bias=None, component="lm"),
}


def build(config: Config, name: str) -> Model:
    """One of them from its configuration; the encoder where no class is named."""
    kind = config.model_type
    task = config.task(CLASSES[kind], "base")
    gte = kind == "gte"
    values = read_dims(config, {"V": 250048 if gte else 30528}, DIMS)
    n_types = (config.number("type_vocab_size", 1) if gte
               else config.count_of("type_vocab_size", default=2))
    if n_types:
        values["n_types"] = n_types
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | NO_TABLE)
    block = (slot("attention", "mha", bias=gte),
             slot("ffn", "geglu-down-bias" if gte else "swiglu"),
             slot("norms.attention", "layernorm", "post_attention_layernorm."),
             slot("norms.ffn", "layernorm", "post_mlp_layernorm."))
    around = Around(top=f"{kind}.", layers="layers.*.", pooler=None, head=HEADS[kind])
    model = encoder_model(config, name, task, values, block, around, tied=tied, names=(),
                          embedding=tables(positions=False, segments=bool(n_types)))
    return with_positions(model, "rope")
