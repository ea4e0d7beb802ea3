"""DeepSeek V4: attention over compressed entries, residual streams that mix, experts everywhere.

Source: DeepSeek-AI 2026, arXiv:2606.19348; transformers, models/deepseek_v4.
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
from symparam.descriptions.assembling.latent import HARMLESS, sparse_ffn
from symparam.descriptions.assembling.windows import Sliding, with_selection
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.model import Model

MODEL_TYPES = ("deepseek_v4",)
CLASSES = classes("DeepseekV4")
DIMS = {
    "V": ("vocab_size", 129280), "L": ("num_hidden_layers", 43), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 64), "d_head": ("head_dim", 512),
    "q_rank": ("q_lora_rank", 1024), "n_out": ("o_groups", 8), "out_rank": ("o_lora_rank", 1024),
    "n_index": ("index_n_heads", 64), "d_index": ("index_head_dim", 128),
    "n_experts": ("n_routed_experts", "num_local_experts", 256),
    "top_k": ("num_experts_per_tok", 6),
    "d_expert": ("moe_intermediate_size", "intermediate_size", 2048),
    "n_streams": ("hc_mult", 4),
}
UNUSED = frozenset("""
    attention_bias compress_rope_theta expert_dtype hc_eps hc_sinkhorn_iters index_topk
    qk_rope_head_dim sliding_window
""".split())
ATTENTIONS = {"sliding_attention": "sliding", "compressed_sparse_attention": "csa",
              "heavily_compressed_attention": "hca"}
RATIOS = {0: "sliding", 4: "csa", 128: "hca"}
#: How many tokens an entry stands for: the kind's name, an older key, the number if not given.
RATES = {"csa": ("compressed_sparse_attention", "compress_rate_csa", 4),
         "hca": ("heavily_compressed_attention", "compress_rate_hca", 128)}


def build(config: Config, name: str) -> Model:
    """A DeepSeek V4 from its configuration: kinds of layer by attention and by routing."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    config.only("n_shared_experts", 1)
    values["n_shared"] = 1
    attentions = _attentions(config, values["L"])
    hashed = config.number("num_hash_layers", 3)
    routings = config.kinds("mlp_layer_types", {"moe": "", "hash_moe": "_hash"}, values["L"],
                            lambda number: "hash_moe" if number < hashed else "moe")
    for kind in RATES:
        if (rate := _rate(config, kind, kind in attentions)) is not None:
            values[f"n_{kind}"] = rate
    blocks = _blocks(config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    if config.mtp:
        raise config.error("", "--mtp: what the multi-token-prediction layers of this family hold "
                           "is not understood")
    config.mtp_layers("num_nextn_predict_layers", 1)
    config.close(HARMLESS | UNUSED)
    pattern = [kind + routing for kind, routing in zip(attentions, routings, strict=True)]
    model = decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                          final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS,
                          after=(slot("residual", "hyper-head"),),
                          windows=Sliding(default=128, listed=""))
    return with_selection(model, config, 512, "csa", "compressor")


def _attentions(config: Config, depth: int) -> list[str]:
    """The attention of each layer: listed, by ratios of which further ones are not used, or by
    the family's rule: two heavily compressed, then both in turn."""
    ratios = config.raw("compress_ratios", None)
    rule = ["hca" if i < 2 or i % 2 == 0 else "csa" for i in range(min(depth, 10**5))]
    if ratios is not None and config.raw("layer_types", None) is None:
        if not isinstance(ratios, list) or len(ratios) < depth:
            raise config.error("compress_ratios", f"expected a list of {depth} numbers or more")
        for ratio in ratios:
            if isinstance(ratio, bool) or not isinstance(ratio, int) or ratio not in RATIOS:
                raise config.error("compress_ratios", f"{shown(ratio)} is not understood; handled: "
                                   "0, 4 and 128")
        return [RATIOS[ratio] for ratio in ratios[:depth]]
    names = {kind: name for name, kind in ATTENTIONS.items()}
    return config.kinds("layer_types", ATTENTIONS, depth, lambda number: names[rule[number]])


def _rate(config: Config, kind: str, used: bool) -> int | None:
    """How many tokens an entry of a kind of attention stands for; None where it does not matter."""
    name, older, default = RATES[kind]
    own = config.optional_count(older)
    if config.raw("compress_rates", None) is None:
        return own or default
    rates = config.part("compress_rates", config.model_type)
    for key in set(rates.data) - set(ATTENTIONS):
        raise rates.error(str(key)[:60], "not a kind of attention that is understood")
    given = rates.count_of(name) if name in rates or (used and own is None) else None
    return own or given


def _blocks(bias: bool) -> dict[str, Block]:
    """The blocks of each attention, with scored routing and with a table."""
    around: Block = (*norm_slots(find("norm", "rmsnorm")(), 2),
                     slot("residual.attention", "hyper-connection", "attn_hc."),
                     slot("residual.ffn", "hyper-connection", "ffn_hc."))
    joined: dict[str, Block] = {
        "sliding": (),
        "hca": (slot("compressor", "tokens", None, {"n_joined": "n_hca"}),),
        "csa": (slot("compressor", "overlapping", None, {"n_joined": "n_csa"}),
                slot("indexer", "entries", None, {"n_joined": "n_csa"}, kind="compressor"))}
    found: dict[str, Block] = {}
    for kind, slots in joined.items():
        attention = (slot("attention", "single-kv"), *slots)
        found[kind] = (*attention, *sparse_ffn(bias=bias), *around)
        found[f"{kind}_hash"] = (*attention, *sparse_ffn(balance=False, bias=bias),
                                 slot("routing", "hash"), *around)
    return found
