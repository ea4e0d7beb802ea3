"""T5 and what has its shape: mT5, ByT5, UMT5; an encoder and a decoder without biases or positions.

RMSNorms stand before each part, a table of biases by distance takes the place of positions (one
for a whole side; one a layer in UMT5), and version 1.1 gates its feed-forward network.

``tie_word_embeddings`` is followed as it stands in the file: the checkpoints of T5 1.1 and mT5
hold a head of their own and say false. transformers 5 ties the head of any T5 whatever is said.

Source: Raffel et al. 2019, arXiv:1910.10683; Xue et al. 2020, arXiv:2010.11934; Chung et al.
2023, arXiv:2304.09151; transformers, models/t5, models/mt5, models/umt5.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder_decoder import SIDES, Side, encoder_decoder, token
from symparam.descriptions.config import Config
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("t5", "mt5", "umt5")
STEMS = {"t5": "T5", "mt5": "MT5", "umt5": "UMT5"}
TAILS = {"ForConditionalGeneration": "seq2seq", "WithLMHeadModel": "seq2seq", "Model": "base",
         "EncoderModel": "encoder"}
DIMS = {
    "V": ("vocab_size", 250112), "d_model": ("d_model", "hidden_size", 512),
    "d_head": ("d_kv", "head_dim", 64), "d_ff": ("d_ff", 1024),
    "L_encoder": ("num_layers", "num_hidden_layers", 8),
    "L_decoder": ("num_decoder_layers", None),
    "n_heads": ("num_heads", "num_attention_heads", 6),
    "n_buckets": ("relative_attention_num_buckets", 32),
}
T5_DIMS = DIMS | {"V": ("vocab_size", 32128), "d_ff": ("d_ff", 2048),
                  "L_encoder": ("num_layers", "num_hidden_layers", 6),
                  "n_heads": ("num_heads", "num_attention_heads", 8)}
HARMLESS = frozenset("""
    relative_attention_max_distance n_positions scale_decoder_outputs dense_act_fn
""".split())
NAMES = (*entries("*.attention", Q="q", K="k", V="v", O="o"),
         *entries("*.cross_attention", Q="q", K="k", V="v", O="o"),
         entry("*.ffn", "W_down", ".wo.weight"))
PLAIN = (entry("*.ffn", "W_up", ".wi.weight"),)
GATED = (entry("*.ffn", "W_gate", ".wi_0.weight"), entry("*.ffn", "W_up", ".wi_1.weight"))
UNTIED = ("the tie of the head that transformers 5 makes in every {}: tie_word_embeddings is "
          "false, and checkpoints that say so hold a head of their own")
SYMMETRY = Equation("L_decoder", ex.Sym("L_encoder"),
                    "the configuration has no number of decoder layers")


def build(config: Config, name: str) -> Model:
    """A T5 from its configuration; as many decoder layers as encoder layers where it has none."""
    stem = STEMS[config.model_type]
    task = config.task({stem + tail: task for tail, task in TAILS.items()}, "seq2seq")
    values = config.dims(T5_DIMS if config.model_type == "t5" else DIMS)
    ffn = ffn_kind(config, "relu" if config.model_type == "t5" else "gated-gelu")
    tied = config.flag("tie_word_embeddings", True)
    if task == "seq2seq" and not tied:
        config.left_out.append(UNTIED.format(config.model_type))
    config.only("is_decoder", False, None)
    config.only("is_encoder_decoder", True, *([False] if task == "encoder" else []))
    config.close(HARMLESS)
    if task == "encoder":
        values.pop("L_decoder", None)
    each_layer = config.model_type == "umt5"
    tables = (bias(""),) if each_layer else ()
    sides = {side: Side(blocks=(*tables, *block(side, ffn)), top=f"{side}.", layers="block.*.",
                        before=() if each_layer else (bias("block.0."),),
                        after=(slot("norm", "rmsnorm", "final_layer_norm."),))
             for side in SIDES[task]}
    head = (Slot("lm", find("head", "lm").make({"tied": tied})),) if task == "seq2seq" else ()
    equations = () if task == "encoder" or "L_decoder" in values else (SYMMETRY,)
    return encoder_decoder(config, name, task, values, sides, head=head, equations=equations,
                           embedding=Stack("embedding", (token("shared."),)),
                           names=(*NAMES, *(PLAIN if ffn == "mlp" else GATED)))


def ffn_kind(config: Config, default: str) -> str:
    """The feed-forward network's kind, as ``feed_forward_proj`` says."""
    kind = config.text("feed_forward_proj", default)
    first, _, second = kind.partition("-")
    if bool(second) != (first == "gated") or "-" in second:
        raise config.error("feed_forward_proj", f"{kind[:40]!r} is not understood; expected an "
                           "activation, or gated- in front of one")
    config.only("is_gated_act", first == "gated")
    if first != "gated":
        return "mlp"
    return "swiglu" if second in {"silu", "swish"} else "geglu"


def bias(layer: str, attention: str = "SelfAttention") -> Slot:
    """The table of biases by distance, in the attention of a layer."""
    return slot("positions", "relative-bias", f"{layer}layer.0.{attention}.")


def block(side: str, ffn: str, attention: str = "SelfAttention") -> Block:
    """A layer: each part with its norm; the decoder's looks at the encoder in between."""
    before = (slot("attention", "mha", f"layer.0.{attention}."),
              slot("norms.attention", "rmsnorm", "layer.0.layer_norm."))
    cross = (slot("cross_attention", "mha", "layer.1.EncDecAttention.", {"d_encoder": "d_model"},
                  kind="cross-attention"),
             slot("norms.cross_attention", "rmsnorm", "layer.1.layer_norm."))
    last = 2 if side == "decoder" else 1
    after = (slot("ffn", ffn, f"layer.{last}.DenseReluDense."),
             slot("norms.ffn", "rmsnorm", f"layer.{last}.layer_norm."))
    return (*before, *(cross if side == "decoder" else ()), *after)
