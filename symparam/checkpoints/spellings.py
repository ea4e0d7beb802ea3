"""Names that published checkpoints have, read as those of the modules that load them.

Source of the facts: transformers 5.23, conversion_mapping.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from symparam.checkpoints.bundles import possible
from symparam.layout import pattern

#: What is written in a checkpoint, and what a module may call it.
RULES = tuple((re.compile(written), called) for written, called in (
    (r"\.block_sparse_moe\.", ".mlp."),
    (r"\.experts\.([\d*]+)\.w1\.", r".experts.\1.gate_proj."),
    (r"\.experts\.([\d*]+)\.w3\.", r".experts.\1.up_proj."),
    (r"\.experts\.([\d*]+)\.w2\.", r".experts.\1.down_proj."),
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
    (r"\.mlp\.expert_bias$", ".mlp.e_score_correction_bias"),
    (r"\.moe\.router\.expert_bias$", ".mlp.gate.e_score_correction_bias"),
    (r"\.mlp\.gate\.expert_bias$", ".mlp.gate.e_score_correction_bias"),
    (r"\.(attention_sink_bias|softmax_offset)$", ".sinks"),
    (r"\.post_mlp_layernorm\.", ".mlp.post_mlp_layernorm."),
    (r"\.W_down\.", ".mlp.fc1."), (r"\.W_up\.", ".mlp.fc2."),
    (r"\.q_b_proj\.", ".q_gate_proj."),
    (r"\.post_attn_norm\.", ".post_self_attn_layernorm."),
    (r"\.post_ffn_norm\.", ".post_mlp_layernorm."),
    (r"\.attention_layer_norm\.", ".input_layernorm."),
    (r"\.feedforward_layer_norm\.", ".post_attention_layernorm."),
    (r"\.self_attn\.gate_proj\.", ".self_attn.g_proj."), (r"\.linear_gate\.", ".gate_proj."),
    (r"\.learnable_sink_param$", ".sinks"), (r"\.hc_pre\.hc_", ".hc_"),
    (r"\.hc_attn_layer\.hc_", ".attn_hc."), (r"\.hc_mlp_layer\.hc_", ".ffn_hc."),
    (r"\.hc_head_", ".hc_"), (r"\.mixer\.", ".self_attn."),
    (r"\.(f(_a|_b)?_proj\.|dt_bias$|A_log$)", r".forget_gate.\1"),
    (r"\.word_embeddings\.", ".embed_tokens."),
    (r"\.(attention|attn)\.", ".self_attn."),
    (r"\.self_attn\.(dense|out_proj)\.", ".self_attn.o_proj."),
    (r"(^|\.)encoder\.layers?\.", r"\1layers."), (r"(^|\.)emb_ln\.", r"\1embeddings.LayerNorm."),
    (r"\.fc11\.", ".up_proj."), (r"\.fc12\.", ".gate_proj."), (r"\.fc2\.", ".down_proj."),
    (r"\.(norm1|attn_ln)\.", ".post_attention_layernorm."),
    (r"\.(norm2|mlp_ln)\.", ".post_mlp_layernorm."),
    (r"^lm_head\.norm\.", "lm_head.layer_norm."), (r"^new\.", ""),
    (r"^embed_out\.", "lm_head."), (r"^backbone\.", "model."),
    (r"^ultrabert\.", "model."), (r"^cls\.weight$", "head.decoder.weight"),
    (r"LayerNorm\.gamma$", "LayerNorm.weight"), (r"LayerNorm\.beta$", "LayerNorm.bias"),
    (r"layer_norm\.gamma$", "layer_norm.weight"), (r"layer_norm\.beta$", "layer_norm.bias"),
    (r"^language_model\.model\.", "model.language_model."),
    (r"^language_model\.model\.", "language_model."), (r"^language_model\.lm_head\.", "lm_head."),
    (r"^model\.(?=embed_tokens\.|layers\.|norm\.|final_layernorm\.)", "model.language_model."),
    (r"^model\.(?=embed_tokens\.|layers\.|norm\.|final_layernorm\.)", "language_model."),
    (r"^((?:vision|image|video|audio)_tower\.|vis(?:ual|ion_model)\.|multi_modal_projector\.|image_newline$)",
     r"model.\1"),
    (r"_tower\.vision_model\.", "_tower."),
    (r"\.attention\.attention\.query\.", ".attention.q_proj."),
    (r"\.attention\.attention\.key\.", ".attention.k_proj."),
    (r"\.attention\.attention\.value\.", ".attention.v_proj."),
    (r"\.attention\.output\.dense\.", ".attention.o_proj."),
    (r"\.weights_in\.", ".gate_up_proj."), (r"\.weights_out\.", ".down_proj."),
    (r"\.intermediate\.dense\.", ".mlp.fc1."), (r"\.output\.dense\.", ".mlp.fc2."),
    (r"(^|\.)encoder\.(embed_tokens|layers|norm)\.", r"\1encoder.text_model.\2."),
    (r"(^|\.)vision_embedder\.p", r"\1embed_vision.p"),
    (r"(^|\.)embed_vision\.embedding_projection\.",
     r"\1embed_vision.multimodal_embedder.embedding_projection."),
    (r"\.index_([qk])_(proj|norm)\.", r".indexer.\1_\2."),
    (r"^patch_merge_mlp\.linear_", "multi_modal_projector.merge_linear_"),
    (r"\.embeddings\.patch_embedding\.", ".embeddings.proj."),
    (r"\.moe\.gate\.weight$", ".mlp.gate.weight"),
    (r"\.moe\.router_bias$", ".mlp.gate.e_score_correction_bias"),
    (r"\.moe\.(gate|up|down)_proj\.weight$", r".mlp.experts.\1_proj"),
    (r"\.share_expert\.", ".mlp.shared_experts."),
    (r"^vit_large_projector\.", "multi_modal_projector."),
    (r"(^|\.)conv1\.weight$", r"\1embeddings.patch_embedding.weight"),
    (r"(^|\.)positional_embedding$", r"\1embeddings.position_embedding.weight"),
    (r"(^|\.)transformer\.resblocks\.", r"\1layers."),
    (r"(^|\.)ln_pre\.", r"\1pre_layernorm."), (r"(^|\.)vit_downsampler", r"\1downsampler"),
    (r"\.ls_([12])\.gamma$", r".lambda_\1"), (r"\.c_fc\.", ".fc1."), (r"\.c_proj\.", ".fc2."),
    (r"\.attn\.in_proj_(weight|bias)$", r".self_attn.qkv_proj.\1"),
    (r"\.attn\.out_proj\.", ".self_attn.out_proj."),
    (r"\.ln_1\.", ".layernorm_before."), (r"\.ln_2\.", ".layernorm_after."),
))

#: Rules that may be needed for one name.
DEPTH = 4
#: How some of them begin.
_START_OR_DOT = r"(^|\.)"


def _after(*heads: str) -> list[str]:
    """What stands in rules that begin with one of these, after it."""
    return [rule.pattern.removeprefix(head) for head in heads for rule, _ in RULES
            if rule.pattern.startswith(head)]


def _either(*expressions: str) -> re.Pattern[str]:
    """Any of several, without their groups."""
    return re.compile("|".join(re.sub(r"\((?!\?)", "(?:", each) for each in expressions))


#: Whether any rule applies to a name, asked once instead of each by each: at its start; inside,
#: where each way begins with a letter of its own, so that nothing is tried at all other letters.
_AT_START = _either(*_after("^", _START_OR_DOT))
_INSIDE = _either(r"\.(?:" + "|".join(_after(r"\.", _START_OR_DOT)) + ")", *(
    rule.pattern for rule, _ in RULES if not rule.pattern.startswith(("^", _START_OR_DOT, r"\."))))
#: How often rules are tried for all names of a checkpoint; one has some hundred patterns.
TRIALS = 500_000


def read_as(found: Collection[str], wanted: Collection[str]) -> dict[str, str]:
    """The names found, each under one that is wanted where its spelling leads to one.

    Args:
        found: names in a checkpoint.
        wanted: names of a model.

    Returns:
        The name that the model has, or that stands for several of its names or a part of one, or
        the found one where there is none, to the found one.
    """
    result = {name: name for name in found if name in wanted}
    if len(result) == len(found):
        return result
    own_patterns = {pattern(name) for name in wanted}
    bundles = possible(own_patterns)
    known = own_patterns | bundles
    chains: dict[str, tuple[int, ...]] = {}
    trials = Trials(TRIALS)
    for name in found:
        if name in result:
            continue
        own = pattern(name)
        if own not in chains:
            chains[own] = () if own in known else _rules_for(own, known, trials)
        spelled = _applied(name, chains[own])
        fits = spelled in wanted or (own if spelled == name else pattern(spelled)) in bundles
        result[spelled if fits and spelled not in result else name] = name
    return result


@lru_cache(maxsize=2**20)
def _may_apply(text: str) -> bool:
    """Whether any rule changes a name; each layout of a model asks for the same names."""
    return bool(_AT_START.match(text) or _INSIDE.search(text))


class Trials:
    """How often rules may still be tried."""

    def __init__(self, left: int) -> None:
        self.left = left


def _rules_for(written: str, wanted: Collection[str], trials: Trials) -> tuple[int, ...]:
    """The shortest chain of rules that leads to a wanted pattern; empty where there is none."""
    if not _may_apply(written):
        return ()
    frontier: dict[str, tuple[int, ...]] = {written: ()}
    seen = {written}
    for _ in range(DEPTH):
        following: dict[str, tuple[int, ...]] = {}
        for text, chain in frontier.items():
            if trials.left <= 0 or not _may_apply(text):
                continue
            trials.left -= len(RULES)
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
