"""FSMT, the models of fairseq for WMT 2019: BART's layers, two vocabularies, no norms around.

Positions are computed, but transformers keeps the tables as parameters that may be trained, with
rows up to the padding token's number in front. The head belongs to the decoder, so that the class
without a head has it too.

Source: Ng et al. 2019, arXiv:1907.06616; transformers, models/fsmt.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    Side,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import NAMES, block, dims
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("fsmt",)
CLASSES = {"FSMTForConditionalGeneration": "seq2seq", "FSMTModel": "base"}
DIMS = dims(42024, 1024, 1024, 12, 16, 4096) | {
    "V": ("tgt_vocab_size", "vocab_size", 42024), "V_encoder": ("src_vocab_size", 42024)}
HARMLESS = frozenset({"decoder", "langs"})


def build(config: Config, name: str) -> Model:
    """An FSMT from its configuration; tied, one table serves both sides and the head."""
    task = config.task(CLASSES, "seq2seq")
    values = config.dims(DIMS)
    source = values.pop("V_encoder")
    values, bound = bound_dims(values, SIDES[task])
    tied = config.flag("tie_word_embeddings", False)
    padding = config.number("pad_token_id", 1)
    config.only("is_encoder_decoder", True)
    config.close(HARMLESS)
    own: tuple[Slot, ...] = ()
    if not tied:
        other = source != values["V"]
        own = (token("embed_tokens.", "V_encoder" if other else "V"),)
        values |= {"V_encoder": source} if other else {}
    top = "model." if task == "seq2seq" else ""
    positions = slot("positions", "learned", None, {"n_ctx": "n_rows"})
    sides = {side: Side(blocks=block(side, bound[side]), top=f"{top}{side}.", layers="layers.*.",
                        before=(*(own if side == "encoder" else ()), positions))
             for side in SIDES[task]}
    lm = Slot("lm", find("head", "lm").make({"tied": tied}), f"{top}decoder.output_projection.")
    place = "encoder." if tied else "decoder."  # of one table the first name is the checkpoint's
    rows = Equation("n_rows", ex.Sym("n_ctx") + (padding + 1),
                    "rows up to the padding token's number stand in front")
    return encoder_decoder(config, name, task, values, sides, head=(lm,), names=NAMES,
                           embedding=Stack("embedding", (token("embed_tokens."),),
                                           prefix=top + place), equations=(rows,))
