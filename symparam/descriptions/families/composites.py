"""Models with towers for images or sound: whole where the tower is known, else the text model.

Its configuration stands in text_config; its family reads it. Whether the head is tied is said at
the top, where some kinds listen to text_config too, and some never tie.

Source: transformers, models/<model type>.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symparam.components import find
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.wholes import whole
from symparam.descriptions.config import Config
from symparam.descriptions.decoder import head_stack
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.lookup import family
from symparam.errors import SpecError
from symparam.layout import Layout
from symparam.model import Model
from symparam.stack import Slot, Stack
from symparam.traced.parts import TEXT

#: Keys that saved text configurations have of the whole.
STRAY = frozenset("""
    audio_token_id image_token_id num_image_tokens video_token_id vision_end_token_id
    vision_start_token_id vision_token_id
""".split())
HARMLESS = NO_TABLE | STRAY | frozenset("""
    _pad_token_id acoustic_tokenizer_chunk_size adapter_layer_norm_eps audio_bos_token_id
    audio_chunk_size audio_eos_token_id audio_frame_step audio_length_per_tok audio_merge_size
    audio_soft_tokens_per_image audio_token_index boa_token_id boi_token_id boi_token_index
    default_num_delay_tokens downsample_factor downsample_rate downsample_ratio eoa_token_id
    eoa_token_index eoi_token_id eoi_token_index has_lora_adapter head_dim hidden_size ignore_index
    image_aspect_ratio image_bos_token_id image_grid_pinpoints image_newline_dim image_seq_length
    image_size image_text_hidden_size image_token_index img_token_compression_config
    media_placeholder_token_id mm_tokens_per_image multimodal_projector_bias num_channels
    num_query_tokens pad_token_id patch_size process_image_mode projection_dim
    projection_hidden_size projection_layer_norm_eps projector_bias projector_hidden_act
    projector_hidden_size projector_layernorm_eps scale_factor spatial_merge_size spatial_pool_mode
    spatial_pool_out_channels spatial_pool_stride timestamp_token_id token_classification_bias
    use_decoder_only_language_model use_image_newline_parameter use_unified_vision_chunk
    video_placeholder video_seq_length video_token_index vision_aspect_ratio vision_feature_layer
    vision_feature_layers vision_feature_select_strategy vision_soft_tokens_per_image vocab_size
    window_size
""".split())
#: Configurations of what is left out.
TOWERS = ("vision_config", "audio_config", "encoder_config", "projector_config", "qformer_config",
          "semantic_tokenizer_encoder_config", "acoustic_tokenizer_encoder_config",
          "word_timestamp_config")
#: Keys of every older saved configuration, inert with these values.
INERT = {"add_cross_attention": False, "cross_attention_hidden_size": None, "is_decoder": False}


@dataclass(frozen=True, kw_only=True)
class Composite:
    """A kind of model with a language model in it.

    Attributes:
        stem: what its class names begin with.
        text: the language model's type where text_config does not say so.
        fixed: whether it can be of that type alone.
        tied: whether the head is tied where no key says so; None where it never is.
        asks_text: whether a tie in text_config is as good as one at the top.
        place: where the language model stands.
        head: whether the language model brings its own head, and stands at the top of all classes.
        flat: whether text_config may be left out and its keys stand at the top.
        filled: what is added to a text_config that lacks it.
        causal: the end of the class name with a head.
        headed: the class name with a head, where it begins with something else.
    """

    stem: str
    text: str
    fixed: bool = False
    tied: bool | None = False
    asks_text: bool = False
    place: str = "language_model."
    head: bool = False
    flat: bool = False
    filled: Mapping[str, Any] | None = None
    causal: str = "ForConditionalGeneration"
    headed: str = ""

    @property
    def classes(self) -> tuple[str, str]:
        """The names of the classes with a head and without."""
        return self.headed or f"{self.stem}{self.causal}", f"{self.stem}Model"


VOXTRAL = {"vocab_size": 131072, "hidden_size": 3072, "intermediate_size": 8192,
           "num_hidden_layers": 30, "num_key_value_heads": 8, "head_dim": 128}
GLM_ASR = {"vocab_size": 59264, "hidden_size": 2048, "intermediate_size": 6144,
           "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 4}
REALTIME = VOXTRAL | {"intermediate_size": 9216, "num_hidden_layers": 26,
                      "num_attention_heads": 32, "tie_word_embeddings": True,
                      "sliding_window": 8192}
KINDS = {
    "audioflamingo3": Composite(stem="AudioFlamingo3", text="qwen2", tied=None),
    "aya_vision": Composite(stem="AyaVision", text="cohere2", tied=True),
    "blip-2": Composite(stem="Blip2", text="opt", fixed=True, head=True),
    "dots3_note": Composite(stem="Dots3Note", text="dots3_note_text", fixed=True, flat=True),
    "exaone4_5": Composite(stem="Exaone4_5_", text="exaone4", fixed=True),
    "fuyu": Composite(stem="Fuyu", text="persimmon", causal="ForCausalLM"),
    "gemma3": Composite(stem="Gemma3", text="gemma3_text", fixed=True, tied=True),
    "gemma3n": Composite(stem="Gemma3n", text="gemma3n_text", fixed=True, tied=True),
    "gemma4": Composite(stem="Gemma4", text="gemma4_text", fixed=True, tied=True),
    "gemma4_unified": Composite(stem="Gemma4Unified", text="gemma4_unified_text", fixed=True,
                                tied=True),
    "glmasr": Composite(stem="GlmAsr", text="llama", tied=True, filled=GLM_ASR),
    "got_ocr2": Composite(stem="GotOcr2", text="qwen2", tied=True),
    "granite_speech": Composite(stem="GraniteSpeech", text="granite", tied=True),
    "granite_speech_plus": Composite(stem="GraniteSpeechPlus", text="granite", tied=True),
    "idefics3": Composite(stem="Idefics3", text="llama", place="text_model."),
    "inkling2": Composite(stem="Inkling2", text="inkling2_text", fixed=True, tied=None),
    "inkling_mm_model": Composite(stem="Inkling", text="inkling_text", fixed=True, tied=None),
    "internvl": Composite(stem="InternVL", text="qwen2", tied=True),
    "kimi_k25": Composite(stem="Kimi_K25", text="deepseek_v3", tied=True),
    "llama4": Composite(stem="Llama4", text="llama4_text", fixed=True, head=True),
    "llava": Composite(stem="Llava", text="llama", asks_text=True),
    "llava_next": Composite(stem="LlavaNext", text="llama"),
    "llava_next_video": Composite(stem="LlavaNextVideo", text="llama", asks_text=True),
    "llava_onevision": Composite(stem="LlavaOnevision", text="qwen2", asks_text=True),
    "minimax_m3_vl": Composite(stem="MiniMaxM3VL", text="minimax_m3_vl_text", fixed=True,
                               asks_text=True, headed="MiniMaxM3SparseForConditionalGeneration"),
    "mistral3": Composite(stem="Mistral3", text="mistral", tied=True),
    "mllama": Composite(stem="Mllama", text="mllama_text_model", fixed=True, tied=None),
    "moss_transcribe_diarize": Composite(stem="MossTranscribeDiarize", text="qwen3", tied=True),
    "musicflamingo": Composite(stem="MusicFlamingo", text="qwen2", tied=None),
    "nemo_speechlm": Composite(stem="Nemotron3_5Transcribe", text="nemotron_h", tied=None),
    "paligemma": Composite(stem="PaliGemma", text="gemma", tied=True),
    "qwen2_5_vl": Composite(stem="Qwen2_5_VL", text="qwen2_5_vl_text", fixed=True,
                            asks_text=True, flat=True),
    "qwen2_audio": Composite(stem="Qwen2Audio", text="qwen2", tied=None),
    "qwen2_vl": Composite(stem="Qwen2VL", text="qwen2_vl_text", fixed=True, asks_text=True,
                          flat=True),
    "qwen3_5": Composite(stem="Qwen3_5", text="qwen3_5_text", fixed=True),
    "qwen3_5_moe": Composite(stem="Qwen3_5Moe", text="qwen3_5_moe_text", fixed=True),
    "qwen3_asr": Composite(stem="Qwen3ASR", text="qwen3", tied=True),
    "qwen3_vl": Composite(stem="Qwen3VL", text="qwen3_vl_text", fixed=True),
    "qwen3_vl_moe": Composite(stem="Qwen3VLMoe", text="qwen3_vl_moe_text", fixed=True),
    "smolvlm": Composite(stem="SmolVLM", text="llama", place="text_model."),
    "step3p7": Composite(stem="Step3p7", text="step3p5", fixed=True),
    "vibevoice_asr": Composite(stem="VibeVoiceAsr", text="qwen2", tied=None),
    "video_llava": Composite(stem="VideoLlava", text="llama"),
    "vipllava": Composite(stem="VipLlava", text="llama"),
    "voxtral": Composite(stem="Voxtral", text="llama", tied=None, filled=VOXTRAL),
    "voxtral_realtime": Composite(stem="VoxtralRealtime", text="voxtral_realtime_text",
                                  fixed=True, tied=True, filled=REALTIME),
}
MODEL_TYPES = tuple(KINDS)
#: Names that published files give to a class or a text model.
MORE_CLASSES = {"kimi_k25": {"KimiK25ForConditionalGeneration": "causal"}}
#: A class that is the language model alone, under its own names.
TEXT_CLASSES = {"mllama": "MllamaForCausalLM"}
OLDER_TYPES = {"kimi_k2": "deepseek_v3", "exaone4_5_text": "exaone4"}


def build(config: Config, name: str) -> Model:
    """The language model of a composite, under the names that it has there."""
    kind = KINDS[config.model_type]
    alone = TEXT_CLASSES.get(config.model_type)
    if alone and config.asked is None and config.raw("architectures", None) == [alone]:
        return _alone(config, kind, name)
    headed, base = kind.classes
    classes = {headed: "causal"} | ({} if config.model_type == "llama4" else {base: "base"})
    task = config.task(classes | MORE_CLASSES.get(config.model_type, {}), "causal")
    text = _text_config(config, kind)
    model = _text_model(text, "causal" if kind.head else "base", name)
    top = "" if kind.head or task == "base" else "model."
    model = _under(model, top + kind.place)
    if task == "causal" and not kind.head:
        tied = _tied(config, kind, text, name)
        head = find("head", "lm").make({"tied": tied})
        stack = replace(head_stack(head), slots=(Slot("lm", head, "lm_head."),))
        model = replace(model, stacks=(*model.stacks, stack))
    else:
        config.raw("tie_word_embeddings", None)
    config.only("num_reward_heads", 0)  # MiniMax has the key; a head of this kind is not built
    found = None if config.text_alone else _whole(config, model, task)
    if found is not None:
        config.close(HARMLESS)
        return found
    towers = [key for key in TOWERS if config.raw(key, None) is not None]
    if towers:
        config.left_out.append(f"everything but the language model ({', '.join(towers)})")
    config.close(HARMLESS)
    return replace(model, part="text")


def _whole(config: Config, text: Model, task: str) -> Model | None:
    """All of it, where its tower is known; what would work is said where it is not understood."""
    try:
        found = whole(config, text, "" if task == "base" else "model.")
    except SpecError as error:
        error.problem += f"; --part {TEXT} counts the language model alone"
        raise
    part = "without the head" if task == "base" else "all"
    return None if found is None else replace(found, part=part)


def _alone(config: Config, kind: Composite, name: str) -> Model:
    """A composite's configuration for the language model alone."""
    model = _text_model(_text_config(config, kind), "causal", name)
    config.read.update((*TOWERS, "tie_word_embeddings"))
    config.close(HARMLESS)
    return model


def _text_config(config: Config, kind: Composite) -> Config:
    """The language model's configuration, with what its kind adds to it."""
    if kind.flat and config.raw("text_config", None) is None:
        own = HARMLESS - {"hidden_size", "vocab_size", "pad_token_id"}
        kept = {"architectures", "model_type", "tie_word_embeddings", "text_config",
                "quantization_config", "transformers_version", *TOWERS}
        data = {key: value for key, value in config.data.items() if key not in own | kept}
        config.read.update(data)
        return _inner(config, data, kind.text, config.path)
    data = config.raw("text_config")
    if not isinstance(data, dict):
        raise config.error("text_config", "expected a table: the language model's configuration")
    data = {**(kind.filled or {}), **_extra_layers(config), **data}
    found = data.get("model_type", kind.text)
    found = OLDER_TYPES.get(found, found) if isinstance(found, str) else found
    if not isinstance(found, str) or (kind.fixed and found != kind.text):
        raise config.error("text_config.model_type", f"{config.model_type} has a language model "
                           f"of type {kind.text}")
    return _inner(config, data, found, config.below("text_config"))


def _extra_layers(config: Config) -> dict[str, Any]:
    """Layers that predict further tokens, where the whole says how many (Inkling)."""
    table = config.raw("mtp_config", None) if config.model_type == "inkling_mm_model" else None
    if table is None:
        return {}
    if not isinstance(table, dict):
        raise config.error("mtp_config", "expected a table")
    return {"num_mtp_layers": table.get("num_nextn_predict_layers")}


def _inner(config: Config, data: Mapping[str, Any], model_type: str, path: str) -> Config:
    """A configuration that tells what it leaves out where the outer one does."""
    kept = {key: value for key, value in data.items()
            if key not in STRAY and (key not in INERT or value is not INERT[key])}
    inner = Config(config.where, kept | {"model_type": model_type}, None, config.mtp, path)
    inner.tell(config)
    return inner


def _text_model(text: Config, task: str, name: str) -> Model:
    """The language model, as its family builds it."""
    text.asked = task
    model: Model = family(text.model_type, text.where).build(text, name)
    return model


def _tied(config: Config, kind: Composite, text: Config, name: str) -> bool:
    """Whether the head is tied; refused where files of different age would be read differently."""
    if kind.tied is None:
        config.raw("tie_word_embeddings", None)
        return False
    given = config.flag("tie_word_embeddings", kind.tied)
    inner = _tied_in_text(text, name)
    if kind.asks_text:
        return given or inner
    if "tie_word_embeddings" not in config and given != inner:
        raise config.error("", "tie_word_embeddings is missing, and text_config means "
                           f"{str(inner).lower()}: older and newer files differ in which counts")
    return given


def _tied_in_text(text: Config, name: str) -> bool:
    """What text_config says by itself: its key, or the default of its family."""
    value = text.raw("tie_word_embeddings", None)
    if value is not None:
        return text.flag("tie_word_embeddings", False)
    alone = Config(text.where, text.data, "causal", text.mtp, text.path)
    try:
        model: Model = family(text.model_type, text.where).build(alone, name)
    except SpecError:
        return False  # a language model that is never built with a head of its own
    return any(getattr(slot.component, "tied", False) for _, slot in model.slots())


def _under(model: Model, prefix: str) -> Model:
    """A model whose tensor names begin with something more."""
    stacks: tuple[Stack, ...] = tuple(replace(s, prefix=prefix + s.prefix) for s in model.stacks)
    entries = tuple(e if e.tensor.startswith(".") else replace(e, tensor=prefix + e.tensor)
                    for e in model.layout.entries)
    return replace(model, stacks=stacks, layout=Layout(model.layout.name, entries))
