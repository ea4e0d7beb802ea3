"""What stands between a tower and a language model: matrices that lead from one width to another.

A projector is one stack over dims of the whole: ``d_model`` is the language model's,
``d_model_vision`` the tower's. Several vectors that go in side by side have a width of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TypeAlias

from symparam import expression as ex
from symparam.components.learned_vectors import N_QUESTIONS
from symparam.components.patches import D_PATCH, N_CHANNELS
from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import linear
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import Entry, Layout, entry
from symparam.model import Model
from symparam.stack import Slot, Stack

#: The part that a projector is.
PROJECTOR = "projector"
D_FEATURES = Dim("d_features", r"d_{\text{features}}", "width of what several layers of a tower "
                 "put out, side by side")
N_FEATURES = Dim("n_features", r"n_{\text{features}}", "layers of a tower that are looked at")
D_PROJECTION = Dim("d_projection", r"d_{\text{proj}}", "width that a projector puts out")
D_FRAME = Dim("d_frame", r"d_{\text{frame}}", "numbers of a frame of the sound", (
    "audio_embed_dim",))
D_ALIGNMENT = Dim("d_alignment", r"d_{\text{align}}", "width inside the projector")


@dataclass(frozen=True, kw_only=True)
class Projector:
    """What stands between a tower and the language model.

    Attributes:
        slots: its matrices and norms.
        values: numbers of dims that it alone has.
        equations: their rules.
        declared: their declarations.
        names: tensors that are named otherwise than by default.
    """

    slots: tuple[Slot, ...]
    values: dict[str, int] = field(default_factory=dict)
    equations: tuple[Equation, ...] = ()
    declared: tuple[Dim, ...] = ()
    names: tuple[Entry, ...] = ()

    def model(self, prefix: str, name: str = PROJECTOR) -> Model:
        """The projector as a part of the whole, its names under a prefix, its stack with a name."""
        stack = Stack(name, self.slots, prefix=prefix, part=PROJECTOR)
        return Model(name, (stack,), self.values, self.equations,
                     layout=Layout(entries=self.names), declared=self.declared)


#: From the configuration of the whole and the width of its tower to what stands between.
Making: TypeAlias = Callable[[Config, str], Projector]


def relation(dim: str, expr: ex.Expr, reason: str, standing: Standing) -> Equation:
    return Equation(dim, expr, reason, standing)


def norm(kind: str, prefix: str, width: str) -> Slot:
    return slot("norm", kind, prefix, {"d_model": width})


def features(config: Config, width: str, default: Iterable[int] | int) -> tuple[str, Projector]:
    """The width of what the projector is given: of one layer, or of several side by side."""
    found = config.raw("vision_feature_layer", default)
    if isinstance(found, list):
        number = len(found)
    elif type(found) is int:
        return width, Projector(slots=())
    else:
        raise config.error("vision_feature_layer", "expected the number of a layer, or a list")
    if not number:
        raise config.error("vision_feature_layer", "expected at least one layer")
    rule = relation("d_features", ex.Sym("n_features") * ex.Sym(width),
                    "what several layers put out stands side by side", Standing.DEFINITION)
    return "d_features", Projector(slots=(), values={"n_features": number}, equations=(rule,),
                                   declared=(N_FEATURES, D_FEATURES))


def two_layers(default: int = -2, *, normed: bool = False, listed: Iterable[int] = (),
               ) -> Making:
    """Two matrices with biases, as LLaVA-1.5 has them (arXiv:2310.03744, section 3.3).

    Args:
        default: the layer of the tower that is looked at where nothing says so.
        normed: whether a norm stands before them (ViP-LLaVA).
        listed: the layers, where several are looked at.
    """
    def make(config: Config, width: str) -> Projector:
        before, made = features(config, width, list(listed) or default)
        bias = normed or config.flag("multimodal_projector_bias", True)
        first = (norm("layernorm", "projector_layernorm.", before),) if normed else ()
        slots = (*first, linear("up", "linear_1.", before, "d_model", bias=bias),
                 linear("down", "linear_2.", "d_model", "d_model", bias=bias))
        return Projector(slots=slots, values=made.values, equations=made.equations,
                         declared=made.declared)

    return make


def one_layer(config: Config, width: str) -> Projector:
    """One matrix with a bias, to a width that is said (PaliGemma, arXiv:2407.07726, section 3)."""
    number = config.count_of("projection_dim", default=2048)
    rule = relation("d_projection", ex.Sym("d_model"),
                    "a projector leads to the width of the model", Standing.CANDIDATE)
    return Projector(slots=(linear("linear", "linear.", width, "d_projection", bias=True),),
                     values={"d_projection": number}, equations=(rule,),
                     declared=(D_PROJECTION,))


def pooled(config: Config, width: str) -> Projector:
    """A norm of the patches' means, and one matrix, stored the other way (Gemma 3)."""
    tensor = ".mm_input_projection_weight"
    return Projector(
        slots=(norm("rmsnorm", "mm_soft_emb_norm.", width),
               linear("linear", "", width, "d_model")),
        names=(entry("projector.linear", "W", tensor, transposed=True),))


def one_matrix(config: Config, width: str) -> Projector:
    """One matrix with a bias (Qwen2-Audio, arXiv:2407.10759, section 2)."""
    return Projector(slots=(linear("linear", "linear.", width, "d_model", bias=True),))


def two_matrices(config: Config, width: str) -> Projector:
    """Two matrices, with biases unless there is a key that says no (Audio Flamingo 3)."""
    bias = config.flag("projector_bias", True)
    return Projector(slots=(linear("up", "linear_1.", width, "d_model", bias=bias),
                            linear("down", "linear_2.", "d_model", "d_model", bias=bias)))


def side_by_side(config: Config, width: str) -> Projector:
    """Two matrices without biases, from as many vectors side by side as the tower's network is wide
    (Voxtral, arXiv:2507.13264, section 2)."""
    inner = width.replace("d_model", "d_ff")
    return Projector(slots=(linear("up", "linear_1.", inner, "d_model"),
                            linear("down", "linear_2.", "d_model", "d_model")))


def doubled(config: Config, width: str) -> Projector:
    """The same with biases, twice as wide as the model in between (GLM-ASR)."""
    inner = width.replace("d_model", "d_ff")
    rule = relation("d_doubled", ex.Sym("d_model") * 2, "twice the width of the model",
                    Standing.DEFINITION)
    return Projector(slots=(linear("up", "linear_1.", inner, "d_doubled", bias=True),
                            linear("down", "linear_2.", "d_doubled", "d_model", bias=True)),
                     equations=(rule,), declared=(
                         Dim("d_doubled", r"d_{\text{doubled}}", "width inside the projector"),))


def from_all(config: Config, width: str) -> Projector:
    """One matrix with a bias, from what several layers of the tower put out (Llama 3.2)."""
    return Projector(slots=(linear("linear", "", "d_out_vision", "d_model", bias=True),))


def plain(config: Config, width: str) -> Projector:
    """One matrix without a bias, from what the tower's adapter puts out (Llama 4)."""
    return Projector(slots=(linear("linear", "linear_1.", "d_out_vision", "d_model"),))


def width_of(dim: str) -> Making:
    """One matrix from a width of the tower, after a norm without weights (Gemma 4)."""
    def make(config: Config, width: str) -> Projector:
        return Projector(slots=(linear("linear", "embedding_projection.", dim, "d_model"),))

    return make


def with_tokens(part: str, dim: str) -> Making:
    """Rows for tokens of the part's own, a norm for them and one for what the tower puts out, and
    one matrix from either (Gemma 3n).

    Args:
        part: the part.
        dim: the width of what its tower puts out.
    """
    def make(config: Config, width: str) -> Projector:
        key, own, rows = f"{part}_config", f"{dim}_{part}", f"V_{part}"
        inside = config if config.raw(key, None) is None else config.part(key, f"gemma3n_{part}")
        number = 128 if inside is config else inside.count_of("vocab_size", default=128)
        return Projector(
            slots=(slot("token", "token", "embedding.", {"V": rows, "d_model": own}),
                   slot("norms.token", "rmsnorm", "hard_embedding_norm.", {"d_model": own}),
                   slot("norms.tower", "rmsnorm", "soft_embedding_norm.", {"d_model": own}),
                   linear("linear", "embedding_projection.", own, "d_model")),
            values={rows: number}, declared=(
                Dim(rows, rf"V_{{\text{{{part}}}}}", f"tokens of their own ({part})"),))

    return make


def heard(config: Config, width: str) -> Projector:
    """One matrix from a frame of the sound as it is (Gemma 4 Unified)."""
    inside = config.part("audio_config", "gemma4_unified_audio")
    number = inside.count_of("audio_embed_dim", "audio_samples_per_token", "hidden_size",
                             "output_proj_dims", default=640)
    inside.close()
    return Projector(slots=(linear("linear", "embedding_projection.", "d_frame", "d_model"),),
                     values={"d_frame": number}, declared=(D_FRAME,))


def halved(config: Config, width: str) -> Projector:
    """Two convolutions, each of which halves both sides, and a matrix (GOT-OCR 2.0)."""
    rule = relation("d_doubled", ex.Num(2) * ex.Sym("d_out_vision"),
                    "twice the channels of the neck", Standing.DEFINITION)
    first = {"d_embed": "d_out_vision", "d_model": "d_doubled", "k_conv": "k_conv_vision"}
    second = {"d_embed": "d_doubled", "k_conv": "k_conv_vision"}
    return Projector(
        slots=(slot("convolution.first", "plane", "conv_upsampler1.", first),
               slot("convolution.second", "plane", "conv_upsampler2.", second),
               linear("linear", "multimodal_projector.", "d_model", "d_model", bias=True)),
        equations=(rule,), declared=(Dim("d_doubled", r"d_{\text{doubled}}",
                                         "channels between the convolutions"),))


def last_channels(config: Config, width: str) -> Projector:
    """One matrix from what the tower's convolutions put out, perhaps with a bias (Step 3.7)."""
    bias = config.flag("projector_bias", False)
    return Projector(slots=(linear("linear", "", width.replace("d_model", "d_quarter"), "d_model",
                                   bias=bias),))


def pixels(config: Config, width: str) -> Projector:
    """One matrix with a bias from the pixels of a patch as they are (Fuyu)."""
    values = config.dims({"d_patch": ("patch_size", 30), "n_channels": ("num_channels", 3)})
    return Projector(slots=(slot("patches", "patches", "", flat=True, bias=True),), values=values,
                     declared=(D_PATCH, N_CHANNELS))


def questioned(config: Config, width: str) -> Projector:
    """Learned questions for the Q-Former beside it, and one matrix from what that puts out, with a
    bias (BLIP-2, arXiv:2301.12597, section 3.1)."""
    inner = "d_model_qformer"
    return Projector(
        slots=(slot("query", "questions", "query_tokens", {"d_model": inner}, kind="vector"),
               linear("linear", "language_projection.", inner, "d_model", bias=True)),
        values={"n_questions": config.count_of("num_query_tokens", default=32)},
        declared=(N_QUESTIONS,))
