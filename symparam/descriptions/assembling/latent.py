"""What families with latent attention share: queries with or without a rank, sparse layers."""

from __future__ import annotations

from collections.abc import Mapping

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.stack import Slot

#: Keys of such families that change no weight's shape.
HARMLESS = NO_TABLE | frozenset("""
    head_dim num_key_value_heads qk_head_dim rope_interleave scoring_func topk_method
""".split())

#: Kinds of layer by their mixer, for :func:`crossed`.
MIXERS = {"full_attention": "full", "linear_attention": "linear"}


def latent_dims(q_rank: int | None, kv_rank: int, nope: int, rope: int, value: int | None,
                ) -> dict[str, tuple[str | int | None, ...]]:
    """Where the dims of latent attention stand, with a family's defaults."""
    return {"q_rank": ("q_lora_rank", q_rank), "kv_rank": ("kv_lora_rank", kv_rank),
            "d_nope": ("qk_nope_head_dim", nope), "d_rope": ("qk_rope_head_dim", rope),
            "d_v": ("v_head_dim", value)}


def latent_attention(config: Config, values: Mapping[str, int]) -> Slot:
    """Latent attention; without a query rank where the configuration has null for it."""
    return slot("attention", "mla", bias=config.flag("attention_bias", False),
                full_queries="q_rank" not in values)


def sparse_ffn(*, balance: bool = True, bias: bool = False, use_unknown: bool = False) -> Block:
    """Routed experts with shared ones; a slot of their own for shared ones with biases."""
    experts = slot("ffn", "moe", balance=balance, use_unknown=use_unknown, shared=not bias)
    if not bias:
        return (experts,)
    return (experts, slot("shared", "swiglu", "mlp.shared_experts.", {"d_ff": "d_shared"},
                          kind="ffn", bias=True))


def two_kinds(attention: Block, *, balance: bool = True, bias: bool = False,
              use_unknown: bool = False) -> dict[str, Block]:
    """The blocks of dense and of sparse layers, RMSNorms before attention and FFN."""
    norms = norm_slots(find("norm", "rmsnorm")(), 2)
    return {"dense": (*attention, slot("ffn", "swiglu", bias=bias), *norms),
            "sparse": (*attention, *sparse_ffn(balance=balance, bias=bias,
                                               use_unknown=use_unknown), *norms)}


def crossed(attention: Block, delta: str) -> dict[str, Block]:
    """The blocks of each mixer with each network: attention or delta, dense or sparse."""
    mixers = {"full": attention, "linear": (slot("mixer", delta),)}
    return {f"{mixer}_{kind}": block for mixer, slots in mixers.items()
            for kind, block in two_kinds(slots).items()}


def first_dense(config: Config, depth: int, dense: int) -> list[str]:
    """The kind of each layer: ``first_k_dense_replace`` dense ones, then sparse ones.

    Args:
        config: the configuration.
        depth: the number of layers.
        dense: how many are dense where the key is missing.
    """
    config.only("moe_layer_freq", 1)
    first = min(config.number("first_k_dense_replace", dense), depth)
    return ["dense"] * first + ["sparse"] * (depth - first)


def mlp_kinds(config: Config, depth: int, dense: int) -> list[str]:
    """The kind of each layer from ``mlp_layer_types``; where missing, as :func:`first_dense`."""
    default = first_dense(config, depth, dense)
    return config.kinds("mlp_layer_types", {"dense": "dense", "sparse": "sparse"}, depth,
                        lambda number: default[number])
