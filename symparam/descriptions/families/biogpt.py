"""BioGPT: GPT-2's shape with biases throughout; its position table has two rows to spare.

Source: Luo et al. 2022, arXiv:2210.10341; transformers, models/biogpt.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("biogpt",)
CLASSES = classes("BioGpt")
DIMS = {
    "V": ("vocab_size", 42384), "L": ("num_hidden_layers", 24), "d_model": ("hidden_size", 1024),
    "n_heads": ("num_attention_heads", 16), "d_ff": ("intermediate_size", 4096),
    "n_ctx": ("max_position_embeddings", 1024),
}
HARMLESS = frozenset({"is_decoder"})
PLACES = Places(top="biogpt.", final_norm="layer_norm.", head="output_projection.")
NAMES = (*entries("*.attention", O="out_proj"), *entries("*.ffn", up="fc1", down="fc2"))
#: The first two rows of the table belong to no position.
ROWS = Equation("n_rows", ex.Sym("n_ctx") + 2, "two rows of the table are no position's")


def build(config: Config, name: str) -> Model:
    """A BioGPT from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    block = (slot("attention", "mha", bias=True), slot("ffn", "mlp", "", bias=True),
             slot("norms.attention", "layernorm", "self_attn_layer_norm."),
             slot("norms.ffn", "layernorm", "final_layer_norm."))
    return decoder_model(config, name, task, values, block, tied=tied, positions=None,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES,
                         embedding=(slot("positions", "learned", None, {"n_ctx": "n_rows"}),),
                         equations=(ROWS,))
