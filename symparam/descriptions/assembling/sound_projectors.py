"""What stands between an encoder of sound and a language model, where it is more than two matrices.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components.learned_vectors import N_QUESTIONS
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import linear
from symparam.descriptions.assembling.projectors import Projector
from symparam.descriptions.config import Config
from symparam.dims import Dim

N_STACKED = Dim("n_stacked", r"n_{\text{stacked}}", "frames of sound that become one", (
    "audio_merge_size", "downsample_factor", "subsampling_factor"))
D_STACKED = Dim("d_stacked", r"d_{\text{stacked}}", "width of the frames that become one")


def asked(config: Config, width: str) -> Projector:
    """Learned questions for the Q-Former beside it, and one matrix from what that puts out, with a
    bias; a window of sound has a question for each so many frames (Granite Speech)."""
    window = config.count_of("window_size", default=15)
    step = config.count_of("downsample_rate", default=5)
    if window < step:
        raise config.error("window_size", f"{window} frames have no question where {step} have one")
    inner = "d_model_qformer"
    return Projector(slots=(slot("query", "questions", "query", {"d_model": inner}, kind="vector"),
                            linear("linear", "linear.", inner, "d_model", bias=True)),
                     values={"n_questions": window // step}, declared=(N_QUESTIONS,))


def _stacked(number: int, width: str, *, bias: bool, normed: bool) -> Projector:
    """Two matrices from frames that stand side by side, and perhaps a norm."""
    rule = Equation("d_stacked", ex.Sym("n_stacked") * ex.Sym(width),
                    "frames that become one stand side by side", Standing.DEFINITION)
    norm = (slot("norm", "layernorm", "norm."),) if normed else ()
    return Projector(slots=(linear("up", "linear_1.", "d_stacked", "d_model", bias=bias),
                            linear("down", "linear_2.", "d_model", "d_model", bias=bias), *norm),
                     values={"n_stacked": number}, equations=(rule,),
                     declared=(N_STACKED, D_STACKED))


def stacked(config: Config, width: str) -> Projector:
    """Two matrices without biases, from frames that become one (Voxtral Realtime)."""
    return _stacked(config.count_of("downsample_factor", default=4), width, bias=False,
                    normed=False)


def stacked_normed(config: Config, width: str) -> Projector:
    """The same with a norm behind it, and biases unless a key says no (MOSS-Transcribe)."""
    return _stacked(config.count_of("audio_merge_size", default=4), width,
                    bias=config.flag("projector_bias", True), normed=True)


def to_output(config: Config, width: str) -> Projector:
    """A square matrix and one to the width that the tower's configuration says, with biases
    (Qwen3-ASR)."""
    out = "d_out_audio"
    return Projector(slots=(linear("up", "linear_1.", width, width, bias=True),
                            linear("down", "linear_2.", width, out, bias=True)))


def of_both(config: Config, width: str) -> Projector:
    """Two matrices with a norm between them for each of two tokenizers (VibeVoice-ASR)."""
    slots = [each for part in ("acoustic", "semantic") for each in (
        linear(f"{part}.up", f"{part}_linear_1.", f"d_out_{part}", "d_model", bias=True),
        slot(f"norms.{part}", "rmsnorm", f"{part}_norm."),
        linear(f"{part}.down", f"{part}_linear_2.", "d_model", "d_model", bias=True))]
    return Projector(slots=tuple(slots))


def led(config: Config, width: str) -> Projector:
    """One matrix with a bias, without a name of its own (Nemotron 3.5 Transcribe)."""
    return Projector(slots=(linear("linear", "", width, "d_model", bias=True),))


def times(config: Config, width: str) -> Projector:
    """Scores of the pieces of words, in front of which each is told when it was said."""
    bound = {"d_embed": width, "d_model": width.replace("d_model", "V")}
    return Projector(slots=(slot("convolution", "line", "", bound, single=True, bias=True),))
