"""MiniMax-Text-01: lightning attention with softmax attention among it, and experts throughout.

Source: MiniMax 2025, arXiv:2501.08313; transformers, models/minimax.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("minimax",)
CLASSES = classes("MiniMax")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", None), "d_expert": ("intermediate_size", 14336),
    "n_experts": ("num_local_experts", "num_experts", 8), "top_k": ("num_experts_per_tok", 2),
    "n_block": ("block_size", 256),
}
HARMLESS = NO_TABLE | frozenset("""
    full_attn_alpha_factor full_attn_beta_factor linear_attn_alpha_factor linear_attn_beta_factor
    mlp_alpha_factor mlp_beta_factor rotary_dim sliding_window
""".split())
KINDS = {"linear_attention": "linear", "full_attention": "attention", "attention": "attention"}
NAMES = (*FUSED_EXPERTS, entry("*.mixer", "W_Q W_K W_V", ".qkv_proj.weight"))
SLIDING = Sliding()


def build(config: Config, name: str) -> Model:
    """A MiniMax; where no list says which layers are linear, every other one is."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv",))
    pattern = config.kinds("layer_types", KINDS, values.pop("L"), lambda i: (
        "linear_attention" if i % 2 else "full_attention"))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    rest = (slot("ffn", "moe"), *norm_slots(norm, 2))
    blocks = {"linear": (slot("mixer", "lightning-attention"), *rest),
              "attention": (slot("attention", "gqa"), *rest)}
    return decoder_model(config, name, task, values, blocks, pattern=pattern, final_norm=norm,
                         tied=tied, names=NAMES, windows=SLIDING)
