"""HunYuan V1 with experts: one shared expert in every layer, norms of query and key heads.

Source: model card of tencent/Hunyuan-A13B-Instruct; transformers, models/hunyuan_v1_moe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model
from symparam.descriptions.config import Config
from symparam.descriptions.families.hunyuan_v1_dense import OWN
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("hunyuan_v1_moe",)
CLASSES = classes("HunYuanMoEV1")
DIMS = {
    "V": ("vocab_size", 290943), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", None),
    "d_expert": ("intermediate_size", 11008),
    "n_experts": ("num_experts", "num_local_experts", 1),
}
FURTHER = OWN | frozenset("""
    capacity_factor group_limited_greedy moe_drop_tokens moe_random_routing_dropped_token
""".split())
NAMES = (
    *FUSED_EXPERTS, entry("*.ffn", "W_router", ".gate.wg.weight"),
    entry("*.attention", "g_Q", ".query_layernorm.weight"),
    entry("*.attention", "g_K", ".key_layernorm.weight"),
    *(entry("*.ffn", f"S_{part}", f".shared_mlp.{part}_proj.weight")
      for part in ("gate", "up", "down")),
)


def build(config: Config, name: str) -> Model:
    """A HunYuan with experts from its configuration, which has to say how wide a head is."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    values |= {"d_head": config.count_of("head_dim", "attention_head_dim"), "n_shared": 1,
               "top_k": _used(config, values["L"])}
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    tied = config.flag("tie_word_embeddings", False)
    _fixed(config, values["L"], values["d_expert"])
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (attention,),
                         (slot("ffn", "moe", shared=True),), tied=tied, names=NAMES)


def _used(config: Config, depth: int) -> int:
    """How many experts a token uses: a number, or the same one for every layer."""
    names = [key for key in ("moe_topk", "num_experts_per_tok") if key in config]
    listed = config.raw(names[0], 1) if names else 1
    if not isinstance(listed, list):
        return config.count_of("moe_topk", "num_experts_per_tok", default=1)
    same = all(type(each) is int and each > 0 and each == listed[0] for each in listed)
    if len(names) > 1 or len(listed) != depth or not same:
        raise config.error(names[0], f"expected one number, or the same one for each of {depth} "
                           "layers")
    return int(listed[0])


def _fixed(config: Config, depth: int, d_expert: int) -> None:
    """Keys of the published configurations that the family's code does not read."""
    for key, value in (("moe_intermediate_size", d_expert), ("num_shared_expert", 1)):
        if key in config:
            listed = config.raw(key)
            config.only(key, value, [value] * min(len(listed), depth)
                        if isinstance(listed, list) else None)
    config.only("mlp_bias", False)
    config.only("moe_layer_num_skipped", 0)
    config.only("norm_type", "rms")
    config.only("use_cla", False)
    config.only("use_mixed_mlp_moe", True)
    config.only("use_qk_norm", True)
