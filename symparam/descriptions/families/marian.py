"""Marian (OPUS-MT): BART's layers with computed positions that are stored, and no norms around.

Each side may have a vocabulary of its own; the head is then the decoder's.

Source: Junczys-Dowmunt et al. 2018, arXiv:1804.00344; transformers, models/marian.
"""

from __future__ import annotations

from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import (
    HARMLESS,
    NAMES,
    Traits,
    block,
    check_older_keys,
    dims,
    head,
    side_of,
)
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("marian",)
TRAITS = Traits(stem="Marian", dims=dims(58101, 1024, 1024, 12, 16, 4096), positions="stored",
                input_norm=False,
                tails={"MTModel": "seq2seq", "Model": "base", "ForCausalLM": "causal"})


def build(config: Config, name: str) -> Model:
    """A Marian from its configuration; one vocabulary where the decoder has none of its own."""
    task = config.task({"Marian" + tail: task for tail, task in TRAITS.tails.items()}, "seq2seq")
    values, bound = bound_dims(config.dims(TRAITS.dims), SIDES[task])
    other = config.optional_count("decoder_vocab_size")
    tied = config.flag("tie_word_embeddings", True)
    shared = config.flag("share_encoder_decoder_embeddings", True) and task != "causal"
    check_older_keys(config, task, TRAITS)
    config.close(HARMLESS)
    rows = "V"
    if other not in {None, values["V"]} and not (shared and tied):
        rows, values["V_decoder"] = "V_decoder", other
    top = "" if task == "base" else "model."
    own = {"encoder": (token("embed_tokens."),), "decoder": (token("embed_tokens.", rows),)}
    if shared:
        embedding = Stack("embedding", (token("shared."),), prefix=top)
    else:
        embedding = Stack("embedding", own.pop("decoder"), prefix=f"{top}decoder.")
    if shared and tied:
        own.clear()
    sides = {side: side_of(side, TRAITS, block(side, bound[side]), top, own.get(side, ()),
                           bound[side])
             for side in SIDES[task]}
    scored = rows if not shared and (tied or task != "causal") else "V"
    return encoder_decoder(config, name, task, values, sides, embedding=embedding, names=NAMES,
                           head=head(task, TRAITS, tied, scored))
