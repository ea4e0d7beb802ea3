"""torchtitan: the configuration that a run saves (``--debug.save_config_file``), layer by layer.

Each projection states its sides: they are held against what the other numbers say. Tensors have
the names of checkpoints, where one projection to queries, keys and values is saved as three.

Source: torchtitan 0.3.0, trainer.py (to_dict), models/common (decoder, attention, moe), models of
llama3, qwen3, deepseek_v3, gpt_oss, kimi_k2_7 and muse_glimmer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, decoder_model, differing, slot
from symparam.descriptions.assembling.windows import told
from symparam.descriptions.config import MAX_LAYERS, Config
from symparam.descriptions.reading.source import shown
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Slot

NAME = "torchtitan"
PLACES = Places(top="", token="tok_embeddings.", layers="layers.*.", final_norm="norm.")
#: What changes no weight, of any table.
HARMLESS = frozenset("""
    param_init sharding_config inner_attention rope eps mscale token_dispatcher score_func
    route_norm route_scale num_expert_groups num_limited_groups swiglu_limit gain_center
    output_multiplier output_soft_cap_temp use_rope scale_query_by
""".split())
_INNER = ".routed_experts.inner_experts"
LATENT = entries("*.attention", Q="wq", O="wo") + tuple(
    entry("*.attention", letter, f".{name}.weight") for letter, name in (
        ("W_DQ", "wq_a"), ("g_Q", "q_norm"), ("W_UQ", "wq_b"), ("W_DKV", "wkv_a"),
        ("g_KV", "kv_norm"), ("W_UKV", "wkv_b")))
HEADS = (*entries("*.attention", Q="qkv_linear.wq", K="qkv_linear.wk", V="qkv_linear.wv", O="wo"),
         entry("*.attention", "g_Q", ".q_norm.weight"),
         entry("*.attention", "g_K", ".k_norm.weight"))
NAMES = (*entries("*.ffn", gate="w1", up="w3", down="w2"),
         *(entry("*.ffn", f"S_{part}", f".shared_experts.{name}.weight")
           for part, name in (("gate", "w1"), ("up", "w3"), ("down", "w2"))),
         entry("*.ffn", "W_router", ".router.gate.weight"),
         entry("*.ffn", "b_router", ".router.gate.bias"),
         entry("*.ffn", "balance", ".expert_bias_E"),
         entry("*.output-gate", "W_G", ".o_gate.weight"))
NORMS = {"attention": "attention_norm", "ffn": "ffn_norm", "attention_out": "post_attention_norm",
         "ffn_out": "post_ffn_norm"}
APART = (entry("*.ffn", "X_gate", f"{_INNER}.w1_EFD"), entry("*.ffn", "X_up", f"{_INNER}.w3_EFD"),
         entry("*.ffn", "X_down", f"{_INNER}.w2_EDF"))
JOINED = (entry("*.ffn", "X_gate X_up", f"{_INNER}.mlp1_weight_EGD"),
          entry("*.ffn", "X_down", f"{_INNER}.mlp2_weight_EDF"),
          entry("*.ffn", "c_gate c_up", f"{_INNER}.mlp1_bias_EG"),
          entry("*.ffn", "c_down", f"{_INNER}.mlp2_bias_ED"))


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of torchtitan's: a decoder's parts, or a job that names a flavor."""
    keys = normal(data).keys()
    return {"tok_embeddings", "layers"} <= keys or {"name", "flavor"} <= keys


def normal(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The model's table, of a job's."""
    for key in ("model_spec", "model"):
        inner = data.get(key)
        if "layers" not in data and isinstance(inner, dict):
            data = inner
    return data


def build(config: Config, name: str) -> Model:
    """A decoder, each of its layers as its table says."""
    if "layers" not in config:
        raise config.error("flavor", "names a model of torchtitan's own code, and no number of it "
                           "stands here: a run with --debug.save_config_file FILE writes them all")
    task = config.task({"Decoder": "causal"}, "causal")
    width, count = config.count_of("dim"), config.count_of("vocab_size")
    values = {"d_model": width, "V": count}
    places = _token(config, width, count)
    layers = _layers(config, width, values)
    _norm(config, "norm", width)
    bias, tied = _linear(config, "lm_head", width, count), config.flag("enable_weight_tying", False)
    config.only("mtp_layers", None, [])
    for key in ("vision_encoder", "vision_projection", "vision_adapter", "perception_emb_norm"):
        if config.raw(key, None) is not None:
            config.left_out.append(f"{key}: the text model alone is counted")
    config.close(HARMLESS)
    names = (*NAMES, *(LATENT if layers[0].latent else HEADS),
             *(JOINED if any(layer.joined for layer in layers) else APART))
    return decoder_model(
        config, name, task, values, {layer.kind: layer.block for layer in layers},
        pattern=[layer.kind for layer in layers], tied=tied, head_bias=bias,
        final_norm=find("norm", "rmsnorm")(), places=places, names=names,
        windows=told(config, [layer.window for layer in layers]))


def _token(config: Config, width: int, count: int) -> Places:
    """Where the token embedding stands: alone, or with a norm behind it that has no weights."""
    part, places = config.part("tok_embeddings", NAME), PLACES
    if "embedding" in part:
        if _norm(part, "norm", width, bare=True):
            raise part.error("norm", "with a gain is not understood")
        outer, part = part, part.part("embedding", NAME)
        outer.close(HARMLESS)
        places = replace(PLACES, token="tok_embeddings.embedding.")
    _side(part, "num_embeddings", count)
    _side(part, "embedding_dim", width)
    part.close(HARMLESS)
    return places


def _layers(config: Config, width: int, values: dict[str, int]) -> list[_Layer]:
    """What the layers are; their numbers have to be the same, and each kind's parts.

    Args:
        config: the model's table.
        width: the model's width.
        values: numbers of dims, which those of the layers join.
    """
    layers = [_Layer(each, width) for each in _tables(config)]
    blocks = {layer.kind: layer.block for layer in layers}
    for layer in layers:
        for dim, number in layer.values.items():
            if values.setdefault(dim, number) != number:
                raise layer.config.error("", f"{dim} = {number}, and {values[dim]} in a layer "
                                         "before: layers of several widths are not understood")
        if layer.latent != layers[0].latent:
            raise layer.config.error("attention", "latent in some layers and not in others: not "
                                     "understood")
        if layer.block != blocks[layer.kind]:
            raise layer.config.error("", f"{differing(layer.block, blocks[layer.kind])}: unlike "
                                     "that of another layer, which is not understood")
    return layers


def _tables(config: Config) -> list[Config]:
    """The table of each layer."""
    listed = config.raw("layers")
    if not isinstance(listed, list) or not 0 < len(listed) <= MAX_LAYERS:
        raise config.error("layers", f"expected a list of layers, found {shown(listed)}")
    found = []
    for number, each in enumerate(listed):
        found.append(Config(config.where, each, path=f"layers[{number}]", model_type=NAME))
        found[-1].tell(config)
    return found


class _Layer:
    """What a layer's table says: its block, the numbers that stand in it, its window."""

    def __init__(self, config: Config, width: int) -> None:
        self.config, self.width = config, width
        self.values: dict[str, int] = {}
        self.window: int | None = None
        self.latent = self.joined = False
        self.block: Block = (*self._attention(), *self._network(), *self._norms())
        config.close(HARMLESS)

    def _norms(self) -> Block:
        """The norms before attention and network, and behind them where there are such."""
        there = {place: key for place, key in NORMS.items()
                 if not key.startswith("post") or self.config.raw(key, None) is not None}
        for key in there.values():
            _norm(self.config, key, self.width)
        return tuple(Slot(f"norms.{place}", find("norm", "rmsnorm")(), f"{key}.")
                     for place, key in there.items())

    def _attention(self) -> Block:
        part = self.config.part("attention", NAME)
        _side(part, "dim", self.width)
        self.values["n_heads"] = part.count_of("n_heads")
        self.latent = "kv_lora_rank" in part
        found = self._latent(part) if self.latent else self._heads(part)
        part.close(HARMLESS)
        return found

    def _heads(self, part: Config) -> Block:
        """Queries, keys and values, in one projection or in three."""
        inner, heads = part.part("qkv_linear", NAME), self.values["n_heads"]
        size, few = inner.count_of("head_dim"), part.optional_count("n_kv_heads") or heads
        self.values |= {"n_kv": few, "d_head": size}
        for key, number in (("n_heads", heads), ("n_kv_heads", few)):
            _side(inner, key, number)
        _side(part, "head_dim", size)
        if "wqkv" in inner:
            bias = _linear(inner, "wqkv", self.width, (heads + 2 * few) * size)
        else:
            bias = _linear(inner, "wq", self.width, heads * size)
            if _linear(inner, "wkv", self.width, few * size) != bias:
                raise inner.error("wkv.bias", "unlike that of wq is not understood")
        inner.close(HARMLESS)
        sites = ["qkv"] * bias + ["attn-out"] * _linear(part, "wo", heads * size, self.width)
        normed = part.raw("qk_norm", None) is not None and _norm(part, "qk_norm", size, bare=True)
        block: Block = (slot("attention", "gqa", "attention.", bias=sites, qk_norm=normed),)
        if "sliding_window_size" in part:  # models/gpt_oss: the one whose attention has the key
            self.window = part.optional_count("sliding_window_size")
            block += (slot("sinks", "learned", "attention."),)
        if "window_size" in part:
            self.window = part.optional_count("window_size")
        if part.raw("o_gate", None) is not None:
            if _linear(part, "o_gate", self.width, heads * size):
                raise part.error("o_gate", "with a bias is not understood")
            block += (slot("output-gate", "numbers", "attention."),)
        return block

    def _latent(self, part: Config) -> Block:
        """Keys and values through a low rank; queries too, where their rank is not zero."""
        values, heads, plain = self.values, self.values["n_heads"], part.number("q_lora_rank", 0)
        for dim, key in (("kv_rank", "kv_lora_rank"), ("d_nope", "qk_nope_head_dim"),
                         ("d_rope", "qk_rope_head_dim"), ("d_v", "v_head_dim")):
            values[dim] = part.count_of(key)
        query = heads * (values["d_nope"] + values["d_rope"])
        if plain:
            values["q_rank"] = plain
            part.only("wq", None)
            biases = {"wq_a": _linear(part, "wq_a", self.width, plain),
                      "wq_b": _linear(part, "wq_b", plain, query)}
            _norm(part, "q_norm", plain)
        else:
            part.only("wq_a", None)
            part.only("wq_b", None)
            part.raw("q_norm", None)  # there, and not built
            biases = {"wq": _linear(part, "wq", self.width, query)}
        rank = values["kv_rank"]
        _norm(part, "kv_norm", rank)
        biases |= {"wkv_a": _linear(part, "wkv_a", self.width, rank + values["d_rope"]),
                   "wkv_b": _linear(part, "wkv_b", rank,
                                    heads * (values["d_nope"] + values["d_v"])),
                   "wo": _linear(part, "wo", heads * values["d_v"], self.width)}
        for key in (each for each, bias in biases.items() if bias):
            raise part.error(f"{key}.bias", "of latent attention is not understood")
        return (slot("attention", "mla", "attention.", full_queries=not plain),)

    def _network(self) -> Block:
        """The network of a layer: a dense one, or experts."""
        if self.config.raw("moe", None) is None:
            self.kind = "dense"
            part = self.config.part("feed_forward", NAME)
            self.values["d_ff"] = inner = part.part("w1", NAME).count_of("out_features")
            bias = self._network_of(part, inner)
            return (slot("ffn", "swiglu", "feed_forward.", bias=bias),)
        self.kind = "sparse"
        self.config.only("feed_forward", None)
        return self._experts(self.config.part("moe", NAME))

    def _network_of(self, part: Config, inner: int) -> bool:
        """Whether the three projections of a network of some width have biases."""
        found = {"w1": _linear(part, "w1", self.width, inner),
                 "w3": _linear(part, "w3", self.width, inner),
                 "w2": _linear(part, "w2", inner, self.width)}
        part.close(HARMLESS)
        for key in ("w3", "w2"):
            if found[key] != found["w1"]:
                raise part.error(f"{key}.bias", "unlike that of w1 is not understood")
        return found["w1"]

    def _experts(self, part: Config) -> Block:
        count, router = part.count_of("num_experts"), part.part("router", NAME)
        routed = part.part("routed_experts", NAME)
        inner = routed.part("inner_experts", NAME)
        self.values |= {"n_experts": count, "top_k": router.count_of("top_k"),
                        "d_expert": inner.count_of("hidden_dim")}
        for each, key, number in ((router, "num_experts", count), (inner, "num_experts", count),
                                  (inner, "dim", self.width)):
            _side(each, key, number)
        self.joined = "swiglu_limit" in inner  # models/gpt_oss/moe.py: biases, gate and up in one
        sites = ["router"] * _linear(router, "gate", self.width, count) + ["experts"] * self.joined
        balance = part.raw("load_balance_coeff", None) is not None
        shared = part.raw("shared_experts", None) is not None
        if shared:
            own = part.part("shared_experts", NAME)
            self.values["d_shared"] = width = own.part("w1", NAME).count_of("out_features")
            if self._network_of(own, width):
                raise own.error("w1.bias", "of shared experts is not understood")
        for each in (part, router, routed, inner):
            each.close(HARMLESS)
        return (slot("ffn", "moe", "moe.", bias=sites, balance=balance, shared=shared),)


def _side(part: Config, key: str, number: int) -> None:
    """Refuse a number that stands twice, differently."""
    found = part.optional_count(key)
    if found not in {None, number}:
        raise part.error(key, f"{found}, where {number} follows from the other numbers")


def _linear(config: Config, key: str, inputs: int, outputs: int) -> bool:
    """Whether a projection of these sides has a bias."""
    part = config.part(key, NAME)
    _side(part, "in_features", inputs)
    _side(part, "out_features", outputs)
    bias = part.boolean("bias", False)
    part.close(HARMLESS)
    return bias


def _norm(config: Config, key: str, width: int, bare: bool = False) -> bool:
    """Whether an RMSNorm of this width has a gain; without one it is refused unless it may be bare.
    """
    part = config.part(key, NAME)
    _side(part, "normalized_shape", width)
    part.only("elementwise_affine", True, *(False,) * bare)
    part.close(HARMLESS)
    return part.boolean("elementwise_affine", True)
