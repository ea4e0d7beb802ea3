"""ESM-1b and ESM-2: protein language models, norms before each part and after the last layer.

Every class has a head that predicts contacts from the attention maps; the masked-LM head has one
bias beside its matrix, tied or not. ESMFold is another model around it and is refused.

Source: Rives et al. 2021, doi:10.1073/pnas.2016239118; Lin et al. 2023, ESM-2 and ESMFold,
doi:10.1126/science.ade2574; transformers, models/esm.
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
from symparam.descriptions.options import with_positions
from symparam.model import Model

MODEL_TYPES = ("esm",)
CLASSES = {"EsmModel": "base", "EsmForMaskedLM": "mlm"}
DIMS = {dim: keys for dim, keys in ENCODER_DIMS.items() if dim not in ("n_types", "V")} | {
    "n_ctx": ("max_position_embeddings", 1026)}
MORE_HARMLESS = frozenset({"token_dropout", "vocab_list"})
AROUND = Around(top="esm.", head=Head(
    transform="lm_head.dense.", norm="lm_head.layer_norm.", decoder="lm_head.decoder.",
    bias="lm_head.bias", component="lm"))


def build(config: Config, name: str) -> Model:
    """An ESM from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = {"V": config.count_of("vocab_size"), "n_labels": 1} | read_dims(config, dims=DIMS)
    first_norm = config.flag("emb_layer_norm_before", False)
    tied = config.flag("tie_word_embeddings", True)
    config.only("position_embedding_type", "absolute", "rotary")
    rotary = config.raw("position_embedding_type", "absolute") == "rotary"
    config.only("is_folding_model", False, None)
    config.only("esmfold_config", None)
    config.close(HARMLESS | MORE_HARMLESS)
    last = [slot("contact", "contact-head", kind="contact-head")]
    if rotary:
        del values["n_ctx"]
        last.append(slot("rotary", "rotary-frequencies", kind="rotary-frequencies"))
    model = encoder_model(
        config, name, task, values, layer(norms=("attention.LayerNorm.", "LayerNorm.")), AROUND,
        tied=tied, last=last, after=(slot("norm", "layernorm", "encoder.emb_layer_norm_after."),),
        embedding=tables(positions=not rotary, segments=False,
                         norm="layer_norm." if first_norm else None))
    return with_positions(model, "rope") if rotary else model
