"""LED: BART's layers with windowed attention in the encoder, and projections for global tokens.

Source: Beltagy et al. 2020, arXiv:2004.05150, section 7; transformers, models/led.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.assembling.windows import Sliding, with_windows
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
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("led",)
WINDOWED = "longformer_self_attn"
DIMS = {dim: keys for dim, keys in dims(50265, 1024, 1024, 12, 16, 4096).items()
        if dim != "n_ctx"} | {
    "n_ctx_encoder": ("max_encoder_position_embeddings", 16384),
    "n_ctx_decoder": ("max_decoder_position_embeddings", 1024)}
TRAITS = Traits(stem="LED", dims=DIMS, extra_rows=0,
                tails={"ForConditionalGeneration": "seq2seq", "Model": "base"})
LED_NAMES = (*entries("encoder.attention", Q=f"{WINDOWED}.query", K=f"{WINDOWED}.key",
                      V=f"{WINDOWED}.value", O="output"), *NAMES)
SLIDING = Sliding(key="attention_window", default=512)


def build(config: Config, name: str) -> Model:
    """An LED from its configuration; each side has its own number of positions."""
    task = config.task({"LED" + tail: task for tail, task in TRAITS.tails.items()}, "seq2seq")
    values, bound = bound_dims(config.dims(TRAITS.dims), SIDES[task])
    tied = config.flag("tie_word_embeddings", True)
    check_older_keys(config, task, TRAITS)
    config.close(HARMLESS | {"attention_window"})
    top = "led." if task == "seq2seq" else ""
    own = () if tied else (token("embed_tokens."),)
    made = {}
    for side in SIDES[task]:
        layer = block(side, bound[side])
        if side == "encoder":
            layer = (*layer[:1], slot("global_attention", "global-attention",
                                      f"self_attn.{WINDOWED}.", bound[side],
                                      kind="global-attention", bias=True), *layer[1:])
        made[side] = side_of(side, TRAITS, layer, top, own, bound[side])
    model = encoder_decoder(config, name, task, values, made, head=head(task, TRAITS, tied),
                            embedding=Stack("embedding", (token("shared."),), prefix=top),
                            names=LED_NAMES)
    return with_windows(model, config, SLIDING, "encoder", "L_encoder", "window_encoder")
