"""K-EXAONE: EXAONE 4's attention, many experts and shared ones after dense layers.

Source: Choi et al. 2026, arXiv:2601.01739; transformers, models/exaone_moe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.latent import mlp_kinds
from symparam.descriptions.assembling.mixture import (
    HARMLESS,
    depth_of,
    leave_out_mtp,
    mixture_model,
    with_head_width,
)
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("exaone_moe",)
CLASSES = classes("ExaoneMoe")
DIMS = {
    "V": ("vocab_size", 102400), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 32),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 16384),
    "n_experts": ("num_experts", 64), "top_k": ("num_experts_per_tok", 8),
    "n_shared": ("num_shared_experts", 1), "d_expert": ("moe_intermediate_size", 1024),
}
FURTHER = frozenset("scoring_func sliding_window_pattern topk_method".split())
SLIDING = Sliding(default=4096, rule=all_but_every(4, key="sliding_window_pattern"))


def build(config: Config, name: str) -> Model:
    """A K-EXAONE from its configuration: no biases, norms of query and key heads."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 32)
    values = with_head_width(config.dims(DIMS))
    pattern = mlp_kinds(config, depth, 1)
    tied = config.flag("tie_word_embeddings", False)
    config.only("is_moe_layer", None, [kind == "sparse" for kind in pattern])
    leave_out_mtp(config, "num_nextn_predict_layers", "num_mtp_layers")
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (slot("attention", "gqa", qk_norm=True),),
                         (slot("ffn", "moe", balance=True, shared=True),), pattern, tied=tied,
                         windows=SLIDING)
