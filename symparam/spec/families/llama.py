"""LLaMA and what follows it: RMSNorm, rotary positions, SwiGLU, grouped queries from LLaMA 2 on.

Source: Touvron et al. 2023, arXiv:2302.13971 and arXiv:2307.09288; transformers, models/llama.
"""

from __future__ import annotations

from dataclasses import replace

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation, Standing
from symparam.model import Model, Slot, Stack
from symparam.spec.config import Config
from symparam.spec.decoder import embedding_stack, head_stack, layer_stack
from symparam.spec.options import final_norm_stack, norm_slots, with_positions

MODEL_TYPES = ("llama",)
CLASSES = {"LlamaForCausalLM": "causal", "LLaMAForCausalLM": "causal", "LlamaModel": "base"}
HARMLESS = frozenset("""
    attention_dropout hidden_act max_position_embeddings max_sequence_length pretraining_tp
    rms_norm_eps rope_parameters rope_scaling rope_theta partial_rotary_factor
""".split())


def build(config: Config, name: str) -> Model:
    """A LLaMA from its configuration: key-value heads and head width follow where missing."""
    task = config.task(CLASSES, "causal")
    values = {
        "V": config.count_of("vocab_size", default=32000),
        "L": config.count_of("num_hidden_layers", default=32),
        "d_model": config.count_of("hidden_size", default=4096),
        "n_heads": config.count_of("num_attention_heads", default=32),
        "d_ff": config.count_of("intermediate_size", default=11008),
    }
    for dim, key in (("n_kv", "num_key_value_heads"), ("d_head", "head_dim")):
        number = config.optional_count(key)
        if number is not None:
            values[dim] = number
    options = {"bias": config.flag("attention_bias", False)}
    ffn_options = {"bias": config.flag("mlp_bias", False)}
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)

    norm = find("norm", "rmsnorm")()
    block = (Slot("attention", find("attention", "gqa").make(options)),
             Slot("ffn", find("ffn", "swiglu").make(ffn_options)), *norm_slots(norm, 2))
    stacks: list[Stack] = [embedding_stack(), layer_stack(block), final_norm_stack(norm)]
    if task == "causal":
        stacks.append(head_stack(find("head", "lm").make({"tied": tied})))
    else:
        stacks = [replace(s, prefix=s.prefix.removeprefix("model.")) for s in stacks]
    full = Equation("n_kv", ex.Sym("n_heads"), "the configuration has no num_key_value_heads",
                    Standing.DEFAULT)
    model = Model(name, tuple(stacks), values, () if "n_kv" in values else (full,),
                  part="all" if task == "causal" else "without the head")
    return with_positions(model, "rope")
