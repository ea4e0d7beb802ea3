"""A.X K1 and K2: DeepSeek V3's shape with a norm after experts; then gates on norms and heads.

Source: transformers, models/axk1 and models/axk2; DeepSeek-AI 2024, arXiv:2412.19437.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.assembling.latent import (
    HARMLESS,
    latent_attention,
    latent_dims,
    sparse_ffn,
    two_kinds,
)
from symparam.descriptions.assembling.windows import with_selection
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("axk1", "axk2")
CLASSES = {"axk1": classes("AXK1"), "axk2": classes("AXK2")}
K1 = {
    "V": ("vocab_size", 163840), "L": ("num_hidden_layers", 61), "d_model": ("hidden_size", 7168),
    "n_heads": ("num_attention_heads", 64), "d_ff": ("intermediate_size", 18432),
    "n_experts": ("n_routed_experts", "num_local_experts", 192),
    "top_k": ("num_experts_per_tok", 8), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 2048), **latent_dims(1536, 512, 128, 64, 128),
}
K2 = {
    "V": ("vocab_size", 163840), "L": ("num_hidden_layers", 48), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 5120),
    "n_experts": ("n_routed_experts", "num_local_experts", 128),
    "top_k": ("num_experts_per_tok", 8), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 512), **latent_dims(384, 128, 64, 32, 64),
    "n_index": ("index_n_heads", 16), "d_index": ("index_head_dim", 128),
    "norm_rank": ("gated_norm_rank", 16),
}


def build(config: Config, name: str) -> Model:
    """An A.X K1 or K2 from its configuration: one dense layer unless it says otherwise."""
    first = config.model_type == "axk1"
    task = config.task(CLASSES[config.model_type], "causal")
    values = config.dims(K1 if first else K2)
    pattern = _kinds(config, values["L"])
    blocks = (_k1 if first else _k2)(config, values)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | (frozenset() if first else {"index_topk", "layer_types"}))
    model = decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                          final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS)
    return model if first else with_selection(model, config)


def _kinds(config: Config, depth: int) -> list[str]:
    """Listed, or sparse where the number is at least one key and a multiple of another."""
    dense = config.number("first_k_dense_replace", 1)
    each = config.count_of("moe_layer_freq") if "moe_layer_freq" in config else 1
    return config.kinds("mlp_layer_types", {"dense": "dense", "sparse": "sparse"}, depth,
                        lambda i: "sparse" if i >= dense and not i % each else "dense")


def _k1(config: Config, values: dict[str, int]) -> dict[str, Block]:
    blocks = two_kinds((latent_attention(config, values),))
    after = slot("norms.ffn_out", "rmsnorm", "mlp.post_mlp_layernorm.")
    return blocks | {"sparse": (*blocks["sparse"], after)}


def _k2(config: Config, values: dict[str, int]) -> dict[str, Block]:
    attention = (slot("attention", "gated-mla", bias=config.flag("attention_bias", False)),
                 slot("indexer", "lightning"))
    before = slot("norms.attention", "gated-rmsnorm", "input_layernorm.")
    place = ("norms.ffn", "post_attention_layernorm.")
    return {"dense": (*attention, slot("ffn", "swiglu"), before,
                      slot(place[0], "rmsnorm", place[1])),
            "sparse": (*attention, *sparse_ffn(), before,
                       slot(place[0], "gated-rmsnorm", place[1]))}
