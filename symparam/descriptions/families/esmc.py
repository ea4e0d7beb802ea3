"""ESM C: an encoder of proteins with rotary positions, SwiGLU and norms of queries and keys.

Source: ESM Team 2024, ESM Cambrian, model card of EvolutionaryScale/esmc-600m-2024-12;
transformers, models/esmc.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import HARMLESS, Around, Head, encoder_model
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import with_positions
from symparam.model import Model

MODEL_TYPES = ("esmc",)
CLASSES = {"EsmcModel": "base", "EsmcForMaskedLM": "mlm"}
DIMS = {"V": ("vocab_size", 64), "L": ("num_hidden_layers", 80), "d_model": ("hidden_size", 2560),
        "n_heads": ("num_attention_heads", 40), "d_ff": ("intermediate_size", 6912)}
AROUND = Around(top="esmc.", embeddings="", token="embed_tokens.", layers="layers.*.", pooler=None,
                head=Head(transform="lm_head.dense.", norm="lm_head.layer_norm.",
                          decoder="lm_head.decoder.", bias=None, component="lm"))


def build(config: Config, name: str) -> Model:
    """An ESM C from its configuration; the encoder where no class is named."""
    task = config.task(CLASSES, "base")
    values = config.dims(DIMS)
    config.only("num_key_value_heads", None, values["n_heads"])
    config.only("head_dim", None, values["d_model"] // values["n_heads"])
    config.only("tie_word_embeddings", False)  # this code ties nothing, whatever the key says
    block = (slot("attention", "mha", bias=config.flag("attention_bias", False)),
             slot("qk_norm", "width", "self_attn.", kind="qk-norm"),
             slot("ffn", "swiglu", bias=config.flag("mlp_bias", False)),
             slot("norms.attention", "layernorm", "input_layernorm."),
             slot("norms.ffn", "layernorm", "post_attention_layernorm."))
    config.close(HARMLESS | NO_TABLE)
    model = encoder_model(config, name, task, values, block, AROUND, tied=False, names=(),
                          after=(slot("norm", "layernorm-gain", "norm."),))
    return with_positions(model, "rope")
