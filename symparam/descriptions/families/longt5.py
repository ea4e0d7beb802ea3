"""LongT5: T5 with local attention in the encoder, or local attention and one token a block.

With ``transient-global`` attention each encoder layer has a norm for the tokens of the blocks,
and the encoder a second table of biases. A head of its own is refused: configurations say
``tie_word_embeddings`` false, and transformers ties all the same.

Source: Guo et al. 2021, arXiv:2112.07916; transformers, models/longt5.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder_decoder import SIDES, Side, encoder_decoder, token
from symparam.descriptions.config import Config
from symparam.descriptions.families import t5
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("longt5",)
CLASSES = {"LongT5ForConditionalGeneration": "seq2seq", "LongT5Model": "base",
           "LongT5EncoderModel": "encoder"}
HARMLESS = t5.HARMLESS | {"local_radius", "global_block_size"}
KINDS = {"local": "LocalSelfAttention", "transient-global": "TransientGlobalSelfAttention"}
GLOBAL = entry("*.global_positions", "W_B", ".global_relative_attention_bias.weight")


def build(config: Config, name: str) -> Model:
    """A LongT5 from its configuration; its head is tied."""
    task = config.task(CLASSES, "seq2seq")
    values = config.dims(t5.T5_DIMS)
    ffn = t5.ffn_kind(config, "relu")
    config.only("encoder_attention_type", *KINDS)
    kind = config.text("encoder_attention_type", "local")
    config.only("tie_word_embeddings", True)
    config.only("is_decoder", False, None)
    config.only("is_encoder_decoder", True, *([False] if task == "encoder" else []))
    config.close(HARMLESS)
    if task == "encoder":
        values.pop("L_decoder", None)
    sides = {side: _side(side, ffn, kind if side == "encoder" else "") for side in SIDES[task]}
    lm = Slot("lm", find("head", "lm").make({"tied": True}))
    equations = () if task == "encoder" or "L_decoder" in values else (t5.SYMMETRY,)
    return encoder_decoder(config, name, task, values, sides, equations=equations,
                           head=(lm,) if task == "seq2seq" else (),
                           embedding=Stack("embedding", (token("shared."),)),
                           names=(*t5.NAMES, GLOBAL, *(t5.PLAIN if ffn == "mlp" else t5.GATED)))


def _side(side: str, ffn: str, kind: str) -> Side:
    attention = KINDS.get(kind, "SelfAttention")
    layer, before = t5.block(side, ffn, attention), [t5.bias("block.0.", attention)]
    if kind == "transient-global":
        place = f"layer.0.{attention}."
        layer += (slot("norms.global", "rmsnorm", f"{place}global_input_layer_norm."),)
        before.append(slot("global_positions", "relative-bias", f"block.0.{place}",
                           kind="positions"))
    return Side(blocks=layer, top=f"{side}.", layers="block.*.", before=tuple(before),
                after=(slot("norm", "rmsnorm", "final_layer_norm."),))
