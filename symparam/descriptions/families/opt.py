"""OPT: learned positions with two rows to spare, norms before or after, a narrow embedding.

Source: Zhang et al. 2022, arXiv:2205.01068; transformers, models/opt.
"""

from __future__ import annotations

from dataclasses import replace

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("opt",)
CLASSES = classes("OPT")
DIMS = {
    "V": ("vocab_size", 50272), "L": ("num_hidden_layers", 12), "d_model": ("hidden_size", 768),
    "n_heads": ("num_attention_heads", 12), "d_ff": ("ffn_dim", 3072),
    "n_ctx": ("max_position_embeddings", 2048), "d_embed": ("word_embed_proj_dim", None),
}
HARMLESS = frozenset({"scale_embeddings"})
PLACES = Places(token="decoder.embed_tokens.", layers="decoder.layers.*.",
                final_norm="decoder.final_layer_norm.")
NAMES = (*entries("*.attention", O="out_proj"), *entries("*.ffn", up="fc1", down="fc2"))
#: The first two rows of the table belong to no position.
ROWS = Equation("n_rows", ex.Sym("n_ctx") + 2, "two rows of the table are no position's")
NARROW = {"d_model": "d_embed"}
BACK = {"d_model": "d_embed", "d_embed": "d_model"}


def build(config: Config, name: str) -> Model:
    """An OPT from its configuration; the embedding is as wide as the model unless it says."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = config.flag("enable_bias", True)
    norm = find("norm", "layernorm" if config.flag("layer_norm_elementwise_affine", True)
                else "none")()
    before = config.flag("do_layer_norm_before", True)
    removed = config.flag("_remove_final_layer_norm", False)
    tied = config.flag("tie_word_embeddings", True)
    config.only("learned_embeddings", True)
    config.close(HARMLESS)
    narrow = values.get("d_embed", values["d_model"]) != values["d_model"]
    if not narrow:
        values.pop("d_embed", None)
    block = (slot("attention", "mha", bias=bias), slot("ffn", "mlp", "", bias=bias),
             Slot("norms.attention", norm, "self_attn_layer_norm."),
             Slot("norms.ffn", norm, "final_layer_norm."))
    positions = slot("positions", "learned", "decoder.embed_positions.", {"n_ctx": "n_rows"})
    there = slot("projection", "linear", "decoder.project_in.")
    back = slot("projection", "linear", "decoder.project_out.", BACK)
    model = decoder_model(
        config, name, task, values, block, tied=tied, positions=None, places=PLACES, names=NAMES,
        final_norm=norm if before and not removed else None, equations=(ROWS,),
        embedding=(there, positions) if narrow else (positions,), after=(back,) if narrow else (),
        token=NARROW if narrow else None)
    return replace(model, stacks=tuple(map(_narrow_head, model.stacks))) if narrow else model


def _narrow_head(stack: Stack) -> Stack:
    """The head reads the embedding's width again."""
    if stack.name != "head":
        return stack
    return replace(stack, slots=tuple(replace(s, bound=NARROW) for s in stack.slots))
