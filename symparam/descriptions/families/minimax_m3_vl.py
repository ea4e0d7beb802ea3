"""MiniMax M3, its language model: experts, and in some layers an indexer that picks blocks.

Source: transformers, models/minimax_m3_vl.
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
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, leave_out_mtp
from symparam.descriptions.assembling.windows import selecting
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("minimax_m3_vl_text",)
CLASSES = classes("MiniMaxM3VL", MiniMaxM3VLTextModel="base")
DIMS = {
    "V": ("vocab_size", 200064), "d_model": ("hidden_size", 6144),
    "n_heads": ("num_attention_heads", 64), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", 128), "d_ff": ("dense_intermediate_size", 12288),
    "n_experts": ("num_local_experts", "num_experts", 128), "top_k": ("num_experts_per_tok", 4),
    "d_expert": ("intermediate_size", 3072), "d_shared": ("shared_intermediate_size", 3072),
    "n_index": ("index_n_heads", 4), "d_index": ("index_head_dim", 128),
}
#: The same dims in the table that the published configurations have for them.
TABLE = {"n_index": "sparse_num_index_heads", "d_index": "sparse_index_dim"}
FURTHER = frozenset("""
    index_block_size index_local_blocks index_topk_blocks rotary_dim scoring_func swiglu_alpha
    use_gemma_norm
""".split())
#: Keys of published configurations that transformers' class does not read, with what it builds.
BUILT = {"attention_output_gate": False, "n_shared_experts": 1, "qk_norm_type": "per_head",
         "use_qk_norm": True, "use_routing_bias": True}
IN_TABLE = frozenset("""
    sparse_block_size sparse_init_block sparse_local_block sparse_score_type sparse_topk_blocks
""".split())
SEES = {"full_attention": "full", "minimax_m3_sparse": "indexed"}
FFNS = {"dense": "dense", "sparse": "sparse"}
NAMES = (
    *FUSED_EXPERTS, entry("*.ffn", "W_gate W_up", ".gate_up_proj.weight"),
    entry("*.ffn", "S_gate S_up", ".shared_experts.gate_up_proj.weight"),
)


def build(config: Config, name: str) -> Model:
    """The language model of a MiniMax M3: kinds of layer by indexer and by experts."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 60)
    values = config.dims(DIMS)
    indexed = _table(config, values, depth)
    sees = config.kinds("layer_types", SEES, depth, lambda i: (
        "minimax_m3_sparse" if indexed[i] else "full_attention"))
    sparse = _switches(config, "moe_layer_freq", depth, 1)
    ffns = config.kinds("mlp_layer_types", FFNS, depth, lambda i: (
        "sparse" if sparse[i] else "dense"))
    tied = config.flag("tie_word_embeddings", False)
    for key, value in BUILT.items():
        config.only(key, value)
    leave_out_mtp(config, "num_mtp_modules")
    config.close(HARMLESS | FURTHER)
    pattern = [f"{kind}_{ffn}" for kind, ffn in zip(sees, ffns, strict=True)]
    model = decoder_model(config, name, task, values, _blocks(), pattern=pattern, tied=tied,
                          final_norm=find("norm", "rmsnorm")(), names=NAMES)
    return _selecting(config, model)


def _selecting(config: Config, model: Model) -> Model:
    """The model whose layers with an indexer look at so many blocks of keys."""
    table = config.data.get("sparse_attention_config") or {}
    numbers = [table.get(f"sparse_{short}", config.data.get(key, default)) for short, key, default
               in (("topk_blocks", "index_topk_blocks", 16),
                   ("block_size", "index_block_size", 128))]
    for number in numbers:
        if type(number) is not int or not 0 < number < 2**20:
            raise config.error("index_topk_blocks", f"expected a number of blocks of tokens, found "
                               f"{shown(number)}")
    return selecting(model, numbers[0] * numbers[1], "indexed")


def _table(config: Config, values: dict[str, int], depth: int) -> list[int]:
    """Which layers have an indexer by the published table, whose numbers outrank the flat keys."""
    key = "sparse_attention_config"
    if config.raw(key, None) is None:
        return [0] * depth
    table = config.part(key, "")
    values |= {dim: table.count_of(own) for dim, own in TABLE.items() if own in table}
    indexed = _switches(table, "sparse_attention_freq", depth, 0)
    table.only("use_sparse_attention", True)
    without_values = _switches(table, "sparse_disable_index_value", depth, 1)
    if any(here and not off for here, off in zip(indexed, without_values, strict=True)):
        raise table.error("sparse_disable_index_value", "an indexer with values of its own has "
                          "weights that are not known")
    table.close(IN_TABLE)
    return indexed


def _switches(config: Config, key: str, depth: int, default: int) -> list[int]:
    """A one or a zero for each layer."""
    listed = config.raw(key, None)
    if listed is None:
        return [default] * depth
    if not isinstance(listed, list) or len(listed) != depth or not all(
            type(each) is int and each in (0, 1) for each in listed):
        raise config.error(key, f"expected a one or a zero for each of {depth} layers, found "
                           f"{shown(listed)}")
    return listed


def _blocks() -> dict[str, Block]:
    attention = slot("attention", "gqa", qk_norm=True)
    sees: dict[str, Block] = {"full": (attention,),
                              "indexed": (attention, slot("indexer", "blocks"))}
    ffns = {"dense": slot("ffn", "swiglu"), "sparse": slot("ffn", "moe", balance=True, shared=True)}
    norms = norm_slots(find("norm", "rmsnorm")(), 2)
    return {f"{kind}_{ffn}": (*sees[kind], ffns[ffn], *norms) for kind in sees for ffn in ffns}
