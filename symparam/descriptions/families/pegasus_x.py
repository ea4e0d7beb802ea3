"""PEGASUS-X: PEGASUS whose encoder sees blocks of tokens, and all of them through global tokens.

Global tokens are a table of their own; tokens and global ones share the projections of attention,
which have no biases.

Source: Phang et al. 2022, arXiv:2208.04347; transformers, models/pegasus_x.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.config import Config
from symparam.descriptions.families import bart
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("pegasus_x",)
TRAITS = bart.Traits(
    stem="PegasusX", dims=bart.dims(96103, 16384, 1024, 16, 16, 4096) | {
        "n_global": ("num_global_tokens", 32)},
    positions="computed", input_norm=False, final_norm=True, logits_bias=False,
    tails={tail: task for tail, task in bart.TAILS.items() if task != "causal"})
HARMLESS = frozenset({"axial_attention", "block_size", "stagger_local_blocks"})


def build(config: Config, name: str) -> Model:
    """A PEGASUS-X from its configuration."""
    task = config.task({f"PegasusX{tail}": task for tail, task in TRAITS.tails.items()}, "seq2seq")
    values, bound = bound_dims(config.dims(TRAITS.dims), SIDES[task])
    tied = config.flag("tie_word_embeddings", True)
    bart.check_older_keys(config, task, TRAITS)
    config.left_out.append("the work of the global tokens, which pass through the encoder too")
    config.close(bart.HARMLESS | HARMLESS)
    top, own = "model." if task == "seq2seq" else "", () if tied else (token("embed_tokens."),)
    sides = {side: bart.side_of(side, TRAITS, bart.block(side, bound[side], bias=False), top, own,
                                bound[side]) for side in SIDES[task]}
    encoder = sides["encoder"]
    globals_ = slot("global_tokens", "learned", "embed_global.", {"n_ctx": "n_global"},
                    kind="positions")
    norm = slot("norms.global", "layernorm", "global_self_attn_layer_norm.")
    sides["encoder"] = replace(encoder, before=(*encoder.before, globals_),
                               blocks=(*encoder.blocks, norm))
    return encoder_decoder(config, name, task, values, sides,
                           embedding=Stack("embedding", (token("shared."),), prefix=top),
                           head=bart.head(task, TRAITS, tied), names=bart.NAMES)
