"""Which towers and projectors composites have beside what reads text."""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.assembling.likeness import compared, scaled
from symparam.descriptions.assembling.merging import (
    merged_first,
    merged_gated,
    merged_last,
    merged_linear,
    merged_named,
    merged_two_layers,
)
from symparam.descriptions.assembling.projectors import (
    PROJECTOR,
    Making,
    doubled,
    from_all,
    halved,
    heard,
    last_channels,
    one_layer,
    one_matrix,
    pixels,
    plain,
    pooled,
    questioned,
    side_by_side,
    two_layers,
    two_matrices,
    width_of,
    with_tokens,
)
from symparam.descriptions.assembling.sound_projectors import (
    asked,
    led,
    of_both,
    stacked,
    stacked_normed,
    times,
    to_output,
)
from symparam.descriptions.assembling.towered import Whole, towered
from symparam.descriptions.config import Config
from symparam.descriptions.seeing import sizes, tiles
from symparam.descriptions.seeing.rules import CLASS, SET, only
from symparam.descriptions.seeing.towers import (
    APART,
    CLIPS,
    CROSSED,
    OPEN,
    SEEING,
    SIGLIPS,
    of_llava,
)
from symparam.model import Model

CLIP = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
        "num_attention_heads": 16, "patch_size": 14, "image_size": 336}
SIGLIP = {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 26,
          "num_attention_heads": 16, "patch_size": 14, "image_size": 384,
          "vision_use_head": False}
VISUAL = (("visual.", "vision"),)
MODEL = (("vision_model.", "vision"),)


def _audio(tower: str, projector: Making) -> Whole:
    """A composite that hears."""
    return Whole(tower=tower, fixed=True, places=(("audio_tower.", "audio"),),
                 projector=projector, part="audio")


TIMES = Whole(tower="nemotron3_5_transcribe_word_timestamp", fixed=True, part="timestamps",
              key="word_timestamp_config", places=(("word_timestamp_encoder.", "timestamps"),),
              projector=times, between="word_timestamp_head.", headed=True)


def _tokenizer(part: str, projector: Making | None = None, *beside: Whole) -> Whole:
    """One of two tokenizers that hear other things."""
    stem = f"{part}_tokenizer_encoder"
    return Whole(tower="vibevoice_acoustic_tokenizer_encoder", fixed=True, key=f"{stem}_config",
                 missing={"hidden_size": 128} if part == "semantic" else {}, part=part,
                 places=((f"{stem}.", part),), projector=projector, beside=beside)


def _granite(tower: str) -> Whole:
    """A Conformer, and a Q-Former that asks it."""
    questions = Whole(tower="blip_2_qformer", key="projector_config", part=PROJECTOR, fixed=True,
                      word="qformer", places=(("projector.qformer.", "qformer"),))
    return Whole(tower=tower, fixed=True, key="encoder_config", part="audio",
                 places=(("encoder.", "audio"),), projector=asked, between="projector.",
                 beside=(questions,))


QUESTIONS = Whole(tower="blip_2_qformer", key="qformer_config", part=PROJECTOR, fixed=True,
                  word="qformer", places=(("qformer.", "qformer"),),
                  follows={"encoder_hidden_size": "d_model"})


def _qwen(tower: str, called: str, most: int, least: int = 3136, said: str = SET) -> Whole:
    """A tower of Qwen's, with the pixels that a picture has and who says so."""
    return Whole(tower=tower, fixed=True, called=called, places=VISUAL,
                 picture=sizes.of_area(least, most, said))


WHOLES = {
    "audioflamingo3": _audio("audioflamingo3_encoder", two_matrices),
    "aya_vision": Whole(tower="siglip_vision_model", projector=merged_gated,
                        missing=SIGLIP | {"num_attention_heads": 14},
                        picture=only(SIGLIPS, tiles.marked)),
    "blip-2": Whole(tower="blip_2_vision_model", fixed=True, places=MODEL, at_top=True,
                    projector=questioned, between="", beside=(QUESTIONS,), picture=sizes.asked),
    "clip": Whole(tower="clip_vision_model", fixed=True, places=MODEL, projector=compared,
                  between="", picture=APART),
    "dots3_note": Whole(
        tower="dots3_note_vision_encoder", fixed=True, picture=OPEN, beside=(Whole(
            tower="dots3_note_audio_encoder", fixed=True, part="audio",
            places=(("audio_tower.", "audio"),)),)),
    "exaone4_5": _qwen("exaone4_5_vision", "exaone4_5", 1003520, said=CLASS),
    "fuyu": Whole(tower="", projector=pixels, between="vision_embed_tokens.",
                  picture=sizes.by_lines),
    "gemma3": Whole(tower="siglip_vision_model", projector=pooled,
                    picture=only(SIGLIPS, sizes.averaged)),
    "gemma3n": Whole(
        tower="gemma3n_vision", fixed=True, places=(("vision_tower.timm_model.", "vision"),),
        projector=with_tokens("vision", "d_out"), between="embed_vision.", picture=sizes.told,
        beside=(Whole(
            tower="gemma3n_audio", fixed=True, part="audio", places=(("audio_tower.", "audio"),),
            projector=with_tokens("audio", "d_model"), between="embed_audio."),)),
    "gemma4": Whole(
        tower="gemma4_vision", fixed=True, optional=True, projector=width_of("d_model_vision"),
        between="embed_vision.", beside=(Whole(
            tower="gemma4_audio", fixed=True, optional=True, part="audio",
            places=(("audio_tower.", "audio"),), projector=width_of("d_out_audio"),
            between="embed_audio."),), picture=sizes.filled),
    "gemma4_unified": Whole(
        tower="gemma4_unified_vision", fixed=True, optional=True,
        places=(("embed_vision.", "vision"),), projector=width_of("d_out_vision"),
        between="embed_vision.multimodal_embedder.", beside=(Whole(
            tower="", optional=True, part="audio", projector=heard, between="embed_audio."),),
        picture=sizes.filled),
    "glmasr": _audio("glmasr_encoder", doubled),
    "got_ocr2": Whole(tower="got_ocr2_vision", fixed=True, projector=halved,
                      picture=sizes.halved_twice),
    "granite_speech": _granite("granite_speech_encoder"),
    "granite_speech_plus": _granite("granite_speech_plus_encoder"),
    "idefics3": Whole(tower="idefics3_vision", fixed=True, places=MODEL,
                      projector=merged_linear, between="connector.", picture=tiles.split),
    "inkling2": Whole(tower="inkling2_vision", fixed=True, picture=OPEN),
    "inkling_mm_model": Whole(
        tower="inkling_vision", fixed=True, text={"text_hidden_size": "d_model"}, picture=OPEN,
        beside=(Whole(
            tower="inkling_audio", fixed=True, text={"text_hidden_size": "d_model"}, part="audio",
            places=(("audio_tower.", "audio"),)),)),
    "internvl": Whole(tower="internvl_vision", fixed=True, projector=merged_two_layers,
                      picture=tiles.by_shape),
    "kimi_k25": Whole(tower="kimi_k25_vision", fixed=True, projector=merged_named,
                      between="mm_projector.", picture=sizes.of_patches),
    "llama4": Whole(tower="llama4_vision_model", fixed=True, places=MODEL,
                    projector=plain, at_top=True, picture=tiles.undistorted),
    "llava": Whole(tower="clip_vision_model", missing=CLIP, projector=two_layers(),
                   picture=of_llava),
    "llava_next": Whole(tower="clip_vision_model", missing=CLIP, projector=two_layers(),
                        newline=True, picture=only(CLIPS, tiles.unpadded)),
    "llava_next_video": Whole(tower="clip_vision_model", missing=CLIP, projector=two_layers(),
                              newline=True, picture=only(CLIPS, tiles.unpadded)),
    "llava_onevision": Whole(tower="siglip_vision_model", missing=SIGLIP,
                             projector=two_layers(-1), newline=True,
                             picture=only(SIGLIPS, tiles.kept_small)),
    "minimax_m3_vl": Whole(tower="minimax_m3_vl_vision", fixed=True, called="clip_vision_model",
                           projector=merged_last, picture=sizes.of_area(3136, 451584, CLASS)),
    "mistral3": Whole(tower="pixtral", projector=merged_first,
                      missing={**CLIP, "image_size": 1540},
                      picture=only(("pixtral",), sizes.by_rows)),
    "mllama": Whole(tower="mllama_vision_model", fixed=True, places=MODEL, projector=from_all,
                    picture=CROSSED),
    "moss_transcribe_diarize": _audio("moss_transcribe_diarize_audio", stacked_normed),
    "musicflamingo": _audio("audioflamingo3_encoder", two_matrices),
    "nemo_speechlm": replace(_audio("nemotron3_5_transcribe_audio", led), beside=(TIMES,)),
    "paligemma": Whole(tower="siglip_vision_model", projector=one_layer, missing={
        **SIGLIP, "intermediate_size": 4096, "num_hidden_layers": 27, "image_size": 224},
                       picture=only(SEEING, sizes.all_patches(default=""))),
    "qwen2_5_vl": _qwen("qwen2_5_vl_vision", "qwen2_5_vl", 12845056),
    "qwen2_audio": _audio("qwen2_audio_encoder", one_matrix),
    "qwen2_vl": _qwen("qwen2_vl_vision", "qwen2_vl", 12845056),
    "qwen3_5": _qwen("qwen3_5_vision", "qwen3_5", 16777216, 65536),
    "qwen3_5_moe": _qwen("qwen3_5_moe_vision", "qwen3_5_moe", 16777216, 65536),
    "qwen3_asr": _audio("qwen3_asr_encoder", to_output),
    "qwen3_vl": _qwen("qwen3_vl_vision", "qwen3_vl", 16777216, 65536),
    "qwen3_vl_moe": _qwen("qwen3_vl_moe_vision", "qwen3_vl_moe", 16777216, 65536),
    "siglip": Whole(tower="siglip_vision_model", fixed=True, places=MODEL, projector=scaled,
                    between="", picture=APART),
    "siglip2": Whole(tower="siglip2_vision_model", fixed=True, places=MODEL, projector=scaled,
                     between="", picture=APART),
    "smolvlm": Whole(tower="smolvlm_vision", fixed=True, places=MODEL,
                     projector=merged_linear, between="connector.", picture=tiles.split),
    "step3p7": Whole(tower="step3p5_vision", fixed=True, places=MODEL, projector=last_channels,
                     picture=tiles.looked_at),
    "vibevoice_asr": _tokenizer("acoustic", of_both, _tokenizer("semantic")),
    "video_llava": Whole(tower="clip_vision_model", missing=CLIP | {"image_size": 224},
                         projector=two_layers(),
                         places=(("image_tower.", "vision"), ("video_tower.", "video")),
                         picture=only(SEEING, sizes.all_patches())),
    "vipllava": Whole(tower="clip_vision_model", missing=CLIP,
                      projector=two_layers(normed=True, listed=(-2, -5, -8, -11, 6)),
                      picture=only(SEEING, sizes.all_patches(default="", first=True))),
    "voxtral": _audio("voxtral_encoder", side_by_side),
    "voxtral_realtime": _audio("voxtral_realtime_encoder", stacked),
}


def whole(config: Config, text: Model, top: str, kind: Whole | None = None) -> Model | None:
    """The whole of a composite, as its type has it unless a kind is given (see :func:`towered`);
    None where its tower is not known."""
    kind = kind or WHOLES.get(config.model_type)
    return None if kind is None else towered(config, text, top, kind)
