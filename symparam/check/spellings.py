"""Names that published checkpoints have, read as those of the modules that load them.

Source of the facts: transformers 5.23, conversion_mapping.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from symparam.layout import pattern

#: What is written in a checkpoint, and what a module may call it.
RULES = tuple((re.compile(written), called) for written, called in (
    (r"\.block_sparse_moe\.", ".mlp."),
    (r"(\.experts\.[\d*]+)\.w1\.", r"\1.gate_proj."),
    (r"(\.experts\.[\d*]+)\.w3\.", r"\1.up_proj."),
    (r"(\.experts\.[\d*]+)\.w2\.", r"\1.down_proj."),
    (r"\.mlp\.gate\.", ".mlp.router."), (r"\.router\.layer\.", ".router."),
    (r"\.mlp\.router\.gate\.", ".mlp.gate."),
    (r"\.input_linear\.weight$", ".experts.gate_up_proj"),
    (r"\.output_linear\.weight$", ".experts.down_proj"),
    (r"\.experts\.fc1\.weight$", ".experts.gate_up_proj"),
    (r"\.experts\.fc2\.weight$", ".experts.down_proj"),
    (r"\.shared_(mlp|expert)\.", ".shared_experts."),
    (r"\.(mlp|experts)\.(e_score_correction_bias|expert_bias)$",
     ".mlp.gate.e_score_correction_bias"),
    (r"\.mlp\.(mlp\.gate\.e_score_correction_bias)$", r".\1"),
    (r"\.mlp\.moe_statics\.", ".mlp.gate.moe_statics."),
    (r"\.(attention_sink_bias|softmax_offset)$", ".sinks"),
    (r"^embed_out\.", "lm_head."), (r"^backbone\.", "model."),
    (r"(LayerNorm|layer_norm)\.gamma$", r"\1.weight"),
    (r"(LayerNorm|layer_norm)\.beta$", r"\1.bias"),
    (r"^language_model\.model\.", "model.language_model."),
    (r"^language_model\.model\.", "language_model."), (r"^language_model\.lm_head\.", "lm_head."),
    (r"^model\.(?=embed_tokens\.|layers\.|norm\.|final_layernorm\.)", "model.language_model."),
    (r"^model\.(?=embed_tokens\.|layers\.|norm\.|final_layernorm\.)", "language_model."),
))

#: Rules that may be needed for one name.
DEPTH = 4


def read_as(found: Collection[str], wanted: Collection[str]) -> dict[str, str]:
    """The names found, each under one that is wanted where its spelling leads to one.

    Args:
        found: names in a checkpoint.
        wanted: names of a model.

    Returns:
        The name that the model has, or the found one where it has none, to the found one.
    """
    result = {name: name for name in found if name in wanted}
    if len(result) == len(found):
        return result
    wanted_patterns = {pattern(name) for name in wanted}
    chains: dict[str, tuple[int, ...]] = {}
    for name in found:
        if name in result:
            continue
        own = pattern(name)
        if own not in chains:
            chains[own] = () if own in wanted_patterns else _rules_for(own, wanted_patterns)
        spelled = _applied(name, chains[own])
        result[spelled if spelled in wanted and spelled not in result else name] = name
    return result


def _rules_for(written: str, wanted: Collection[str]) -> tuple[int, ...]:
    """The shortest chain of rules that leads to a wanted pattern; empty where there is none."""
    frontier: dict[str, tuple[int, ...]] = {written: ()}
    seen = {written}
    for _ in range(DEPTH):
        following: dict[str, tuple[int, ...]] = {}
        for text, chain in frontier.items():
            for number, (expression, called) in enumerate(RULES):
                changed = expression.sub(called, text)
                if changed in wanted and changed != text:
                    return (*chain, number)
                if changed not in seen:
                    seen.add(changed)
                    following[changed] = (*chain, number)
        frontier = following
    return ()


def _applied(name: str, chain: tuple[int, ...]) -> str:
    for number in chain:
        expression, called = RULES[number]
        name = expression.sub(called, name)
    return name
