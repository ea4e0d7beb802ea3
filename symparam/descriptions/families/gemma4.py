"""Gemma 4's language model: two head widths, shared keys and values, per-layer embeddings.

Layers of full attention have a head width of their own, and keys for values where asked for. The
last layers may use keys and values of layers below, and an FFN of twice the width. A mixture of
experts may stand beside the dense FFN. Gemma 4 Unified has neither that nor per-layer embeddings.

Source: transformers, models/gemma4 and models/gemma4_unified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import DataTable
from symparam.layout import entry
from symparam.model import Model
from symparam.resolve import MAX_DIM
from symparam.stack import Slot

CLASSES = {
    "gemma4_text": {"Gemma4ForCausalLM": "causal", "Gemma4TextModel": "base"},
    "gemma4_unified_text": {"Gemma4UnifiedForCausalLM": "causal",
                            "Gemma4UnifiedTextModel": "base"},
}
MODEL_TYPES = tuple(CLASSES)
DIMS = {
    "V": ("vocab_size", 262144), "d_model": ("hidden_size", 2304),
    "d_ff": ("intermediate_size", 9216), "n_heads": ("num_attention_heads", 8),
    "n_kv": ("num_key_value_heads", 4), "d_head": ("head_dim", 256),
}
SMALL_DIMS = {"d_small": ("hidden_size_per_layer_input", 256),
              "V_small": ("vocab_size_per_layer_input", 262144)}
EXPERT_KEYS = {"n_experts": "num_experts", "top_k": "top_k_experts",
               "d_expert": "moe_intermediate_size"}
HARMLESS = NO_TABLE | frozenset("""
    moe_intermediate_size num_experts sliding_window top_k_experts use_bidirectional_attention
    vocab_size_per_layer_input
""".split())
KINDS = {"sliding_attention": "sliding", "full_attention": "full"}
OVERRIDES = {"d_head": "head_dim", "n_kv": "num_key_value_heads"}
FULL = {"d_head": "d_head_full", "n_kv": "n_kv_full"}
#: The mixture's norms, beside the four that every block has.
MORE_NORMS = {"norms.dense_out": "post_feedforward_layernorm_1.",
              "norms.experts": "pre_feedforward_layernorm_2.",
              "norms.experts_out": "post_feedforward_layernorm_2."}
NAMES = (entry("*.experts", "W_router", ".router.proj.weight"),
         entry("*.experts", "X_gate X_up", ".experts.gate_up_proj"),
         entry("*.experts", "X_down", ".experts.down_proj"))
WIDE = Equation("d_ff_wide", ex.Num(2) * ex.Sym("d_ff"), "use_double_wide_mlp")


def build(config: Config, name: str) -> Model:
    """A Gemma 4 from its configuration; its head is tied unless that says otherwise."""
    task = config.task(CLASSES[config.model_type], "causal")
    values = config.dims(DIMS)
    pattern = _pattern(config, config.count_of("num_hidden_layers", default=30))
    values |= _widths(config, pattern, values)
    shared = first_shared(config, pattern)
    extras, embedding = _beside(config, values)
    blocks = _blocks(config, values, extras)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    kinds = [f"{kind}_shared" if i >= shared else kind for i, kind in enumerate(pattern)]
    equations = (WIDE,) if any("d_ff" in s.bound for k in set(kinds) for s in blocks[k]) else ()
    return decoder_model(config, name, task, values, blocks, pattern=kinds, tied=tied,
                         final_norm=find("norm", "rmsnorm")(), embedding=embedding, names=NAMES,
                         equations=equations, windows=_sliding(config, pattern))


def _sliding(config: Config, pattern: list[str]) -> Sliding:
    """The layers that slide, the last one never, with the family's window."""
    unified = config.model_type == "gemma4_unified_text"
    return Sliding(default=1024 if unified else 512, listed="", rule=lambda *_: (
        i for i, kind in enumerate(pattern) if kind == "sliding"))


def _pattern(config: Config, depth: int) -> list[str]:
    """Every sixth layer sees everything unless a list says which; the last one always does."""
    kinds = config.kinds("layer_types", KINDS, depth,
                         lambda i: "sliding_attention" if (i + 1) % 6 else "full_attention")
    return [*kinds[:-1], "full"]


def _widths(config: Config, pattern: list[str], values: Mapping[str, int]) -> dict[str, int]:
    """Head width and key-value heads of sliding layers and, where they differ, of full ones."""
    over = _overrides(config, pattern)
    found: dict[str, tuple[int, ...]] = {}
    for i, kind in enumerate(pattern):
        pair = tuple(over.get(i, {}).get(dim, values[dim]) for dim in FULL)
        if found.setdefault(kind, pair) != pair:
            raise config.error("per_layer_config", f"layers of {kind} attention that are unlike "
                               "each other are not understood")
    first = found.get("sliding", found["full"])
    widths = dict(zip(FULL, first, strict=True))
    if found["full"] != first:
        widths |= dict(zip(FULL.values(), found["full"], strict=True))
    return widths


def _overrides(config: Config, pattern: list[str]) -> dict[int, dict[str, int]]:
    """What single layers have otherwise: as a table by layer says, or two keys for full layers."""
    kv = config.optional_count("num_global_key_value_heads")
    full = {"d_head": config.count_of("global_head_dim", default=512)}
    if kv is not None and config.flag("attention_k_eq_v", False):
        full["n_kv"] = kv
    if "per_layer_config" not in config:
        return {i: full for i, kind in enumerate(pattern) if kind == "full"}
    if config.raw("per_layer_config") is None:
        return {}
    table = config.table("per_layer_config")
    over: dict[int, dict[str, int]] = {}
    for key in table.data:
        if not key.isdecimal() or int(key) >= len(pattern) or int(key) in over:
            raise table.error(key, "expected the number of a layer, each once")
        over[int(key)] = _override(table.table(key))
    return over


def _override(layer: DataTable) -> dict[str, int]:
    """One layer's own numbers."""
    layer.only_keys(OVERRIDES.values())
    given = {dim: key for dim, key in OVERRIDES.items() if key in layer}
    for key in given.values():
        if not 0 < layer.integer(key) <= MAX_DIM:
            raise layer.error(key, f"expected a positive number, found {layer.integer(key)}")
    return {dim: layer.integer(key) for dim, key in given.items()}


def first_shared(config: Config, pattern: Sequence[str], usual: int = 0) -> int:
    """The first of the layers that use keys and values of layers below.

    Args:
        config: the configuration.
        pattern: the kind of each layer.
        usual: how many such layers there are where it does not say.
    """
    number = config.number("num_kv_shared_layers", usual)
    first = len(pattern) - number
    if number and (first < 1 or set(pattern[:first]) != set(pattern)):
        raise config.error("num_kv_shared_layers", "a layer of each kind has to have keys and "
                           "values of its own")
    return first


def _blocks(config: Config, values: Mapping[str, int], extras: Block) -> dict[str, Block]:
    """A block for each kind of layer, with keys and values of its own or of a layer below."""
    bias = config.flag("attention_bias", False)
    one = "k-eq-v" if config.flag("attention_k_eq_v", False) else "gqa"
    wide = {"d_ff": "d_ff_wide"} if config.flag("use_double_wide_mlp", False) else {}
    bound = FULL if "d_head_full" in values else {}
    rest = (*norm_slots(find("norm", "rmsnorm")(), 4), *extras, slot("scalar", "layer-scalar"))
    blocks: dict[str, Block] = {}
    for kind, attention, dims in (("sliding", "gqa", {}), ("full", one, bound)):
        for suffix, own, inner in (("", attention, {}), ("_shared", "shared-kv", wide)):
            blocks[kind + suffix] = (
                slot("attention", own, None, dims, bias=bias, qk_norm=True),
                slot("ffn", "geglu", None, inner), *rest)
    return blocks


def _beside(config: Config, values: dict[str, int]) -> tuple[Block, Block]:
    """What stands in every block, and beside the embedding: per-layer embeddings, experts."""
    if config.model_type == "gemma4_unified_text":
        config.only("hidden_size_per_layer_input", 0, None)
        config.only("enable_moe_block", False, None)
        return (), ()
    in_block: list[Slot] = []
    embedding: Block = ()
    if config.number("hidden_size_per_layer_input", 256):
        values |= config.dims(SMALL_DIMS)
        in_block.append(slot("per-layer-input", "gated", ""))
        embedding = (slot("per-layer-embedding", "per-layer", ""),)
    if config.flag("enable_moe_block", False):
        values |= {dim: config.count_of(key) for dim, key in EXPERT_KEYS.items()}
        in_block += [slot("router", "scales"), slot("experts", "moe", "", kind="ffn")]
        in_block += [slot(path, "rmsnorm", prefix) for path, prefix in MORE_NORMS.items()]
    return tuple(in_block), embedding
