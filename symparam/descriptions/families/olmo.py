"""OLMo: Llama's parts with other norms; without weights, then after each part and on the heads.

OLMo 1 normalises without gains. OLMo 2 and 3 put RMSNorm behind attention and feed-forward
instead of in front, and one over all queries and one over all keys.

Source: Groeneveld et al. 2024, arXiv:2402.00838; Team OLMo 2024, arXiv:2501.00656; transformers,
models/olmo, models/olmo2 and models/olmo3.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("olmo", "olmo2", "olmo3")
CLASSES = classes("Olmo", "Olmo2", "Olmo3")
DIMS = {
    "V": ("vocab_size", 50304), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 11008),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
LAYER_TYPES = {"sliding_attention": "alike", "full_attention": "alike"}
SLIDING = Sliding(default=4096, rule=all_but_every(4))


def build(config: Config, name: str) -> Model:
    """An OLMo from its configuration: the kinds of attention in OLMo 3 have the same weights."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    slides = config.model_type == "olmo3"
    if slides:
        config.kinds("layer_types", LAYER_TYPES, values["L"], lambda _: "full_attention")
    config.close(NO_TABLE | ({"sliding_window"} if slides else set()))
    ffn = slot("ffn", "swiglu")
    if config.model_type == "olmo":
        norm = find("norm", "none")()
        block = (attention, ffn, *norm_slots(norm, 2))
    else:
        norm = find("norm", "rmsnorm")()
        block = (attention, slot("qk-norm", "width"), ffn,
                 slot("norms.attention_out", "rmsnorm", "post_attention_layernorm."),
                 slot("norms.ffn_out", "rmsnorm", "post_feedforward_layernorm."))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         windows=SLIDING if slides else None)
