"""Projectors in which patches that stand beside each other become one before a matrix."""

from __future__ import annotations

from symparam import expression as ex
from symparam.constraints import Standing
from symparam.descriptions.assembling.pictures import D_MERGED, N_MERGE, linear
from symparam.descriptions.assembling.projectors import (
    D_ALIGNMENT,
    Projector,
    features,
    norm,
    relation,
)
from symparam.descriptions.config import Config
from symparam.dims import Dim


def _merged(number: int, width: str) -> Projector:
    """Patches that become one: numbers, rule and declarations."""
    rule = relation("d_merged", ex.Sym("n_merge") ** 2 * ex.Sym(width),
                    "patches that become one stand side by side", Standing.DEFINITION)
    return Projector(slots=(), values={"n_merge": number}, equations=(rule,),
                     declared=(N_MERGE, D_MERGED))


def merged_linear(config: Config, width: str) -> Projector:
    """One matrix, from patches that become one (Idefics 3, arXiv:2408.12637, section 2)."""
    made = _merged(config.count_of("scale_factor", default=2), width)
    return Projector(slots=(linear("linear", "modality_projection.proj.", "d_merged", "d_model"),),
                     values=made.values, equations=made.equations, declared=made.declared)


def merged_two_layers(config: Config, width: str) -> Projector:
    """A norm and two matrices over patches that become one (InternVL)."""
    ratio = config.raw("downsample_ratio", 0.5)
    if not isinstance(ratio, float) or not 0 < ratio <= 1:
        raise config.error("downsample_ratio", "expected a number above 0, at most 1")
    made = _merged(int(1 / ratio), width)
    slots = (norm("layernorm", "layer_norm.", "d_merged"),
             linear("up", "linear_1.", "d_merged", "d_model", bias=True),
             linear("down", "linear_2.", "d_model", "d_model", bias=True))
    return Projector(slots=slots, values=made.values, equations=made.equations,
                     declared=made.declared)


def merged_gated(config: Config, width: str) -> Projector:
    """A norm and a gated network over patches that become one (Aya Vision): half of what the first
    matrix puts out is the gate."""
    made = _merged(config.count_of("downsample_factor", default=2), width)
    own = config.optional_count("alignment_intermediate_size")
    halves = ex.Sym("d_alignment") * 2
    values = {} if own is None else {"d_alignment": own // 2}
    if own is not None and own % 2:
        raise config.error("alignment_intermediate_size", f"{own} cannot be halved")
    doubled = (relation("d_alignment", ex.Sym("d_model") / 2, "half of the width of the model",
                        Standing.DEFAULT),
               relation("d_gated", halves, "the gate stands beside what it gates",
                        Standing.DEFINITION))
    slots = (norm("layernorm", "layernorm.", "d_merged"),
             linear("up", "linear_1.", "d_merged", "d_gated", bias=True),
             linear("down", "linear_2.", "d_alignment", "d_model", bias=True))
    return Projector(slots=slots, values=made.values | values,
                     equations=(*made.equations, *doubled),
                     declared=(*made.declared, D_ALIGNMENT,
                               Dim("d_gated", r"d_{\text{gated}}", "twice that: with the gate")))


def merged_first(config: Config, width: str) -> Projector:
    """A norm, a matrix from patches that become one to the width of one, and two matrices
    (Mistral Small 3.1)."""
    made = _merged(config.count_of("spatial_merge_size", default=2), width)
    before, more = features(config, width, -1)
    bias = config.flag("multimodal_projector_bias", False)
    slots = (norm("rmsnorm", "norm.", width),
             linear("merger", "patch_merger.merging_layer.", "d_merged", width),
             linear("up", "linear_1.", before, "d_model", bias=bias),
             linear("down", "linear_2.", "d_model", "d_model", bias=bias))
    return Projector(slots=slots, values=made.values | more.values,
                     equations=(*made.equations, *more.equations),
                     declared=(*made.declared, *more.declared))


def merged_named(config: Config, width: str) -> Projector:
    """A norm of a width that is said, and two matrices over patches that become one (Kimi K2.5)."""
    number = config.count_of("projection_hidden_size", default=1152)
    merge = width.replace("d_model", "n_merge")
    rule = relation("d_merged", ex.Sym(merge) ** 2 * ex.Sym(width),
                    "patches that become one stand side by side", Standing.DEFINITION)
    same = relation("d_projection", ex.Sym(width), "a projector norms what the tower puts out",
                    Standing.CANDIDATE)
    slots = (norm("layernorm", "pre_norm.", "d_projection"),
             linear("up", "in_proj.", "d_merged", "d_merged", bias=True),
             linear("down", "out_proj.", "d_merged", "d_model", bias=True))
    return Projector(slots=slots, values={"d_projection": number}, equations=(rule, same),
                     declared=(D_MERGED, Dim("d_projection", r"d_{\text{proj}}",
                                             "width of the norm before the projector")))


def merged_last(config: Config, width: str) -> Projector:
    """Two matrices for each patch, and two for those that become one (MiniMax M3)."""
    number = config.count_of("projector_hidden_size", default=6144)
    config.only("multimodal_projector_bias", True)
    merge = ex.Sym(width.replace("d_model", "n_merge"))
    rule = relation("d_merged", merge ** 2 * ex.Sym("d_model"),
                    "patches that become one stand side by side", Standing.DEFINITION)
    slots = (linear("up", "linear_1.", width, "d_projection", bias=True),
             linear("down", "linear_2.", "d_projection", "d_model", bias=True),
             linear("merged.up", "merge_linear_1.", "d_merged", "d_projection", bias=True),
             linear("merged.down", "merge_linear_2.", "d_projection", "d_model", bias=True))
    return Projector(slots=slots, values={"d_projection": number}, equations=(rule,),
                     declared=(D_MERGED, Dim("d_projection", r"d_{\text{proj}}",
                                             "width inside the projector")))
