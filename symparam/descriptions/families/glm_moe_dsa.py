"""GLM-5: latent attention with an indexer, in some layers that of a layer before.

Source: GLM-5 team 2026, arXiv:2602.15763; transformers, models/glm_moe_dsa.
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
from symparam.descriptions.assembling.mtp import count_mtp, with_mtp
from symparam.descriptions.assembling.windows import with_selection
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("glm_moe_dsa",)
CLASSES = classes("GlmMoeDsa")
DIMS = {
    "V": ("vocab_size", 154880), "L": ("num_hidden_layers", 78), "d_model": ("hidden_size", 6144),
    "n_heads": ("num_attention_heads", 64), "d_ff": ("intermediate_size", 12288),
    "n_experts": ("n_routed_experts", "num_local_experts", "num_experts", 256),
    "top_k": ("num_experts_per_tok", 8), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 2048), **latent_dims(2048, 512, 192, 64, 256),
    "n_index": ("index_n_heads", 32), "d_index": ("index_head_dim", 128),
}
UNUSED = frozenset("""
    index_share_for_mtp_iteration index_topk indexer_rope_interleave layer_types mlp_bias
    moe_router_dtype
""".split())
LETTERS = {"F": "full", "S": "shared"}
MODES = {mode: mode for mode in LETTERS.values()}


def build(config: Config, name: str) -> Model:
    """A GLM-5 from its configuration: kinds of layer by experts and by whose indexer it is."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    kinds = mlp_kinds(config, values["L"], 3)
    modes = _indexers(config, values["L"])
    further = count_mtp(config, task, kinds)
    if further and "shared" in modes:
        raise config.error("", "--mtp: layers share indexers, and whether a prediction layer has "
                           "one of its own is not understood")
    attention = latent_attention(config, values)
    blocks = two_kinds((attention, slot("indexer", "lightning"))) | {
        f"{kind}_shared": block for kind, block in two_kinds((attention,)).items()}
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | UNUSED)
    pattern = [kind + "_shared" * (mode == "shared")
               for kind, mode in zip(kinds, modes, strict=True)]
    model = decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                          final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS)
    return with_mtp(with_selection(model, config), further)


def _indexers(config: Config, depth: int) -> list[str]:
    """Whether each layer has an indexer: listed, spelled as a pattern, or by a period."""
    schedule = _schedule(config, depth)
    spelled = config.raw("index_topk_pattern", None)
    if isinstance(spelled, str):
        if len(spelled) != depth or set(spelled) - set(LETTERS):
            raise config.error("index_topk_pattern", f"expected {depth} letters, F or S each")
        pattern = [LETTERS[letter] for letter in spelled]
    else:
        pattern = config.kinds("index_topk_pattern", MODES, depth, schedule.__getitem__)
    listed = config.kinds("indexer_types", MODES, depth, pattern.__getitem__)
    if spelled is not None and listed != pattern:
        at = next(i for i in range(depth) if listed[i] != pattern[i])
        raise config.error("indexer_types", f"layer {at} is {listed[at]} here and {pattern[at]} in "
                           "index_topk_pattern")
    return listed


def _schedule(config: Config, depth: int) -> list[str]:
    period = max(config.number("index_topk_freq", 1), 1)
    offset = config.number("index_skip_topk_offset", 2)
    return ["shared" if max(i - offset + 1, 0) % period else "full" for i in range(depth)]
