"""Models with a tower for images or sound, whose language model is compared.

The language models are drawn as by themselves; the towers are their kinds' own, all of them
without keys, so that a configuration is mostly its text_config.
"""

from __future__ import annotations

from collections.abc import Callable

from symparam.descriptions.families.composites import KINDS, TEXT_CLASSES, Composite
from tests.differential.draw import Config, Draw
from tests.differential.families import (
    cohere,
    deepseek,
    exaone4,
    gemma,
    gemma3n,
    gemma4,
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
)

TEXTS = {key: drawing for module in (
    cohere, deepseek, exaone4, gemma, gemma3n, gemma4, llama, llama4, llama_like, minimax_m3_vl,
    mistral, mllama, nemotron_h, opt, persimmon, qwen, qwen3_next, qwen_moe)
    for key, drawing in module.DRAWN.items()}
TEXTS["voxtral_realtime_text"] = mistral.mistral
#: Other language models than the usual one, for kinds that take any.
OTHERS = ("llama", "mistral", "qwen2", "qwen3", "gemma2")
#: Kinds that read keys which only some language models have.
ONLY = {"fuyu": ("persimmon",), "paligemma": ("gemma", "gemma2")}
#: Towers for kinds that cannot be built with their own.
TOWERS = {"aya_vision": {"vision_config": {"model_type": "siglip_vision_model"}}}
#: A kind whose tower is in a package of its own.
UNBUILT = ("gemma3n",)


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
            return {**text, **config}
        return config | {"text_config": text} | TOWERS.get(name, {})
    return drawn


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
         if kind.text in TEXTS and name not in UNBUILT}
