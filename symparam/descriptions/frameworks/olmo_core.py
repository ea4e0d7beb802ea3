"""OLMo-core: a ``TransformerConfig`` as its trainer saves it, alone or in an experiment's.

Kinds of block that differ in what changes no weight (windows, rotary positions) are one kind. A
hybrid block has a dense network and experts, one after the other.

Source: ai2-olmo-core 3.0.0, olmo_core/nn/transformer/config.py, nn/attention, nn/feed_forward and
nn/moe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from symparam.component import Component
from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, decoder_model, differing, slot
from symparam.descriptions.assembling.windows import Sliding, told
from symparam.descriptions.config import Config
from symparam.layout import Entry, entries, entry
from symparam.model import Model
from symparam.resolve import MAX_DIM
from symparam.stack import Slot

#: The window of a layer, by its number and how many layers there are; None for none.
Window: TypeAlias = Callable[[int, int], int | None]

NAME = "OLMo-core"
PLACES = Places(top="", token="embeddings.", layers="blocks.*.", final_norm="lm_head.norm.",
                head="lm_head.w_out.")
NAMES = (*entries("*.attention", Q="w_q", K="w_k", V="w_v", O="w_out"),
         *entries("*.ffn", gate="w1", up="w3", down="w2"),
         *entries("*.shared", gate="w1", up="w3", down="w2"),
         entry("*.qk-norm", "g_Q", ".q_norm.weight"), entry("*.qk-norm", "g_K", ".k_norm.weight"),
         entry("*.experts", "W_router", ".router.weight", flat=True),
         entry("*.experts", "balance", ".router.score_bias"),
         entry("*.experts", "X_down", ".experts.mlp.w2", transposed=True, joined=True))
DIMS = {"V": ("vocab_size", None), "L": ("n_layers", None), "d_model": ("d_model", None)}
_CLASS = "TransformerConfig"
_NORMS = ("rms", "qwen_rms")
#: Where the norms of a block stand, by the block's name.
_BEFORE = {"norms.attention": "attention_norm.", "norms.ffn": "feed_forward_norm."}
_BEHIND = {"norms.attention_out": "attention_norm.", "norms.ffn_out": "feed_forward_norm."}
BLOCKS: dict[str, dict[str, str]] = {
    "default": _BEFORE, "reordered_norm": _BEHIND,
    "peri_norm": {**_BEFORE, "norms.attention_out": "post_attention_norm.",
                  "norms.ffn_out": "post_feed_forward_norm."},
    "moe": _BEFORE, "moe_reordered_norm": _BEHIND,
    "moe_hybrid": {**_BEFORE, "norms.experts": "feed_forward_moe_norm."},
    "moe_hybrid_reordered_norm": {**_BEHIND, "norms.experts_out": "feed_forward_moe_norm."}}
#: How the experts' first projections are stored: both sides turned by default.
_MLP = ".experts.mlp"
EXPERTS = {kind: tuple(entry("*.experts", f"X_{part}", f"{_MLP}.{name}", joined=True,
                             transposed=kind == "default")
                       for part, name in (("gate", "w1"), ("up", "w3")))
           for kind in ("default", "dropless")}
#: What changes no weight, of any table.
HARMLESS = frozenset("""
    _CLASS_ dtype eps rope backend use_flash scalable_softmax dropout
    init_method init_seed init_std embed_scale loss_implementation full_precision embedding_init_std
    residual_alpha attention_residual_alpha feed_forward_residual_alpha clip_qkv softmax_scale
    freeze_params lb_loss_weight lb_loss_granularity z_loss_weight scale_loss_by_num_layers
    capacity_factor jitter_eps normalize_expert_weights uniform_expert_assignment
    random_expert_assignment gating_function
""".split())


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of OLMo-core's: it names its class."""
    return str(normal(data).get("_CLASS_", "")).endswith(f".{_CLASS}")


def almost(data: Mapping[str, Any]) -> str:
    """What a table lacks that has the keys of OLMo-core without its class; empty for others."""
    if not {"d_model", "n_layers", "block"} <= normal(data).keys():
        return ""
    return (f"it has the keys of {NAME} without \"_CLASS_\": "
            f"\"olmo_core.nn.transformer.config.{_CLASS}\", by which that is known")


def normal(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The model's table, of an experiment's."""
    inner = data.get("model")
    return inner if "d_model" not in data and isinstance(inner, dict) else data


def build(config: Config, name: str) -> Model:
    """A decoder; its blocks have the same weights."""
    task = config.task({"Transformer": "causal"}, "causal")
    values: dict[str, int] = {dim: config.count_of(key) for dim, (key, _) in DIMS.items()}
    config.only("name", "default", "moe")
    tied = config.flag("tie_word_embeddings", False)
    for key in ("block_overrides", "vocab_size_multiple", "float8_config"):
        config.only(key, None, {})
    block, windows = _blocks(config, values)
    values |= block.values
    values.setdefault("d_head", values["d_model"] // values["n_heads"])  # rounded, as its code does
    head = config.part("lm_head", NAME)
    head.only("name", "default")
    final, bias = _norm(head, "layer_norm"), head.flag("bias", True)
    head.close(HARMLESS)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, block.slots, tied=tied, head_bias=bias,
                         final_norm=final, places=PLACES, names=(*NAMES, *block.names),
                         windows=windows)


class _Block(NamedTuple):
    """A block: its slots, how its experts are stored, its numbers."""

    slots: Block
    names: tuple[Entry, ...]
    values: dict[str, int]


def _blocks(config: Config, values: Mapping[str, int]) -> tuple[_Block, Sliding | None]:
    """The block of every layer; those of several kinds have to have the same weights."""
    outer, depth = config.part("block", NAME), values["L"]
    if {"sequence_mixer", "_CLASS_", "layer_norm"} & outer.data.keys():
        config.only("block_pattern", None)
        block, window = _block(outer)
        return block, told(config, [window(i, depth) for i in range(depth)])
    kinds = {key: _block(outer.part(key, NAME)) for key in outer.data}
    pattern = config.raw("block_pattern", None)
    if not isinstance(pattern, list) or not pattern or not all(
            isinstance(each, str) and each in kinds for each in pattern):
        raise config.error("block_pattern", f"expected a list of {', '.join(kinds)[:80]}")
    blocks = [kinds[each][0] for each in pattern]
    for each, block in zip(pattern, blocks, strict=True):
        if block != blocks[0]:
            numbers = (f"{dim} = {number}" for dim, number in block.values.items()
                       if blocks[0].values.get(dim) != number)
            raise config.error(f"block.{each}", f"has other weights than {pattern[0]}, which is "
                               "not understood: " + (differing(block.slots, blocks[0].slots)
                                                 or ", ".join(numbers) or "how they are stored"))
    return blocks[0], told(config, [kinds[pattern[i % len(pattern)]][1](i, depth)
                                    for i in range(depth)])


def _block(config: Config) -> tuple[_Block, Window]:
    """A kind of block, and the window of a layer of it."""
    kind = config.text("name", "default")
    if kind not in BLOCKS:
        raise config.error("name", f"{kind[:40]!r} is not understood; handled: {', '.join(BLOCKS)}")
    norm = _norm(config, "layer_norm")
    if "attention" in config and "sequence_mixer" in config:
        raise config.error("attention", "stands beside sequence_mixer, which has taken its place: "
                           "leave one out")
    old = "attention" in config  # before there were other mixers (TransformerBlockConfig)
    slots, values, window = _attention(config.part("attention" if old else "sequence_mixer", NAME))
    names: tuple[Entry, ...] = ()
    if "hybrid" in kind or "moe" not in kind:
        ffn = config.part("feed_forward", NAME)
        values["d_ff"] = ffn.count_of("hidden_size")
        slots += (_network(ffn, "ffn", "feed_forward."),)
    else:
        config.only("feed_forward", None)
    if "moe" in kind:
        experts, names = _experts(config.part("feed_forward_moe", NAME), values)
        slots += experts
    else:
        config.only("feed_forward_moe", None)
    config.close(HARMLESS)
    around = (Slot(path, norm, prefix) for path, prefix in BLOCKS[kind].items())
    return _Block((*slots, *around), names, values), window


def _attention(mixer: Config) -> tuple[Block, dict[str, int], Window]:
    """Attention with the norms of its heads, its numbers, and the window of a layer."""
    for key, allowed in (("name", "default"), ("type", "attention"), ("gate", None)):
        mixer.only(key, allowed)
    mixer.only("attention_sinks", False, None)
    values = {"n_heads": mixer.count_of("n_heads")}
    for dim, key in (("n_kv", "n_kv_heads"), ("d_head", "head_dim")):
        if (number := mixer.optional_count(key)) is not None:
            values[dim] = number
    normed, whole = mixer.raw("qk_norm", None) is not None, mixer.flag("use_head_qk_norm", False)
    if normed:
        _norm(mixer, "qk_norm")
    slots: Block = (slot("attention", "gqa", "attention.", bias=mixer.flag("bias", True),
                         qk_norm=normed and whole),)
    if normed and not whole:
        slots += (slot("qk-norm", "width", "attention."),)
    window = _window(mixer)
    mixer.close(HARMLESS)
    return slots, values, window


def _window(mixer: Config) -> Window:
    """The window of a layer by its number and how many there are (SlidingWindowAttentionConfig)."""
    if mixer.raw("sliding_window", None) is None:
        return lambda number, depth: None
    part = mixer.part("sliding_window", NAME)
    pattern = part.raw("pattern")
    if not isinstance(pattern, list) or not pattern or not all(
            type(each) is int and (each == -1 or 0 < each <= MAX_DIM) for each in pattern):
        raise part.error("pattern", "expected a list of windows, each a number of tokens or -1")
    first = part.boolean("force_full_attention_on_first_layer", True)
    last = part.boolean("force_full_attention_on_last_layer", True)
    part.close(HARMLESS)

    def window(number: int, depth: int) -> int | None:
        if (first and number == 0) or (last and number == depth - 1):
            return None
        length: int = pattern[(number - first) % len(pattern)]
        return None if length == -1 else length

    return window


def _network(part: Config, path: str, prefix: str, bound: Mapping[str, str] | None = None) -> Slot:
    """A dense network."""
    part.only("name", "default")
    part.only("activation", "silu", "gelu_tanh", "gelu")
    gated = "swiglu" if part.text("activation", "silu") == "silu" else "geglu"
    found = slot(path, gated, prefix, bound, kind="ffn", bias=part.flag("bias", True))
    part.close({*HARMLESS, "hidden_size"})
    return found


def _experts(part: Config, values: dict[str, int]) -> tuple[Block, tuple[Entry, ...]]:
    """Routed experts and a shared network, and how the experts are stored."""
    kind, router = part.text("name", "default"), part.part("router", NAME)
    if kind not in EXPERTS:
        raise part.error("name", f"{kind[:40]!r} is not understood; handled: {', '.join(EXPERTS)}")
    router.only("name", "default")
    part.only("latent_moe", None)
    values |= {"n_experts": part.count_of("num_experts", default=1),
               "d_expert": part.count_of("hidden_size", default=256),
               "top_k": router.count_of("top_k", default=1)}
    balance = router.raw("bias_gamma", None) is not None
    slots: Block = (slot("experts", "moe", "feed_forward_moe.", kind="ffn", balance=balance),)
    if part.raw("shared_mlp", None) is not None:
        shared = part.part("shared_mlp", NAME)
        values["d_shared"] = shared.count_of("hidden_size")
        slots += (_network(shared, "shared", "feed_forward_moe.shared_mlp.", {"d_ff": "d_shared"}),)
    for each in (part, router):
        each.close(HARMLESS)
    return slots, EXPERTS[kind]


def _norm(config: Config, key: str) -> Component:
    """The norm that a table describes: RMSNorm without a bias."""
    inner = config.part(key, NAME)
    inner.only("name", *_NORMS)
    inner.only("bias", False)
    inner.close(HARMLESS)
    return find("norm", "rmsnorm")()
