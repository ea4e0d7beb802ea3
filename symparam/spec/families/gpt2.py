"""GPT-2: learned positions, LayerNorms before each part, fused QKV stored transposed.

Source: Radford et al. 2019; openai/gpt-2, src/model.py; transformers, models/gpt2.
"""

from __future__ import annotations

from symparam.components import find
from symparam.layout import Entry, Layout, entry
from symparam.model import Model, Slot, Stack
from symparam.spec.config import Config
from symparam.spec.decoder import embedding_stack, head_stack, layer_stack
from symparam.spec.options import final_norm_stack, norm_slots

MODEL_TYPES = ("gpt2",)
CLASSES = {"GPT2LMHeadModel": "causal", "GPT2Model": "base"}
HARMLESS = frozenset("""
    activation_function attn_pdrop embd_pdrop resid_pdrop layer_norm_epsilon n_ctx n_special
    output_past predict_special_tokens reorder_and_upcast_attn scale_attn_by_inverse_layer_idx
    scale_attn_weights summary_activation summary_first_dropout summary_proj_to_labels
    summary_type summary_use_proj
""".split())


def build(config: Config, name: str) -> Model:
    """A GPT-2 from its configuration: n_inner missing means 4·d_model, as a rule."""
    task = config.task(CLASSES, "causal")
    values = {
        "V": config.count_of("vocab_size", default=50257),
        "L": config.count_of("n_layer", "num_hidden_layers", default=12),
        "d_model": config.count_of("n_embd", "hidden_size", default=768),
        "n_heads": config.count_of("n_head", "num_attention_heads", default=12),
        "n_ctx": config.count_of("n_positions", "max_position_embeddings", default=1024),
    }
    d_ff = config.optional_count("n_inner")
    if d_ff is not None:
        values["d_ff"] = d_ff
    tied = config.flag("tie_word_embeddings", True)
    config.only("add_cross_attention", False)
    config.close(HARMLESS)

    norm = find("norm", "layernorm")()
    block = (Slot("attention", find("attention", "mha").make({"bias": True})),
             Slot("ffn", find("ffn", "mlp").make({"bias": True})), *norm_slots(norm, 2))
    stacks: list[Stack] = [embedding_stack(Slot("positions", find("positions", "learned")())),
                           layer_stack(block), final_norm_stack(norm)]
    if task == "causal":
        stacks.append(head_stack(find("head", "lm").make({"tied": tied})))
    return Model(name, tuple(stacks), values,
                 layout=Layout("transformers (GPT-2)", tuple(_names(task))),
                 part="all" if task == "causal" else "without the head")


def _names(task: str) -> list[Entry]:
    top = "transformer." if task == "causal" else ""
    layer = f"{top}h.*."
    return [
        entry("embedding.token", "W_E", f"{top}wte.weight"),
        entry("embedding.positions", "W_P", f"{top}wpe.weight"),
        entry("layers.attention", "W_Q W_K W_V", f"{layer}attn.c_attn.weight", transposed=True),
        entry("layers.attention", "b_Q b_K b_V", f"{layer}attn.c_attn.bias"),
        entry("layers.attention", "W_O", f"{layer}attn.c_proj.weight", transposed=True),
        entry("layers.attention", "b_O", f"{layer}attn.c_proj.bias"),
        entry("layers.ffn", "W_up", f"{layer}mlp.c_fc.weight", transposed=True),
        entry("layers.ffn", "b_up", f"{layer}mlp.c_fc.bias"),
        entry("layers.ffn", "W_down", f"{layer}mlp.c_proj.weight", transposed=True),
        entry("layers.ffn", "b_down", f"{layer}mlp.c_proj.bias"),
        *(entry(f"layers.norms.{place}", part, f"{layer}ln_{i}.{stored}")
          for i, place in ((1, "attention"), (2, "ffn"))
          for part, stored in (("gain", "weight"), ("shift", "bias"))),
        entry("final_norm.norm", "gain", f"{top}ln_f.weight"),
        entry("final_norm.norm", "shift", f"{top}ln_f.bias"),
    ]
