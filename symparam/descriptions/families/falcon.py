"""Falcon: one key-value head or a few, attention and FFN side by side, or one after the other.

Source: Almazrouei et al. 2023, arXiv:2311.16867; transformers, models/falcon.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("falcon",)
CLASSES = classes("Falcon")
DIMS = {
    "V": ("vocab_size", 65024), "L": ("num_hidden_layers", 32),
    "d_model": ("hidden_size", "n_embed", 4544), "n_heads": ("num_attention_heads", 71),
    "n_kv": ("num_kv_heads", None), "d_ff": ("ffn_hidden_size", None),
}
HARMLESS = NO_TABLE | {"activation", "apply_residual_connection_post_layernorm"}
PLACES = Places(top="transformer.", token="word_embeddings.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", Q_K_V="query_key_value", O="dense"),
         *entries("*.ffn", up="dense_h_to_4h", down="dense_4h_to_h"))


def build(config: Config, name: str) -> Model:
    """A Falcon from its configuration; only the newer architecture reads num_kv_heads."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = config.flag("bias", False)
    newer = config.flag("new_decoder_architecture", False)
    one = config.flag("multi_query", True)
    norms = _norms(config, newer)
    tied = config.flag("tie_word_embeddings", True)
    positions = "alibi" if config.flag("alibi", False) else "rope"
    config.close(HARMLESS)
    if not newer:
        values.pop("n_kv", None)
    kind = "gqa" if newer else "mqa" if one else "mha"
    block = (slot("attention", kind, "self_attention.", bias=bias), slot("ffn", "mlp", bias=bias),
             *norms)
    return decoder_model(config, name, task, values, block, tied=tied, positions=positions,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES)


def _norms(config: Config, newer: bool) -> tuple[Slot, ...]:
    """Two norms in sequence; side by side one for both, or one each as the newer ones have."""
    norm = find("norm", "layernorm")()
    config.only("num_ln_in_parallel_attn", None, 1, 2)
    number = config.raw("num_ln_in_parallel_attn", None)
    if not config.flag("parallel_attn", True):
        return norm_slots(norm, 2)
    if number == 2 or (newer and number is None):
        return (Slot("norms.attention", norm, "ln_attn."), Slot("norms.ffn", norm, "ln_mlp."))
    return norm_slots(norm, 1)
