"""Gemma 3n's encoder of pictures: MobileNetV5 of 300 million, as timm has it.

Four stages of convolutions; the last two hold attention with one key-value head. What comes out of
both is joined. The architecture stands under its name alone: its sizes are timm's.

Source: Qin et al. 2024, arXiv:2404.10518 (the blocks); timm, models/mobilenetv5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, layers_of, slot
from symparam.descriptions.assembling.pictures import UNSET
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import Layout
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("gemma3n_vision",)
CLASSES = {"TimmWrapperModel": "base"}
ARCHITECTURE = "mobilenetv5_300m_enc"
HARMLESS = frozenset("""
    do_pooling label_names num_classes num_labels vocab_offset vocab_size
""".split())
#: Channels: of a picture, of what stands before the stages, of each stage, of what comes out;
#: sides of filters; heads of the stages with attention.
VALUES = {"n_channels": 3, "d_stem": 64, "d_1": 128, "d_2": 256, "d_3": 640, "d_4": 1280,
          "d_out": 2048, "k_small": 3, "k_large": 5,
          "n_heads_3": 12, "d_head_3": 64, "n_heads_4": 16, "d_head_4": 96}
WIDTHS = ("d_stem", "d_1", "d_2", "d_3", "d_4")
#: The kinds of blocks of each stage, in their order.
STAGES = (
    ("first", "fused", "fused"),
    ("first", "large", "small", "large", "small"),
    ("first", *("large",) * 7, "even", *("attention", "network") * 14),
    ("first", *("attention", "network") * 19),
)
#: How much wider a block is inside than what goes into it.
FACTORS = {"first": 6, "fused": 4, "large": 4, "small": 4, "even": 1, "network": 2}
FIRST_FACTOR = 4


def build(config: Config, name: str) -> Model:
    """The encoder of the one architecture that is known."""
    config.task(CLASSES, "base")
    config.only("architecture", ARCHITECTURE)
    config.only("model_args", None, {})
    config.only("hidden_size", VALUES["d_out"])
    config.close(HARMLESS)
    stages = [layers_of({kind: _block(kind, number) for kind in kinds}, kinds,
                        f"blocks.{number - 1}.*.", f"stage_{number}", f"L_{number}")
              for number, kinds in enumerate(STAGES, start=1)]
    whole = (Stack("stem", (
        slot("convolution", "plane", "conv.", {
            "d_embed": "n_channels", "d_model": "d_stem", "k_conv": "k_small"}, bias=True),
        _gain("norm", "bn.", "d_stem")), prefix="conv_stem."),
        *(stack for made in stages for stack in made.stacks),
        Stack("fusion", tuple(_fusion()), prefix="msfa."))
    return Model(name, tuple(replace(stack, causal=False) for stack in whole),
                 VALUES | {dim: n for made in stages for dim, n in made.values.items()},
                 (*(eq for made in stages for eq in made.equations), *_widths()),
                 tuple(check for made in stages for check in made.checks),
                 Layout(f"timm ({ARCHITECTURE})"), part="encoder",
                 declared=tuple(_declared()), unset=UNSET)


def _gain(path: str, prefix: str, width: str) -> Slot:
    return slot(path, "rmsnorm", prefix, {"d_model": width}, kind="norm")


def _single(path: str, prefix: str, before: str, after: str, kind: str = "convolution") -> Slot:
    """A matrix from channels to channels, at one place of the picture."""
    return slot(path, "plane", prefix, {"d_embed": before, "d_model": after}, kind=kind,
                single=True)


def _each(path: str, prefix: str, width: str, side: str) -> Slot:
    """A filter for each channel."""
    return slot(path, "channel-plane", prefix, {"d_model": width, "k_conv": side},
                kind="convolution")


def _block(kind: str, stage: int) -> Block:
    """A block of a stage: the first leads from the width of the stage before it."""
    after = f"d_{stage}"
    if kind == "attention":
        return (*_attention(stage), _scale(after))
    before = WIDTHS[stage - 1] if kind == "first" else after
    inner = f"d_{kind}_{stage}"
    if stage == 1:
        return (slot("convolution.in", "plane", "conv_exp.", {
                    "d_embed": before, "d_model": inner, "k_conv": "k_small"}),
                _gain("norms.in", "bn1.", inner),
                _single("convolution.out", "conv_pwl.", inner, after),
                _gain("norms.out", "bn2.", after))
    return (*_filters(kind, stage, before, inner),
            _single("convolution.in", "pw_exp.conv.", before, inner),
            _gain("norms.in", "pw_exp.bn.", inner),
            _single("convolution.out", "pw_proj.conv.", inner, after),
            _gain("norms.out", "pw_proj.bn.", after), _scale(after))


def _filters(kind: str, stage: int, before: str, inner: str) -> Iterator[Slot]:
    """The filters of single channels in a block, before it grows wide and after."""
    side = {"first": "k_small" if stage == 2 else "k_large", "large": "k_large",
            "small": "k_small"}.get(kind)
    if side:
        yield _each("filters.start", "dw_start.conv.", before, side)
        yield _gain("norms.start", "dw_start.bn.", before)
    if kind == "first":
        yield _each("filters.middle", "dw_mid.conv.", inner, "k_large")
        yield _gain("norms.middle", "dw_mid.bn.", inner)


def _scale(width: str) -> Slot:
    return slot("scale", "layer-scale", "layer_scale.gamma", {"d_model": width})


def _attention(stage: int) -> Iterator[Slot]:
    """Queries of several heads, one head of keys and values, which stage 3 takes of fewer places:
    a filter for each channel and a norm come before them."""
    width, head, queries = f"d_{stage}", f"d_head_{stage}", f"d_queries_{stage}"
    yield _gain("norms.attention", "norm.", width)
    yield _single("attention.queries", "attn.query.proj.", width, queries)
    for part in ("key", "value"):
        if stage == 3:
            yield _each(f"filters.{part}", f"attn.{part}.down_conv.", width, "k_small")
            yield _gain(f"norms.{part}", f"attn.{part}.norm.", width)
        yield _single(f"attention.{part}s", f"attn.{part}.proj.", width, head)
    yield _single("attention.output", "attn.output.proj.", queries, width)


def _fusion() -> Iterator[Slot]:
    """What the last two stages put out, side by side, becomes what comes out."""
    yield _single("convolution.in", "ffn.pw_exp.conv.", "d_both", "d_fusion")
    yield _gain("norms.in", "ffn.pw_exp.bn.", "d_fusion")
    yield _single("convolution.out", "ffn.pw_proj.conv.", "d_fusion", "d_out")
    yield _gain("norms.out", "ffn.pw_proj.bn.", "d_out")
    yield _gain("norms.fusion", "norm.", "d_out")


def _widths() -> Iterator[Equation]:
    """The widths inside blocks."""
    for stage, kinds in enumerate(STAGES, start=1):
        for kind in dict.fromkeys(kinds):
            before = WIDTHS[stage - 1] if kind == "first" else f"d_{stage}"
            if kind == "attention":
                yield _rule(f"d_queries_{stage}",
                            ex.Sym(f"n_heads_{stage}") * ex.Sym(f"d_head_{stage}"),
                            "every query head has as many numbers")
            else:
                factor = FIRST_FACTOR if stage == 1 else FACTORS[kind]
                yield _rule(f"d_{kind}_{stage}", ex.Num(factor) * ex.Sym(before),
                            "a block of this kind is that much wider inside")
    yield _rule("d_both", ex.Sym("d_3") + ex.Sym("d_4"), "both stages stand side by side")
    yield _rule("d_fusion", ex.Num(2) * ex.Sym("d_both"), "twice as wide inside")


def _rule(dim: str, expr: ex.Expr, reason: str) -> Equation:
    return Equation(dim, expr, reason, Standing.DEFINITION)


def _declared() -> Iterator[Dim]:
    """What the dims of this encoder are."""
    yield Dim("d_stem", r"d_{\text{stem}}", "channels before the first stage")
    yield Dim("d_out", r"d_{\text{out}}", "width of what comes out")
    yield Dim("k_small", r"k_{\text{small}}", "side of the smaller filters")
    yield Dim("k_large", r"k_{\text{large}}", "side of the larger filters")
    yield Dim("d_both", r"d_{\text{both}}", "channels of the last two stages")
    yield Dim("d_fusion", r"d_{\text{fusion}}", "width inside what joins them")
    for stage, kinds in enumerate(STAGES, start=1):
        yield Dim(f"d_{stage}", f"d_{{{stage}}}", f"channels of stage {stage}")
        yield Dim(f"L_{stage}", f"L_{{{stage}}}", f"blocks of stage {stage}")
        for kind in dict.fromkeys(kinds):
            if kind == "attention":
                yield Dim(f"n_heads_{stage}", rf"n_{{\text{{heads}},{stage}}}",
                          f"query heads in stage {stage}")
                yield Dim(f"d_head_{stage}", rf"d_{{\text{{head}},{stage}}}",
                          f"width of a head in stage {stage}")
                yield Dim(f"d_queries_{stage}", rf"d_{{\text{{queries}},{stage}}}",
                          f"width of all query heads in stage {stage}")
            else:
                yield Dim(f"d_{kind}_{stage}", rf"d_{{\text{{{kind}}},{stage}}}",
                          f"width inside the blocks of kind {kind} of stage {stage}")
