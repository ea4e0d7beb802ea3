"""Models with a tower for images or sound: all of them where the tower is known, else their
language model alone.

Language models and towers are drawn as by themselves; a tower that is not known is its kind's own,
without keys.
"""

from __future__ import annotations

from collections.abc import Callable

from symparam.descriptions.assembling.towered import ENCODERS
from symparam.descriptions.assembling.wholes import WHOLES
from symparam.descriptions.families.composites import KINDS, TEXT_CLASSES, Composite
from tests.differential.draw import Config, Draw
from tests.differential.families import (
    cohere,
    deepseek,
    dots3_note,
    exaone4,
    gated_towers,
    gemma,
    gemma3n,
    gemma4,
    inkling,
    later_towers,
    llama,
    llama4,
    llama_like,
    minimax_m3_vl,
    mistral,
    mllama,
    nemotron_h,
    opt,
    persimmon,
    qwen,
    qwen3_next,
    qwen_moe,
    sounds,
    step3p5,
)
from tests.differential.families.towers import tower

TEXTS = {key: drawing for module in (
    cohere, deepseek, dots3_note, exaone4, gemma, gemma3n, gemma4, inkling, llama, llama4,
    llama_like, minimax_m3_vl, mistral, mllama, nemotron_h, opt, persimmon, qwen, qwen3_next,
    qwen_moe, step3p5)
    for key, drawing in module.DRAWN.items()}
TEXTS["voxtral_realtime_text"] = mistral.mistral
#: Other language models than the usual one, for kinds that take any.
OTHERS = ("llama", "mistral", "qwen2", "qwen3", "gemma2")
#: Kinds that read keys which only some language models have.
ONLY = {"fuyu": ("persimmon",), "paligemma": ("gemma", "gemma2")}
#: What is configured where nothing is a tower.
BESIDE = {"gemma4_unified": "gemma4_unified_audio"}
#: Kinds whose projectors have keys that no other has.
BETWEEN = sounds.BETWEEN | later_towers.BETWEEN
#: Kinds whose own tower cannot be built without keys.
UNLIKE = ("aya_vision",)


def _text(draw: Draw, model_type: str) -> Config:
    config = TEXTS[model_type](draw)
    config.pop("architectures")
    return config | {"model_type": model_type}


def _drawing(name: str, kind: Composite) -> Callable[[Draw], Config]:
    def drawn(draw: Draw) -> Config:
        one = kind.text if kind.fixed or draw.flag() else draw.one_of(*ONLY.get(name, OTHERS))
        text = _filled(draw, kind) if kind.filled and draw.flag() else _text(draw, one)
        if kind.filled and text["num_attention_heads"] % 8:
            text.setdefault("num_key_value_heads", text["num_attention_heads"])
        causal, base = kind.classes
        config: Config = {"architectures": [draw.one_of(causal, causal, base)]}
        if name in ("llama4", "blip-2"):
            config["architectures"] = [causal]
        tied = draw.flag()
        if not kind.head:
            config["tie_word_embeddings"] = tied
            if draw.flag():
                _leave_out(draw, config, text, kind)
        if name in TEXT_CLASSES and draw.flag():
            config["architectures"] = [TEXT_CLASSES[name]]
        if kind.flat and draw.flag():
            text.pop("model_type")
            return {**text, **config, **_fitted(draw, name, text)}
        return config | {"text_config": text} | _fitted(draw, name, text)
    return drawn


def _fitted(draw: Draw, name: str, text: Config) -> Config:
    """The towers' configurations, leading to the width of the language model."""
    return gated_towers.fitted(name, _tower(draw, name), text)


def _tower(draw: Draw, name: str) -> Config:
    """The tower's configuration, and what stands between; sometimes none where it may be so."""
    found = WHOLES.get(name)
    if found is not None and not found.tower:
        return _between(draw, name)
    if found is None or (name not in UNLIKE and draw.between(0, 4) == 0):
        return {}
    known = found.tower if found.fixed or draw.flag() else draw.one_of(*ENCODERS)
    inner = tower(draw, known)
    if known == found.tower and draw.flag():
        inner["model_type"] = found.called or known
    config = {found.place: inner}
    for each in found.beside:
        if draw.flag():
            config[each.place] = tower(draw, each.tower or BESIDE[name])
    return config | _between(draw, name)


def _between(draw: Draw, name: str) -> Config:
    """The keys of the projector."""
    if name in BETWEEN:
        return BETWEEN[name](draw)
    config: Config = {}
    if "llava" in name and name != "vipllava":
        draw.maybe(config, multimodal_projector_bias=draw.flag())
    if "llava" in name:
        draw.maybe(config, vision_feature_layer=draw.one_of(-1, [-1], [-2, -1, 0]))
    own = {"mistral3": {"multimodal_projector_bias": draw.flag(),
                        "spatial_merge_size": draw.between(1, 4),
                        "vision_feature_layer": draw.one_of(-1, [-1, -2])},
           "paligemma": {"projection_dim": draw.size(2)},
           "idefics3": {"scale_factor": draw.between(1, 4)},
           "smolvlm": {"scale_factor": draw.between(1, 4)},
           "internvl": {"downsample_ratio": draw.one_of(0.5, 0.25, 0.3)},
           "audioflamingo3": {"projector_bias": draw.flag()},
           "musicflamingo": {"projector_bias": draw.flag()},
           "aya_vision": {"downsample_factor": draw.between(1, 4),
                          "alignment_intermediate_size": draw.size(2)}}
    draw.maybe(config, **own.get(name, {}))
    return config


def _filled(draw: Draw, kind: Composite) -> Config:
    """A text_config that leaves to the kind what it adds."""
    n_heads = 8 * draw.one_of(1, 2, 3)
    text: Config = {"num_attention_heads": n_heads}
    draw.maybe(text, hidden_size=draw.size(2 * n_heads), intermediate_size=draw.size(3),
               num_hidden_layers=draw.depth(), vocab_size=draw.size(2), model_type=kind.text,
               num_key_value_heads=draw.one_of(2, 4, 8))
    if n_heads == 24:
        text.setdefault("hidden_size", draw.size(2 * n_heads))
    return text


def _leave_out(draw: Draw, config: Config, text: Config, kind: Composite) -> None:
    """No key at the top: the text's counts too, or agrees with what the kind means by it."""
    del config["tie_word_embeddings"]
    if kind.tied is not None and not kind.asks_text:
        text["tie_word_embeddings"] = kind.tied


DRAWN = {name: _drawing(name, kind) for name, kind in KINDS.items()
         if kind.text in TEXTS}
