"""TrOCR's decoder: BART's, over the output of an encoder of images, which is another model.

Source: Li et al. 2021, arXiv:2109.10282; transformers, models/trocr.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.components import find
from symparam.descriptions.assembling.encoder_decoder import encoder_decoder, token
from symparam.descriptions.config import Config
from symparam.descriptions.families import bart
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("trocr",)
DIMS = {
    "V": ("vocab_size", 50265), "n_ctx": ("max_position_embeddings", 512),
    "d_model": ("d_model", "hidden_size", 1024),
    "L_decoder": ("decoder_layers", "num_hidden_layers", 12),
    "n_heads": ("decoder_attention_heads", "num_attention_heads", 16),
    "d_ff": ("decoder_ffn_dim", 4096), "d_encoder": ("cross_attention_hidden_size", None),
}
TOP = "model.decoder."


def build(config: Config, name: str) -> Model:
    """A TrOCR decoder from its configuration; the encoder is as wide where no width is said."""
    task = config.task({"TrOCRForCausalLM": "causal"}, "causal")
    values = config.dims(DIMS)
    learned = config.flag("use_learned_position_embeddings", True)
    traits = bart.Traits(stem="TrOCR", dims={}, tails={},
                         positions="learned" if learned else "computed",
                         input_norm=config.flag("layernorm_embedding", True))
    tied = config.flag("tie_word_embeddings", True)
    config.close({"add_cross_attention", "is_decoder"})  # a decoder over an encoder in any case
    if not learned:
        del values["n_ctx"]
    layer = bart.block("decoder", {})
    if "d_encoder" in values:
        layer = tuple(replace(each, bound={}) if each.path == "cross_attention" else each
                      for each in layer)
    side = bart.side_of("decoder", traits, layer, "model.", (), {})
    head = Slot("lm", find("head", "lm").make({"tied": tied}), "output_projection.")
    return encoder_decoder(config, name, task, values, {"decoder": side}, head=(head,),
                           embedding=Stack("embedding", (token("embed_tokens."),), prefix=TOP),
                           names=bart.NAMES, equations=bart.rules(traits))
