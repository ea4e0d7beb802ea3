"""Kimi Linear: three layers of delta attention to one of latent attention without positions.

Source: Kimi Team 2025, arXiv:2510.26692; transformers, models/kimi_linear.
"""

from __future__ import annotations

from collections.abc import Iterable

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, decoder_model
from symparam.descriptions.assembling.latent import (
    HARMLESS,
    MIXERS,
    crossed,
    latent_attention,
    latent_dims,
    mlp_kinds,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("kimi_linear",)
CLASSES = classes("KimiLinear")
DIMS = {
    "V": ("vocab_size", 163840), "L": ("num_hidden_layers", 27), "d_model": ("hidden_size", 2304),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 9216),
    "n_experts": ("num_experts", "num_local_experts", 256),
    "top_k": ("num_experts_per_token", "num_experts_per_tok", 8),
    "n_shared": ("num_shared_experts", "n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 1024), **latent_dims(None, 512, 128, 64, 128),
}
#: Delta attention: what it is under the older key, under the newer one, and if not given.
DELTA = {"n_linear": ("num_heads", "linear_num_heads", 32),
         "d_linear": ("head_dim", "linear_head_dim", 128),
         "k_conv": ("short_conv_kernel_size", "linear_conv_kernel_dim", 4)}
UNUSED = frozenset("""
    mla_use_nope moe_renormalize moe_router_activation_func num_expert_group use_grouped_topk
""".split())


def build(config: Config, name: str) -> Model:
    """A Kimi Linear from its configuration: kinds of layer by mixer and by experts."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    values |= config.dims({dim: (key, default) for dim, (_, key, default) in DELTA.items()})
    mixers = mixers_of(config, values)
    kinds = mlp_kinds(config, values["L"], 1)
    config.only("tie_word_embeddings", False)  # this code ties nothing, whatever the key says
    config.only("num_nextn_predict_layers", 0)
    blocks = crossed((latent_attention(config, values),), "kda")
    config.close(HARMLESS | UNUSED)
    return decoder_model(config, name, task, values, blocks, positions="none",
                         pattern=[f"{m}_{k}" for m, k in zip(mixers, kinds, strict=True)],
                         final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS)


def mixers_of(config: Config, values: dict[str, int], passive: Iterable[str] = ()) -> list[str]:
    """The mixer of each layer; ``linear_attn_config`` has sizes that outrank those outside it.

    Args:
        config: the configuration.
        values: numbers of dims; those of the mixers are added.
        passive: further keys of ``linear_attn_config`` that are read elsewhere or harmless.
    """
    depth = values["L"]
    default = ["full_attention" if i and not i % 4 else "linear_attention" for i in range(depth)]
    if "linear_attn_config" in config:
        older = config.part("linear_attn_config", config.model_type)
        values |= older.dims({dim: (key, None) for dim, (key, *_) in DELTA.items()})
        if "full_attn_layers" in older and "kda_layers" in older:
            default = _numbered(older, depth)
        older.close(("full_attn_layers", "kda_layers", *passive))
    return config.kinds("layer_types", MIXERS, depth, default.__getitem__)


def _numbered(config: Config, depth: int) -> list[str]:
    """Kinds of layer from two lists of layer numbers, of which the first is 1."""
    kinds: dict[int, str] = {}
    for key, kind in (("full_attn_layers", "full_attention"), ("kda_layers", "linear_attention")):
        numbers = config.raw(key)
        if not isinstance(numbers, list) or any(type(n) is not int for n in numbers):
            raise config.error(key, "expected a list of layer numbers")
        if len(set(numbers) - set(kinds)) < len(numbers):
            raise config.error(key, "a layer stands twice")
        kinds |= dict.fromkeys(numbers, kind)
    if sorted(kinds) != list(range(1, depth + 1)):
        raise config.error("", f"expected each of the layers 1 to {depth} in one list")
    return [kinds[number + 1] for number in range(depth)]
