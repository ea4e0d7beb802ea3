"""AFMoE (Arcee Trinity): gated attention, four norms a layer, experts with a frozen balance.

Source: Arcee AI 2025, model cards of Trinity Nano and Mini; transformers, models/afmoe.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, mixture_model
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("afmoe",)
CLASSES = classes("Afmoe")
DIMS = {
    "V": ("vocab_size", 200192), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 16), "n_kv": ("num_key_value_heads", None),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 6144),
    "n_experts": ("num_experts", 64), "top_k": ("num_experts_per_tok", 6),
    "n_shared": ("num_shared_experts", 2), "d_expert": ("moe_intermediate_size", 1408),
}
FURTHER = frozenset("""
    global_attn_every_n_layers load_balance_coeff mup_enabled num_expert_groups num_limited_groups
    route_norm route_scale score_func use_grouped_mm
""".split())
NORM = find("norm", "rmsnorm")()
NORMS = tuple(Slot(f"norms.{place}", NORM, f"{name}_layernorm.") for place, name in (
    ("attention", "input"), ("attention_out", "post_attention"),
    ("ffn", "pre_mlp"), ("ffn_out", "post_mlp")))
NAMES = (*FUSED_EXPERTS, entry("*.ffn", "W_router", ".router.gate.weight"))
SLIDING = Sliding(default=1024, rule=all_but_every(4, key="global_attn_every_n_layers"))


def build(config: Config, name: str) -> Model:
    """An AFMoE from its configuration: dense layers first, the gate always without a bias."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 32)
    values = config.dims(DIMS)
    first = min(config.number("num_dense_layers", 1), depth)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values,
                         (attention, slot("output_gate", "numbers", kind="output-gate")),
                         (slot("ffn", "moe", shared=True), slot("balance", "frozen")),
                         ["dense"] * first + ["sparse"] * (depth - first), norms=NORMS, tied=tied,
                         names=NAMES, windows=SLIDING)
