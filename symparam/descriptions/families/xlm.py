"""XLM and FlauBERT: encoders with learned positions, languages and a head with a bias.

Source: Lample and Conneau 2019, arXiv:1901.07291; Le et al. 2019, arXiv:1912.05372 (FlauBERT);
transformers, models/xlm and models/flaubert.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import SUMMARY
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("xlm", "flaubert")
CLASSES = {"XLMWithLMHeadModel": "mlm", "XLMModel": "base",
           "FlaubertWithLMHeadModel": "mlm", "FlaubertModel": "base"}
DIMS = {
    "V": ("vocab_size", "n_words", 30145), "L": ("n_layers", "num_hidden_layers", 12),
    "d_model": ("emb_dim", "hidden_size", 2048),
    "n_heads": ("n_heads", "num_attention_heads", 16),
    "n_ctx": ("max_position_embeddings", 512), "n_langs": ("n_langs", 1),
}
HARMLESS = SUMMARY | frozenset("""
    amp bos_index bptt causal clip_grad_norm embed_init_std end_n_top eos_index gelu_activation
    id2lang lang2id lang_id mask_index pad_index pre_norm sinusoidal_embeddings start_n_top
    unk_index
""".split())
PLACES = Places(top="transformer.", token="embeddings.", layers="", head="pred_layer.proj.")
NAMES = (*entries("*.attention", Q="q_lin", K="k_lin", V="v_lin", O="out_lin"),
         *entries("*.ffn", up="lin1", down="lin2"))


def build(config: Config, name: str) -> Model:
    """An encoder of this lineage: d_ff is four times the width, and no key says otherwise."""
    task = config.task(CLASSES, "mlm")
    values = config.dims(DIMS)
    several = config.flag("use_lang_emb", True) and values["n_langs"] > 1
    tied = config.flag("tie_word_embeddings", True)
    config.only("asm", False)
    config.only("is_encoder", True)
    config.only("share_inout_emb", True)
    config.close(HARMLESS)
    norm = find("norm", "layernorm")()
    embedding = [slot("positions", "learned", "position_embeddings."),
                 Slot("norm", norm, "layer_norm_emb.")]
    if several:
        embedding.append(slot("segments", "segments", "lang_embeddings.", {"n_types": "n_langs"}))
    else:
        del values["n_langs"]
    block = (slot("attention", "mha", "attentions.*.", bias=True),
             slot("ffn", "mlp", "ffns.*.", bias=True),
             Slot("norms.attention", norm, "layer_norm1.*."),
             Slot("norms.ffn", norm, "layer_norm2.*."))
    return decoder_model(config, name, "causal" if task == "mlm" else "base", values, block,
                         tied=tied, head_bias=True, final_norm=None, positions=None,
                         places=PLACES, names=NAMES, embedding=embedding)
