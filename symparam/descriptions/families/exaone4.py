"""EXAONE 4.0: RMSNorm behind each part instead of in front, and on query and key heads.

Source: LG AI Research 2025, arXiv:2507.11407, section 2; transformers, models/exaone4.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.mixture import leave_out_mtp
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("exaone4",)
CLASSES = classes("Exaone4")
DIMS = {
    "V": ("vocab_size", 102400), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 16384),
    "n_kv": ("num_key_value_heads", 32), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | frozenset("""
    _num_mtp_layers mtp_loss_scaling_factor mtp_share_layers sliding_window sliding_window_pattern
""".split())
LAYER_TYPES = {"sliding_attention": "alike", "full_attention": "alike"}
SLIDING = Sliding(default=4096, rule=all_but_every(4, key="sliding_window_pattern"))


def build(config: Config, name: str) -> Model:
    """An EXAONE 4.0 from its configuration: local and global attention have the same weights."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", False)
    config.kinds("layer_types", LAYER_TYPES, values["L"], lambda _: "full_attention")
    leave_out_mtp(config, "num_nextn_predict_layers")
    config.close(HARMLESS)
    block = (slot("attention", "gqa", qk_norm=True), slot("ffn", "swiglu"),
             slot("norms.attention_out", "rmsnorm", "post_attention_layernorm."),
             slot("norms.ffn_out", "rmsnorm", "post_feedforward_layernorm."))
    return decoder_model(config, name, task, values, block, final_norm=find("norm", "rmsnorm")(),
                         tied=tied, windows=SLIDING)
