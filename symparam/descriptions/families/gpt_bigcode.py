"""GPT-BigCode (StarCoder): GPT-2 with one key-value head for all.

Source: Li et al. 2023, arXiv:2305.06161; Ben Allal et al. 2023, arXiv:2301.03988; transformers,
models/gpt_bigcode.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import SUMMARY
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("gpt_bigcode",)
CLASSES = classes("GPTBigCode")
DIMS = {
    "V": ("vocab_size", 50257), "L": ("n_layer", "num_hidden_layers", 12),
    "d_model": ("n_embd", "hidden_size", 768), "n_heads": ("n_head", "num_attention_heads", 12),
    "n_ctx": ("n_positions", "max_position_embeddings", 1024), "d_ff": ("n_inner", None),
}
#: num_key_value_heads is written to a configuration and never read from it.
HARMLESS = SUMMARY | frozenset("""
    inference_runner max_batch_size max_sequence_length n_ctx num_key_value_heads pad_key_length
    pre_allocate_kv_cache scale_attention_softmax_in_fp32 validate_runner_input
""".split())
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", Q_K_V="c_attn", O="c_proj"),
         *entries("*.ffn", up="c_fc", down="c_proj"))


def build(config: Config, name: str) -> Model:
    """A GPT-BigCode from its configuration: n_inner missing means 4·d_model, as a rule."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    kind = "mqa" if config.flag("multi_query", True) else "mha"
    tied = config.flag("tie_word_embeddings", True)
    config.only("add_cross_attention", False)
    config.close(HARMLESS)
    block = (slot("attention", kind, "attn.", bias=True), slot("ffn", "mlp", bias=True),
             slot("norms.attention", "layernorm", "ln_1."),
             slot("norms.ffn", "layernorm", "ln_2."))
    return decoder_model(config, name, task, values, block, tied=tied, positions=None,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES,
                         embedding=(slot("positions", "learned", "wpe."),))
