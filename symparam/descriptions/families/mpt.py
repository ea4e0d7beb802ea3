"""MPT: linear biases for positions, no biases at all, LayerNorms without shift.

Source: MosaicML 2023, github.com/mosaicml/llm-foundry (MPT-7B, MPT-30B); transformers,
models/mpt, which builds the published shape whatever some keys say. Values of these keys that
would mean other weights are refused.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("mpt",)
CLASSES = classes("Mpt", MPTForCausalLM="causal", MPTModel="base")
DIMS = {
    "V": ("vocab_size", 50368), "L": ("n_layers", "num_hidden_layers", 24),
    "d_model": ("d_model", "hidden_size", 2048), "n_heads": ("n_heads", "num_attention_heads", 16),
}
HARMLESS = frozenset("""
    embedding_fraction init_config init_device learned_pos_emb logit_scale max_seq_len
    tokenizer_name verbose
""".split())
ATTENTION_HARMLESS = frozenset("""
    alibi_bias_max attn_impl attn_uses_sequence_id prefix_lm softmax_scale model_type architectures
""".split())
PLACES = Places(top="transformer.", token="wte.", layers="blocks.*.", final_norm="norm_f.")
NAMES = (*entries("*.attention", Q_K_V="Wqkv", O="out_proj"),)


def build(config: Config, name: str) -> Model:
    """An MPT from its configuration: d_ff is four times the width."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.only("expansion_ratio", 4)
    config.only("no_bias", True)
    config.only("norm_type", "low_precision_layernorm", "layernorm")
    if config.raw("attn_config", None) is not None:
        _check_attention(config.part("attn_config", "mpt"))
    config.close(HARMLESS)
    norm = find("norm", "layernorm-gain")()
    block = (slot("attention", "mha", "attn."), slot("ffn", "mlp", "ffn."),
             Slot("norms.attention", norm, "norm_1."), Slot("norms.ffn", norm, "norm_2."))
    return decoder_model(config, name, task, values, block, tied=tied, final_norm=norm,
                         positions="alibi", places=PLACES, names=NAMES)


def _check_attention(attention: Config) -> None:
    """Refuse what the attention's own table says of weights that the module does not have."""
    attention.only("alibi", True)
    attention.only("attn_type", "multihead_attention")
    attention.only("qk_ln", False)
    attention.close(ATTENTION_HARMLESS)
