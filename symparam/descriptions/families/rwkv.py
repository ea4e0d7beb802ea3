"""RWKV-4: a recurrent network that is trained like a transformer.

Source: Peng et al. 2023, arXiv:2305.13048; transformers, models/rwkv.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("rwkv",)
CLASSES = classes("Rwkv")
DIMS = {
    "V": ("vocab_size", 50277), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "d_att": ("attention_hidden_size", None), "d_ff": ("intermediate_size", None),
}
HARMLESS = NO_TABLE | {"context_length", "rescale_every"}
PLACES = Places(top="rwkv.", token="embeddings.", layers="blocks.*.", final_norm="ln_out.",
                head="head.")


def build(config: Config, name: str) -> Model:
    """An RWKV-4; the norm of the embedding stands in the first block of a checkpoint."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "layernorm")()
    block = (slot("mixer", "rwkv"), slot("ffn", "rwkv"), Slot("norms.mixer", norm, "ln1."),
             Slot("norms.ffn", norm, "ln2."))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         embedding=(Slot("norm", norm, "blocks.0.pre_ln."),), positions=None,
                         places=PLACES)
