"""HY V4: latent attention with an indexer, sinks and a gate; several residual streams; experts.

Source: transformers, models/hy_v4; Zhu et al. 2024, arXiv:2409.19606 (the streams); DeepSeek-AI
2025, arXiv:2512.02556 (the indexer).
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, decoder_model, slot
from symparam.descriptions.assembling.latent import (
    HARMLESS,
    latent_attention,
    latent_dims,
    mlp_kinds,
    two_kinds,
)
from symparam.descriptions.assembling.windows import with_selection
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("hy_v4",)
CLASSES = classes("HYV4")
DIMS = {
    "V": ("vocab_size", 120832), "L": ("num_hidden_layers", 34), "d_model": ("hidden_size", 2816),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 6912),
    "n_experts": ("n_routed_experts", "num_local_experts", 256),
    "top_k": ("num_experts_per_tok", 8), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 768), **latent_dims(1536, 512, 192, 64, 256),
    "n_index": ("index_n_heads", 16), "d_index": ("index_head_dim", 128),
    "n_streams": ("hc_mult", 4),
}
UNUSED = frozenset("hc_eps hc_magnitude index_topk layer_types learnable_sink_init".split())
MODES = {"full": "", "shared": "_shared"}


def build(config: Config, name: str) -> Model:
    """An HY V4 from its configuration: kinds of layer by experts and by whose indexer it is."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    kinds = mlp_kinds(config, values["L"], 1)
    modes = config.kinds("indexer_types", MODES, values["L"], lambda i: (
        "full" if not i or (i - 1) % 4 == 0 else "shared"))
    around = (latent_attention(config, values),
              slot("output_gate", "numbers", None, {"d_head": "d_v"}, kind="output-gate"),
              slot("sinks", "learned"),
              slot("residual.attention", "independent-connection", "attn_hc."),
              slot("residual.ffn", "independent-connection", "ffn_hc."))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | UNUSED)
    blocks = two_kinds((*around, slot("indexer", "lightning"))) | {
        f"{kind}_shared": block for kind, block in two_kinds(around).items()}
    model = decoder_model(config, name, task, values, blocks, tied=tied,
                          pattern=[kind + mode for kind, mode in zip(kinds, modes, strict=True)],
                          final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS,
                          after=(slot("residual", "hyper-head"),))
    return with_selection(model, config)
