"""RecurrentGemma: Griffin's recurrent blocks with a local attention after every two.

Source: De et al. 2024, arXiv:2402.19427; Botev et al. 2024, arXiv:2404.07839; transformers,
models/recurrent_gemma.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.reading.source import shown
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("recurrent_gemma",)
CLASSES = classes("RecurrentGemma")
DIMS = {
    "V": ("vocab_size", 256000), "L": ("num_hidden_layers", 26), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 10), "n_kv": ("num_key_value_heads", None),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 7680),
    "d_rnn": ("lru_width", None), "k_conv": ("conv1d_width", 4),
}
HARMLESS = NO_TABLE | frozenset("""
    attention_window_size embeddings_scale_by_sqrt_dim final_w_init_variance_scale logits_soft_cap
    sliding_window w_init_variance_scale
""".split())
KINDS = {"recurrent": "recurrent", "attention": "attention"}
USUAL = ["recurrent", "recurrent", "attention"]
SLIDING = Sliding(key="attention_window_size", default=2048, listed="")


def build(config: Config, name: str) -> Model:
    """A RecurrentGemma: a short list of kinds repeats over its layers."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    values["d_ff"] //= 2  # the configuration counts gate and up together
    pattern = _pattern(config, config.number("num_hidden_layers", values.pop("L")))
    bias = ["qkv"] * config.flag("attention_bias", False) + ["attn-out"]
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, _blocks(bias), pattern=pattern,
                         final_norm=find("norm", "rmsnorm")(), tied=tied,
                         places=Places(final_norm="final_norm."), windows=SLIDING)


def _pattern(config: Config, depth: int) -> list[str]:
    repeated = config.raw("block_types", USUAL)
    config.only("_block_types", repeated)
    if not isinstance(repeated, list) or not repeated or any(
            not isinstance(kind, str) or kind not in KINDS for kind in repeated):
        raise config.error("block_types", f"expected a list of {' and '.join(KINDS)}, found "
                           f"{shown(repeated)}")
    if depth > 100 * len(repeated):
        raise config.error("block_types", f"repeats at most 100 times, too few for {depth} layers")
    return [repeated[i % len(repeated)] for i in range(depth)]


def _blocks(bias: list[str]) -> dict[str, Block]:
    norm = find("norm", "rmsnorm")()
    rest = (slot("ffn", "geglu", "mlp_block.", bias=True),
            Slot("norms.mixer", norm, "temporal_pre_norm."),
            Slot("norms.ffn", norm, "channel_pre_norm."))
    return {"recurrent": (slot("mixer", "rg-lru", None, {"n_blocks": "n_heads"}), *rest),
            "attention": (slot("attention", "gqa", "temporal_block.", bias=bias), *rest)}
