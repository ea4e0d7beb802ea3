"""Inkling 2's language model: gated attention with convolutions, experts, attention over blocks.

A layer's attention and its experts read what blocks of layers gave; where no window bounds it,
queries, keys and values read apart. The first attention has nothing to read.

Source: transformers, models/inkling2.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.components import find
from symparam.components.clipped_attention import N_PATHS
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.assembling.mixture import HARMLESS
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.families.inkling import ALIKE, SEES, SLIDING, UNSET
from symparam.model import Model

MODEL_TYPES = ("inkling2_text",)
CLASSES = classes("Inkling2", Inkling2TextModel="base")
DIMS = ALIKE | {
    "L": ("num_hidden_layers", 48), "d_model": ("hidden_size", 4608),
    "n_heads": ("num_attention_heads", 48), "n_heads_sliding": ("swa_num_attention_heads", 48),
    "n_kv_sliding": ("swa_num_key_value_heads", 8),
    "d_expert": ("moe_intermediate_size", "intermediate_size", 2304),
    "n_experts": ("n_routed_experts", "num_local_experts", 384),
    "top_k": ("num_experts_per_tok", 8),
}
#: What is cut off or multiplied, and how many layers are a block: no weight follows any of it.
FURTHER = frozenset("""
    log_scaling_alpha log_scaling_n_floor mlp_gate_softcap mlp_up_softcap
    n_layers_per_attn_res_block number_of_conv_states qk_l2_clip_threshold rel_l2_clip_threshold
    route_scale routed_scaling_factor scoring_func sliding_window sliding_window_size
    tie_word_embeddings unpadded_vocab_size
""".split())
#: Queries, keys and values of a layer without a window read blocks each on their own.
PATHS = 3


def build(config: Config, name: str) -> Model:
    """Inkling 2's language model from its configuration: layers by window, the first apart."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    depth = values.pop("L")
    sees = config.kinds("layer_types", SEES, depth,
                        lambda i: "hybrid_sliding" if (i + 1) % 6 else "hybrid")
    config.close(HARMLESS | FURTHER)
    pattern = [f"{kind}_first" if i == 0 else kind for i, kind in enumerate(sees)]
    if "full" in pattern:
        values[N_PATHS.name] = PATHS
    window = "sliding_window" if "sliding_window" in config else "sliding_window_size"
    found = decoder_model(
        config, name, task, values, {kind: _block(kind) for kind in set(pattern)},
        pattern=pattern, final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS,
        positions=None, embedding=(slot("norm", "rmsnorm", "embed_tokens.embed_norm."),),
        after=(slot("residual", "queries", "final_input.", single=True),),
        windows=Sliding(key=window, default=1024, listed="", rule=lambda *_: (
            i for i, kind in enumerate(sees) if kind == "sliding")))
    return replace(found, unset=UNSET, declared=(*found.declared, N_PATHS))


def _block(kind: str) -> Block:
    """A layer that sees a window or all; but in the first, attention reads blocks of layers."""
    full, first = kind.startswith("full"), kind.endswith("_first")
    reads = () if first else (
        slot("residual.attention", "queries", "attention_input.", single=not full),)
    before = tuple(slot(f"norms.attention_{each}" if each else "norms.attention", "rmsnorm",
                        f"{each}_input_layernorm." if each else "input_layernorm.")
                   for each in ("qkv" if full else ("",)))
    return (slot("attention", "clipped", None, {} if full else SLIDING, dynamic=full),
            slot("ffn", "moe", balance=True), *before,
            slot("norms.ffn", "rmsnorm", "post_attention_layernorm."), *reads,
            slot("residual.ffn", "queries", "mlp_input.", single=True),
            *(slot(f"convolutions.{part}", "depthwise", f"post_{word}_convolution.conv1d.",
                   kind="convolution") for part, word in (("attention", "attention"),
                                                          ("ffn", "mlp"))))
