"""NLLB-MoE: BART's layers with computed positions, each so many-th with experts, two for a token.

Source: NLLB team 2022, arXiv:2207.04672, section 6.2; transformers, models/nllb_moe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.config import Config
from symparam.descriptions.families import bart
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("nllb-moe",)
TRAITS = bart.Traits(
    stem="NllbMoe", dims=bart.dims(128112, 1024, 1024, 12, 16, 4096) | {
        "n_experts": ("num_experts", 128)},
    positions="computed", input_norm=False, final_norm=True, logits_bias=False,
    tails={tail: task for tail, task in bart.TAILS.items() if task != "causal"})
HARMLESS = frozenset("""
    batch_prioritized_routing expert_capacity moe_eval_capacity_token_fraction moe_token_dropout
    normalize_router_prob_before_dropping router_dtype router_ignore_padding_tokens
    router_z_loss_coef second_expert_policy
""".split())
NAMES = (*bart.NAMES, entry("*.ffn", "W_router", ".router.classifier.weight"),
         entry("*.ffn", "b_router", ".router.classifier.bias"),
         *(entry("*.ffn", f"{letter}_{part}", f".experts.expert_*.{layer}.{kind}")
           for part, layer in (("up", "fc1"), ("down", "fc2"))
           for letter, kind in (("X", "weight"), ("c", "bias"))))
TWO = Equation("top_k", ex.Num(2), "a token is sent to two experts")


def build(config: Config, name: str) -> Model:
    """An NLLB-MoE from its configuration: each side has sparse layers of its own."""
    task = config.task({f"NllbMoe{tail}": task for tail, task in TRAITS.tails.items()}, "seq2seq")
    found = config.dims(TRAITS.dims)
    patterns = {side: _pattern(config, side, found[f"L_{side}"]) for side in SIDES[task]}
    if not any("sparse" in pattern for pattern in patterns.values()):
        del found["n_experts"]
    values, bound = bound_dims(found, SIDES[task])
    tied = config.flag("tie_word_embeddings", True)
    bias = ["experts", *(["router"] if config.flag("router_bias", False) else [])]
    bart.check_older_keys(config, task, TRAITS)
    config.close(bart.HARMLESS | HARMLESS)
    top, own = "model." if task == "seq2seq" else "", () if tied else (token("embed_tokens."),)
    sides = {}
    for side, pattern in patterns.items():
        blocks = {kind: _block(side, kind, bound[side], bias) for kind in ("dense", "sparse")}
        plain = bart.side_of(side, TRAITS, blocks["dense"], top, own, bound[side])
        sides[side] = replace(plain, blocks=blocks, pattern=pattern)
    return encoder_decoder(config, name, task, values, sides,
                           embedding=Stack("embedding", (token("shared."),), prefix=top),
                           head=bart.head(task, TRAITS, tied), names=NAMES,
                           equations=(TWO,) if "n_experts" in values else ())


def _pattern(config: Config, side: str, depth: int) -> list[str]:
    step = config.number(f"{side}_sparse_step", 4)
    return ["dense" if not step or (i + 1) % step else "sparse" for i in range(depth)]


def _block(side: str, kind: str, bound: Mapping[str, str], bias: list[str]) -> Block:
    """BART's layer, some of its parts called otherwise."""
    wide = bound.get("d_ff", "d_ff")
    prefixes = {"cross_attention": "cross_attention.", "norms.ffn": "ff_layer_norm.",
                "norms.cross_attention": "cross_attention_layer_norm.", "ffn": "ffn."}
    layer = tuple(replace(each, prefix=prefixes.get(each.path, each.prefix))
                  for each in bart.block(side, bound))
    if kind == "dense":
        return layer
    experts = slot("ffn", "moe", "ffn.", {**bound, "d_expert": wide}, gated=False, bias=bias)
    return tuple(experts if each.path == "ffn" else each for each in layer)
