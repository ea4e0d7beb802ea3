"""Hierarchical reasoning model for text: two stacks of layers, gone through again and again.

The low stack runs L_cycles times, then the high one once, and all that H_cycles times. The
weights of each are stored once; norms have none, and attention's output passes a gate.

Source: Wang et al. 2025, arXiv:2506.21734; transformers, models/hrm_text.
"""

from __future__ import annotations

from dataclasses import replace

from symparam import expression as ex
from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Repeat, Stack

MODEL_TYPES = ("hrm_text",)
CLASSES = classes("HrmText")
DIMS = {
    "V": ("vocab_size", 151808), "L": ("num_hidden_layers", 16), "d_model": ("hidden_size", 1536),
    "n_heads": ("num_attention_heads", 12), "d_ff": ("intermediate_size", 4096),
    "d_head": ("head_dim", 128),
}
HARMLESS = NO_TABLE | frozenset("L_bp_cycles embedding_scale prefix_lm".split())
PLACES = Places(layers="L_module.layers.*.")
NAMES = entries("*.attention", G="gate_proj")


def build(config: Config, name: str) -> Model:
    """A model from its configuration; ``num_hidden_layers`` counts passes once it was saved."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    values["L"] = config.optional_count("num_layers_per_stack") or values["L"]
    attention = slot("attention", "gated", bias=config.flag("attention_bias", False))
    ffn = slot("ffn", "swiglu", bias=config.flag("mlp_bias", False))
    high = config.count_of("H_cycles", default=2)
    low = high * config.count_of("L_cycles", default=3)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    block = (attention, ffn, *norm_slots(find("norm", "none")(), 2))
    model = decoder_model(config, name, task, values, block, final_norm=None, tied=tied,
                          embedding=(slot("state", "initial"),), places=PLACES, names=NAMES)
    return _twice(model, low, high)


def _twice(model: Model, low: int, high: int) -> Model:
    """The model with its layers as the low stack, and the same again as the high one."""
    number = ex.Sym("L")

    def stacks(stack: Stack) -> tuple[Stack, ...]:
        if stack.repeat is None:
            return (stack,)
        prefix = stack.prefix.replace("L_module", "H_module")
        return (replace(stack, name="layers[low]",
                        repeat=Repeat(number, ex.Num(low) * number, number)),
                replace(stack, name="layers[high]", prefix=prefix,
                        repeat=Repeat(number, ex.Num(high) * number, number)))

    return replace(model, stacks=tuple(s for stack in model.stacks for s in stacks(stack)))
