"""Moshi's language model: LLaMA's block, gate and up in one matrix, one more token in the input.

Source: Défossez et al. 2024, arXiv:2410.00037; transformers, models/moshi.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries, entry
from symparam.model import Model

MODEL_TYPES = ("moshi",)
CLASSES = classes("Moshi")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", None),
    "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | frozenset("audio_vocab_size num_codebooks sliding_window".split())
NAMES = (entry("*.ffn", "W_gate W_up", ".fc1.weight"), entry("*.ffn", "W_down", ".fc2.weight"),
         *(each for letter in "QKVO" for each in entries("*.attention", **{
             letter: f"{letter.lower()}_proj.linear"})[:1]))
MORE = Equation("V_input", ex.Sym("V") + 1, "the input has a token that is never predicted")
#: What else there is, and in which class.
OTHERS = {"audio_encoder_config": "the codec of the sound",
          "depth_decoder_config": "the decoder of each step's tokens of sound"}


def build(config: Config, name: str) -> Model:
    """Moshi's language model from its configuration; what makes sound is another class's."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    both = config.count_of("ffn_dim", default=22528)
    if both % 2:
        raise config.error("ffn_dim", f"{both} is odd: it is the width of gate and up together")
    values["d_ff"] = both // 2
    config.only("tie_word_embeddings", False)
    for key, what in OTHERS.items():
        if config.raw(key, None) is not None:
            config.left_out.append(f"{what} ({key})")
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa"), slot("ffn", "swiglu"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, names=NAMES,
                         token={"V": "V_input"}, equations=(MORE,),
                         windows=Sliding(default=3000, listed=""))
