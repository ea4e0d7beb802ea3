"""Command R: attention and feed-forward side by side behind one LayerNorm without shift, tied.

Command R+ normalises queries and keys, each head with gains of its own.

Source: model cards of CohereForAI/c4ai-command-r-v01, c4ai-command-r-plus and
c4ai-command-r7b-12-2024; transformers, models/cohere and models/cohere2.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("cohere", "cohere2")
CLASSES = classes("Cohere", "Cohere2")
DIMS = {
    "V": ("vocab_size", 256000), "L": ("num_hidden_layers", 40), "d_model": ("hidden_size", 8192),
    "n_heads": ("num_attention_heads", 64), "d_ff": ("intermediate_size", 22528),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"logit_scale"}
OWN = frozenset("""
    cache_implementation layer_switch order_of_interleaved_layers rotary_pct sliding_window
    sliding_window_pattern _sliding_window_pattern
""".split())
#: Keys on the Hub that the code does not read: it always does what they say when true.
ALWAYS = ("use_embedding_sharing", "use_gated_activation", "use_parallel_block",
          "use_parallel_embedding")
LAYER_TYPES = {"sliding_attention": "alike", "full_attention": "alike"}


def _second(config: Config, depth: int) -> None:
    """Read what Command R7B and later ones have: it changes no weight."""
    for key in ALWAYS:
        config.only(key, True)
    config.only("position_embedding_type", "rope_gptj")
    config.kinds("layer_types", LAYER_TYPES, depth, lambda _: "full_attention")
SLIDING = Sliding(default=4096, rule=all_but_every(4, key="sliding_window_pattern"))


def build(config: Config, name: str) -> Model:
    """A Command R from its configuration: a gain is all that its norms have."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", True)
    head_norms = config.model_type == "cohere" and config.flag("use_qk_norm", False)
    if config.model_type == "cohere2":
        _second(config, values["L"])
    config.close(HARMLESS | (OWN if config.model_type == "cohere2" else frozenset()))
    norm = find("norm", "layernorm-gain")()
    block = (attention, *([slot("qk-norm", "heads")] if head_norms else []),
             slot("ffn", "swiglu"), *norm_slots(norm, 1))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         windows=SLIDING if config.model_type == "cohere2" else None)
