"""Nemotron 3 Diarization and the encoders of Nemotron 3.5 Transcribe: frames side by side through
a matrix, then layers with positions that are turned; and who speaks when.

Source: transformers, models/nemotron3_diarization, models/nemotron3_5_transcribe.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.joined import Part, joined
from symparam.descriptions.assembling.pictures import linear, picture_encoder
from symparam.descriptions.assembling.sound_projectors import D_STACKED, N_STACKED
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.descriptions.families.whisper import KERNEL
from symparam.dims import Dim
from symparam.layout import Layout, entries, entry
from symparam.model import Model
from symparam.stack import Stack

TIMES, HEARD = "nemotron3_5_transcribe_word_timestamp", "nemotron3_5_transcribe_asr_audio"
SPEAKING, SPEAKERS = "nemotron3_diarization_audio", "nemotron3_diarization"
BOTH = "nemotron3_5_transcribe_audio"
MODEL_TYPES = (HEARD, TIMES, SPEAKING, SPEAKERS, BOTH)
CLASSES = {HEARD: "Nemotron3_5TranscribeAsrAudioModel",
           TIMES: "Nemotron3_5TranscribeWordTimestampModel",
           SPEAKING: "Nemotron3DiarizationAudioModel", BOTH: "Nemotron3_5TranscribeAudioModel"}
DIMS = {"d_model": "hidden_size", "d_ff": "intermediate_size", "L": "num_hidden_layers",
        "n_heads": "num_attention_heads"}
DEFAULTS = {HEARD: (1280, 5120, 32, 10), TIMES: (1280, 640, 2, 16), SPEAKING: (512, 2048, 31, 8)}
HARMLESS = frozenset("""
    blank_token_id chunk_left_context chunk_length chunk_right_context fifo_length
    max_position_embeddings partial_rotary_factor residual_scale speaker_activity_threshold
    speaker_cache_update_period streaming_config
""".split())
D_SPEAKER = Dim("d_speaker", r"d_{\text{speaker}}", "width of what tells speakers apart")
D_UPSAMPLED = Dim("d_upsampled", r"d_{\text{upsampled}}", "channels of so many frames of it")
N_SPEAKERS = Dim("n_speakers", r"n_{\text{speakers}}", "speakers that are told apart", (
    "num_speakers",))
NAMES = entries("*.ffn", up="fc1", down="fc2")
NORM_NAMES = tuple(entry("*.qk_norm", f"{kind}_{letter.upper()}", f".{letter}_norm.{word}")
                   for letter in "qk" for kind, word in (("g", "weight"), ("s", "bias")))


def build(config: Config, name: str) -> Model:
    """One of the encoders, or what several of them make."""
    kind = config.model_type
    if kind == SPEAKERS:
        task = config.task({"Nemotron3DiarizationModel": "base",
                            "Nemotron3DiarizationForAudioFrameClassification": "classifier"},
                           "classifier")
        return _speakers(config, name, task)
    config.task({CLASSES[kind]: "base"}, "base")
    return _both(config, name) if kind == BOTH else _encoder(config, name)


def _encoder(config: Config, name: str) -> Model:
    """An encoder: of frames side by side, or of what another one put out, with more frames."""
    kind = config.model_type
    values = config.dims({dim: (key, default) for (dim, key), default in zip(
        DIMS.items(), DEFAULTS[kind], strict=True)})
    heads, width = values["n_heads"], values["d_model"]
    config.only("num_key_value_heads", heads, None)
    config.only("head_dim", width // heads)
    rule = Equation("d_stacked", ex.Sym("n_stacked") * ex.Sym("n_mels"),
                    "frames that become one stand side by side", Standing.DEFINITION)
    if kind == TIMES:
        values |= config.dims({"V": ("vocab_size", 23863), "k_conv": ("upsampling_factor", 2)})
        first = slot("convolution", "line", "upsampler.", {"d_embed": "d_model"}, bias=True)
    else:
        values |= config.dims({"n_mels": ("num_mel_bins", 128),
                               "n_stacked": ("subsampling_factor", 8)})
        first = linear("frames", "embedder.projection.", "d_stacked", "d_model")
    config.close(HARMLESS)
    normed = kind != SPEAKING
    return picture_encoder(
        config, name, values, _layer(normed), "layers.*.", embeddings="", before=(first,),
        norm_before=(slot("norm", "layernorm", "input_layer_norm."),),
        after=(slot("norm", "layernorm", "layer_norm."),),
        names=(*NAMES, *(NORM_NAMES if normed else ())), unset=UNSET,
        equations=() if kind == TIMES else (rule,),
        declared=() if kind == TIMES else (N_STACKED, D_STACKED))


def _layer(normed: bool) -> Block:
    """A norm before each part; one of each head's queries and keys, or none."""
    norm = (slot("qk_norm", "shared", "self_attn.", kind="qk-norm", shift=True),)
    return (slot("attention", "mha", "self_attn.", bias=["attn-out"]),
            slot("ffn", "mlp", "mlp.", bias=True),
            slot("norms.attention", "layernorm", "layer_norm1."),
            slot("norms.ffn", "layernorm", "layer_norm2."), *(norm if normed else ()))


def _inside(config: Config, key: str, model_type: str) -> Config:
    """A configuration inside this one; an empty one where it is missing."""
    data: Any = config.raw(key, None)
    if data is not None and not isinstance(data, dict):
        raise config.error(key, "expected a table")
    if (data or {}).get("model_type", model_type) not in (model_type, ""):
        raise config.error(f"{key}.model_type", f"expected {model_type}")
    found = Config(config.where, {**(data or {}), "model_type": model_type}, "base", False,
                   config.below(key))
    found.tell(config)
    found.raw("architectures", None)
    return found


def _speakers(config: Config, name: str, task: str) -> Model:
    """Who speaks when: an encoder, more frames of what it put out, and scores of each speaker."""
    own = _encoder(_inside(config, "audio_config", SPEAKING), name)
    head = _inside(config, "head_config", SPEAKERS)
    values = head.dims({"d_speaker": ("hidden_size", 192), "n_speakers": ("num_speakers", 8)})
    for key, dim in (("audio_hidden_size", "d_model"), ("subsampling_factor", "n_stacked")):
        wanted, default = own.values[dim], {"d_model": 512, "n_stacked": 8}[dim]
        if head.count_of(key, default=default) != wanted:
            raise head.error(key, f"expected {wanted}, as audio_config has it")
    head.close()
    config.close(HARMLESS)
    top = "" if task == "base" else "model."
    model = _under(own, f"{top}audio_tower.")
    more = [Stack("speakers", tuple(_more_frames()), prefix=top, causal=False)]
    if task == "classifier":
        more.append(Stack("head", (
            linear("dense", "classifier.dense.", "d_speaker", "d_speaker", bias=True),
            linear("scores", "classifier.out_proj.", "d_speaker", "n_speakers", bias=True),
            slot("silence", "vector", "silence_embeds", kind="vector")), causal=False))
    rule = Equation("d_upsampled", ex.Sym("n_stacked") * ex.Sym("d_speaker"),
                    "as many frames as there were", Standing.DEFINITION)
    return replace(model, stacks=(*model.stacks, *more),
                   values={**model.values, **values, "k_conv": KERNEL},
                   equations=(*model.equations, rule),
                   declared=(*model.declared, D_SPEAKER, D_UPSAMPLED, N_SPEAKERS),
                   part="encoder" if task == "base" else "encoder with scores of speakers")


def _more_frames() -> Iterable[Any]:
    """To the width of a speaker, and to so many frames of it."""
    yield linear("width", "proj.", "d_model", "d_speaker", bias=True)
    yield slot("convolution", "line", "upsampler.conv.", {
        "d_embed": "d_speaker", "d_model": "d_upsampled"}, bias=True)


def _both(config: Config, name: str) -> Model:
    """What is said and who speaks, with a norm of either."""
    own = _under(_encoder(_inside(config, "asr_config", HEARD), name), "asr_encoder.")
    keys, inside = dict(config.keys), _inside(config, "diarization_config", SPEAKERS)
    inside.keys = {}
    speakers = _speakers(inside, name, "classifier")
    config.close(HARMLESS)
    part = Part(model=speakers, name="speakers", top="diarization_model.", keys=inside.keys)
    config.keys.update(keys | {part.named(dim): key for dim, key in inside.keys.items()})
    norms = Stack("norms", (slot("norms.heard", "layernorm", "asr_norm."),
                            slot("norms.speakers", "layernorm", "speaker_norm.",
                                 {"d_model": part.named("n_speakers")})), part="norms")
    made = joined(own, [part], [Model("norms", (norms,))])
    return replace(made, part="encoder")


def _under(model: Model, top: str) -> Model:
    """A model whose tensor names begin with something more."""
    return replace(model, stacks=tuple(replace(s, prefix=top + s.prefix) for s in model.stacks),
                   layout=Layout(model.layout.name, model.layout.entries))
