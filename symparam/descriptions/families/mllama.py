"""Llama 3.2 Vision's language model: LLaMA's block, in some layers over the image alone.

The token embedding has eight rows more than the head, so that it is never tied.

Source: Grattafiori et al. 2024, arXiv:2407.21783, section 7; transformers, models/mllama.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("mllama_text_model",)
CLASSES = {"MllamaForCausalLM": "causal", "MllamaTextModel": "base"}
DIMS = {
    "V": ("vocab_size", 128256), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_ff": ("intermediate_size", 14336),
}
HARMLESS = NO_TABLE | {"tie_word_embeddings"}
CROSS = (3, 8, 13, 18, 23, 28, 33, 38)
NAMES = (entry("*.qk-norm", "g_Q", ".q_norm.weight"), entry("*.qk-norm", "g_K", ".k_norm.weight"))
MORE = Equation("V_in", ex.Sym("V") + ex.Num(8), "eight rows for the image's tokens")


def build(config: Config, name: str) -> Model:
    """The language model of a Llama 3.2 Vision."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    depth = config.count_of("num_hidden_layers", default=40)
    cross = _cross_layers(config)
    pattern = config.kinds("", {"self": "self", "cross": "cross"}, depth,
                           lambda i: "cross" if i in cross else "self")
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    rest = (slot("ffn", "swiglu"), *norm_slots(norm, 2))
    blocks = {"self": (slot("attention", "gqa"), *rest),
              "cross": (slot("cross-attention", "gqa", "cross_attn.", {"d_encoder": "d_model"}),
                        slot("qk-norm", "shared", "cross_attn."), *rest,
                        slot("cross-gates", "two", ""))}
    return decoder_model(config, name, task, values, blocks, pattern=pattern, final_norm=norm,
                         names=NAMES, equations=(MORE,), token={"V": "V_in"})


def _cross_layers(config: Config) -> tuple[int, ...]:
    """The numbers of the layers over the image."""
    value = config.raw("cross_attention_layers", None)
    if value is None:
        return CROSS
    if not isinstance(value, list) or any(type(each) is not int for each in value):
        raise config.error("cross_attention_layers", "expected a list of layer numbers, found "
                           f"{shown(value)}")
    return tuple(value)
