"""Inkling's language model: convolutions in every part, biases by distance, experts, windows.

Source: transformers, models/inkling.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.assembling.mixture import HARMLESS, leave_out_mtp
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("inkling_text",)
CLASSES = classes("Inkling") | {"InklingTextModel": "base"}
#: What Inkling 2 takes alike where its configuration says nothing else.
ALIKE: dict[str, tuple[Any, ...]] = {
    "V": ("vocab_size", 201024), "n_kv": ("num_key_value_heads", 8), "d_head": ("head_dim", 128),
    "d_head_sliding": ("swa_head_dim", 128), "d_rel": ("d_rel", 16),
    "n_extent": ("rel_extent", 1024), "k_conv": ("conv_kernel_size", "sconv_kernel_size", 4),
}
DIMS = ALIKE | {
    "L": ("num_hidden_layers", 66), "d_model": ("hidden_size", 6144),
    "n_heads": ("num_attention_heads", 64), "n_heads_sliding": ("swa_num_attention_heads", 64),
    "n_kv_sliding": ("swa_num_key_value_heads", 16), "d_ff": ("intermediate_size", 24576),
    "d_expert": ("moe_intermediate_size", 3072), "n_shared": ("n_shared_experts", 2),
    "n_experts": ("n_routed_experts", "num_local_experts", 256),
    "top_k": ("num_experts_per_tok", 6),
}
#: Of prediction heads that transformers leaves out, and what results are multiplied by.
FURTHER = frozenset("""
    chain_hidden_post_norm log_scaling_alpha log_scaling_n_floor logits_mup_width_multiplier
    mtp_hidden_states_first mtp_local_layer_ids number_of_conv_states rms_norm_eps_moe_gate
    route_scale shared_expert_sink sliding_window_size tie_word_embeddings unpadded_vocab_size
""".split())
SEES = {"hybrid": "full", "hybrid_sliding": "sliding"}
FFNS = {"dense": "dense", "sparse": "sparse"}
SLIDING = {"n_heads": "n_heads_sliding", "n_kv": "n_kv_sliding", "d_head": "d_head_sliding",
           "n_extent": "window"}

#: Convolutions stand around its attention and its experts.
UNSET = "has convolutions over a sequence in each layer, and what it multiplies is not worked out"


def build(config: Config, name: str) -> Model:
    """Inkling's language model from its configuration: layers by window and by experts."""
    task = config.task(CLASSES, "causal")
    _older(config)
    values = config.dims(DIMS)
    depth = values.pop("L")
    near = config.raw("local_layer_ids", None)
    sees = config.kinds("layer_types", SEES, depth, lambda i: "hybrid_sliding" if (
        (i + 1) % 6 if near is None else i in near) else "hybrid")
    dense = config.number("dense_mlp_idx", 0)
    ffns = config.kinds("mlp_layer_types", FFNS, depth,
                        lambda i: "dense" if i < dense else "sparse")
    config.only("sliding_window", None)
    if config.raw("num_mtp_layers", None) is not None:
        leave_out_mtp(config, "num_mtp_layers")
    config.close(HARMLESS | FURTHER)
    pattern = [f"{kind}_{ffn}" for kind, ffn in zip(sees, ffns, strict=True)]
    norm = find("norm", "rmsnorm")()
    found = decoder_model(
        config, name, task, values, _blocks(), pattern=pattern, final_norm=norm,
        names=FUSED_EXPERTS, positions=None,
        embedding=(slot("norm", "rmsnorm", "embed_tokens.embed_norm."),),
        windows=Sliding(key="sliding_window_size", default=512, listed="", rule=lambda *_: (
            i for i, kind in enumerate(sees) if kind == "sliding")))
    return replace(found, unset=UNSET)


def _older(config: Config) -> None:
    """Where the dense width has a key of its own, intermediate_size is that of the experts."""
    dense = config.raw("dense_intermediate_size", None)
    if dense is not None:
        config.data = {**config.data, "intermediate_size": dense, "moe_intermediate_size":
                       config.data.get("intermediate_size", DIMS["d_ff"][-1])}


def _blocks() -> dict[str, Block]:
    attention = {kind: slot("attention", "convolved", None, bound, qk_norm=True)
                 for kind, bound in (("full", {}), ("sliding", SLIDING))}
    ffns = {"dense": slot("ffn", "scaled-swiglu"), "sparse": slot("ffn", "moe-routed-shared")}
    around = (*norm_slots(find("norm", "rmsnorm")(), 2), *(
        slot(f"convolutions.{part}", "depthwise", f"{stem}_sconv.conv1d.", kind="convolution")
        for part, stem in (("attention", "attn"), ("ffn", "mlp"))))
    return {f"{kind}_{ffn}": (attention[kind], ffns[ffn], *around)
            for kind in attention for ffn in ffns}
