"""Falcon-H1: attention and Mamba-2 side by side in every layer.

Source: Zuo et al. 2025, arXiv:2507.22448; transformers, models/falcon_h1.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.families.bamba import DIMS as BAMBA
from symparam.descriptions.families.bamba import split_into_heads
from symparam.descriptions.harmless import NO_TABLE, SCAN
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("falcon_h1",)
CLASSES = classes("FalconH1")
DIMS = {**BAMBA, "d_inner": ("mamba_d_ssm", 1024)}
HARMLESS = NO_TABLE | SCAN | frozenset("""
    attention_in_multiplier attention_out_multiplier key_multiplier lm_head_multiplier
    mamba_norm_before_gate mamba_use_mlp mlp_expansion_factor mlp_multipliers ssm_in_multiplier
    ssm_multipliers ssm_out_multiplier
""".split())


def build(config: Config, name: str) -> Model:
    """A Falcon-H1: one block for all layers, whose mixer may have one bias or both."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv", "d_inner"))
    sites = {"ssm-in": config.flag("mamba_proj_bias", False),
             "ssm-out": config.flag("projectors_bias", False),
             "conv": config.flag("mamba_conv_bias", True)}
    rules = split_into_heads(config, values, values.get("d_inner"))
    mixer = slot("mixer", "mamba2", "mamba.", bias=[site for site, on in sites.items() if on],
                 gated_norm=config.flag("mamba_rms_norm", False))
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    ffn = slot("ffn", "swiglu", "feed_forward.", bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.only("attn_layer_indices", None)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (mixer, attention, ffn, Slot("norms.mixer", norm, "input_layernorm."),
             Slot("norms.ffn", norm, "pre_ff_layernorm."))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         equations=rules, places=Places(final_norm="final_layernorm."))
