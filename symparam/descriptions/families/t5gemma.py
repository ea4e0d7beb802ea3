"""T5Gemma: a Gemma 2 as encoder and another as decoder, which looks at the encoder as well.

The two may differ in every size; the head shares the decoder's token table.

Source: Zhang et al. 2025, arXiv:2504.06225; transformers, models/t5gemma.
"""

from __future__ import annotations

from collections.abc import Mapping

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    Side,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.assembling.windows import with_windows
from symparam.descriptions.config import Config
from symparam.descriptions.families.gemma import GEMMA2_DIMS, GEMMA2_SLIDING
from symparam.descriptions.families.gemma import HARMLESS as GEMMA_HARMLESS
from symparam.descriptions.options import with_positions
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("t5gemma",)
CLASSES = {"T5GemmaForConditionalGeneration": "seq2seq", "T5GemmaModel": "base",
           "T5GemmaEncoderModel": "encoder"}
HARMLESS = frozenset({"vocab_size"})
OF_A_SIDE = GEMMA_HARMLESS | {"architectures", "is_decoder", "cross_attention_hidden_size",
                              "tie_word_embeddings"}


def build(config: Config, name: str) -> Model:
    """A T5Gemma from its configuration and those of its two sides."""
    task = config.task(CLASSES, "seq2seq")
    config.only("is_encoder_decoder", True, *([False] if task == "encoder" else []))
    tied = config.flag("tie_word_embeddings", True)
    values, bias = _sides(config)
    config.close(HARMLESS)
    numbers, bound = bound_dims(values, SIDES[task])
    top = "model." if task == "seq2seq" else ""
    last = SIDES[task][-1]
    sides = {side: Side(blocks=_block(side, bound, bias[side]), top=f"{top}{side}.",
                        layers="layers.*.", before=() if side == last else (_token(bound[side]),),
                        after=(slot("norm", "rmsnorm", "norm.", bound[side]),))
             for side in SIDES[task]}
    lm = Slot("lm", find("head", "lm").make({"tied": tied}), "lm_head.out_proj.", bound[last])
    model = encoder_decoder(
        config, name, task, numbers, sides, head=(lm,) if task == "seq2seq" else (),
        embedding=Stack("embedding", (_token(bound[last]),), prefix=f"{top}{last}."))
    for side in SIDES[task]:
        part = config.part(side, "t5_gemma_module")
        model = with_windows(model, part, GEMMA2_SLIDING, side, f"L_{side}", f"window_{side}")
    return with_positions(model, "rope")


def _sides(config: Config) -> tuple[dict[str, int], dict[str, bool]]:
    """The dims of both sides, ``V_encoder`` and so on, and whether their attention has biases."""
    values: dict[str, int] = {}
    bias: dict[str, bool] = {}
    for side in SIDES["seq2seq"]:
        part = config.part(side, "t5_gemma_module")
        values |= {f"{dim}_{side}": number
                   for dim, number in part.dims(GEMMA2_DIMS).items()}
        bias[side] = part.flag("attention_bias", False)
        part.close(OF_A_SIDE)
    return values, bias


def _token(bound: Mapping[str, str]) -> Slot:
    return Slot("token", token("embed_tokens.").component, "embed_tokens.", bound)


def _block(side: str, bound: Mapping[str, Mapping[str, str]], bias: bool) -> Block:
    """A layer with norms before and after each part."""
    own = bound[side]
    norms = {"attention": "self_attn", "ffn": "feedforward"}
    cross: Block = ()
    if side == "decoder":
        norms["cross_attention"] = "cross_attn"
        width = bound["encoder"].get("d_model", "d_model")
        cross = (slot("cross_attention", "gqa", "cross_attn.", {**own, "d_encoder": width},
                      kind="cross-attention", bias=bias),)
    return (slot("attention", "gqa", None, own, bias=bias), *cross, slot("ffn", "geglu", None, own),
            *(slot(f"norms.{part}{end}", "rmsnorm", f"{when}_{stem}_layernorm.", own)
              for part, stem in norms.items() for end, when in (("", "pre"), ("_out", "post"))))
