"""GPT, the first: learned positions, LayerNorms after each part, none at the end.

Source: Radford et al. 2018, Improving Language Understanding by Generative Pre-Training;
transformers, models/openai.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import SUMMARY
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("openai-gpt",)
CLASSES = {"OpenAIGPTLMHeadModel": "causal", "OpenAIGPTModel": "base"}
DIMS = {
    "V": ("vocab_size", 40478), "L": ("n_layer", "num_hidden_layers", 12),
    "d_model": ("n_embd", "hidden_size", 768), "n_heads": ("n_head", "num_attention_heads", 12),
    "n_ctx": ("n_positions", "max_position_embeddings", 512),
}
HARMLESS = SUMMARY | frozenset("afn n_ctx n_special predict_special_tokens".split())
PLACES = Places(top="transformer.", token="tokens_embed.", layers="h.*.")
NAMES = (*entries("*.attention", True, Q_K_V="c_attn", O="c_proj"),
         *entries("*.ffn", True, up="c_fc", down="c_proj"))


def build(config: Config, name: str) -> Model:
    """A GPT from its configuration: d_ff is four times the width, and no key says otherwise."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    block = (slot("attention", "mha", "attn.", bias=True), slot("ffn", "mlp", bias=True),
             slot("norms.attention", "layernorm", "ln_1."),
             slot("norms.ffn", "layernorm", "ln_2."))
    return decoder_model(config, name, task, values, block, tied=tied, positions=None,
                         final_norm=None, places=PLACES, names=NAMES,
                         embedding=(slot("positions", "learned", "positions_embed."),))
