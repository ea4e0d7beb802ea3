"""Decoders with LLaMA's block that differ in where biases may stand, and in their defaults.

SmolLM3, Granite, Seed-OSS, Arcee (an FFN of two matrices), Helium, InternLM3, Code World Model.

Source: transformers, models/smollm3, granite, seed_oss, arcee, helium, internlm3 (built as a
LLaMA) and cwm; IBM 2024, Granite 3.0 Language Models; FAIR CodeGen team 2025, arXiv:2510.02387.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symparam.components import find
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, all_but_every, rotated
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

HARMLESS = NO_TABLE | frozenset("""
    layer_types max_window_layers no_rope_layer_interval no_rope_layers sliding_window
    use_sliding_window
""".split())


def _everywhere(config: Config) -> list[str]:
    """Biases on queries, keys, values and output."""
    return ["qkv", "attn-out"] if config.flag("attention_bias", False) else []


def _seed_oss(config: Config) -> list[str]:
    """The output's bias has a key of its own."""
    flags = {"qkv": config.flag("attention_bias", True),
             "attn-out": config.flag("attention_out_bias", False)}
    return [site for site, there in flags.items() if there]


def _helium(config: Config) -> list[str]:
    """The output has no bias."""
    return ["qkv"] if config.flag("attention_bias", False) else []


def _cwm(config: Config) -> list[str]:
    """None at all."""
    config.only("attention_bias", False, None)
    return []


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One of the families.

    Attributes:
        sizes: defaults of V, L, d_model, n_heads, d_ff; n_kv and d_head, None where they follow.
        stem: what its class names begin with.
        tied: whether the head is tied by default.
        ffn: its feed-forward network.
        biases: which sites of attention have a bias.
        fixed: dims that a null does not leave to a rule.
    """

    sizes: tuple[int | None, ...]
    stem: str
    tied: bool = False
    ffn: str = "swiglu"
    biases: Callable[[Config], list[str]] = _everywhere
    fixed: tuple[str, ...] = ()


KINDS = {
    "smollm3": Kind(sizes=(128256, 36, 2048, 16, 11008, 4, None), stem="SmolLM3", tied=True),
    "granite": Kind(sizes=(32000, 32, 4096, 32, 11008, None, None), stem="Granite"),
    "seed_oss": Kind(sizes=(155136, 64, 4096, 80, 27648, 8, 128), stem="SeedOss",
                     biases=_seed_oss),
    "arcee": Kind(sizes=(32000, 32, 2560, 32, 18432, None, None), stem="Arcee", ffn="mlp"),
    "helium": Kind(sizes=(48000, 24, 2560, 20, 7040, 20, 128), stem="Helium", biases=_helium,
                   fixed=("n_kv", "d_head")),
    "internlm3": Kind(sizes=(128512, 48, 4096, 32, 10240, 2, 128), stem="InternLM3"),
    "cwm": Kind(sizes=(128256, 64, 6144, 48, 21504, 8, 128), stem="Cwm", biases=_cwm),
}
KEYS = {"V": "vocab_size", "L": "num_hidden_layers", "d_model": "hidden_size",
        "n_heads": "num_attention_heads", "d_ff": "intermediate_size",
        "n_kv": "num_key_value_heads", "d_head": "head_dim"}
MODEL_TYPES = tuple(KINDS)
SLIDING = {
    "smollm3": Sliding(switch="use_sliding_window", rule=lambda config, depth: (
        i for i, turned in enumerate(rotated(config, depth)) if not turned)),
    "cwm": Sliding(default=8192, rule=all_but_every(4, 0))}


def build(config: Config, name: str) -> Model:
    """A model of one of these families."""
    kind = KINDS[config.model_type]
    stems = (kind.stem, "Llama") if config.model_type == "internlm3" else (kind.stem,)
    task = config.task(classes(*stems), "causal")
    values = _values(config, kind)
    if config.model_type == "internlm3":
        biased = _internlm3(config)
        sites, inner = ["qkv", "attn-out"] if biased else [], biased
    else:
        sites, inner = kind.biases(config), config.flag("mlp_bias", False)
    tied = config.flag("tie_word_embeddings", kind.tied)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=sites), slot("ffn", kind.ffn, bias=inner),
             *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         windows=SLIDING.get(config.model_type))


def _values(config: Config, kind: Kind) -> dict[str, int]:
    """Its numbers; Helium's output is a square, so its heads have to split the width."""
    keys: dict[str, tuple[Any, ...]] = {
        dim: (key, default) for (dim, key), default in zip(KEYS.items(), kind.sizes, strict=True)}
    nullable = {"n_kv", "d_head"} - set(kind.fixed)
    values = config.dims(keys, nullable=nullable)
    if config.model_type == "helium" and values["n_heads"] * values["d_head"] != values["d_model"]:
        raise config.error("head_dim", "heads that do not split hidden_size do not fit Helium's "
                           "square output matrix")
    return values


def _internlm3(config: Config) -> bool:
    """Whether it has biases: everywhere or nowhere; each key has an older name."""
    flags = {key: config.flag(key, False)
             for key in ("attention_bias", "qkv_bias", "mlp_bias", "bias") if key in config}
    first = flags.get("attention_bias", flags.get("qkv_bias", False))
    second = flags.get("mlp_bias", flags.get("bias", False))
    if first != second or len(set(flags.values())) > 1:
        raise config.error(next(iter(flags)), "biases of attention without those of the FFN, or "
                           "the other way round, are not understood")
    return first
