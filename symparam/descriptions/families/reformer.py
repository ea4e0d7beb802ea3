"""Reformer: attention nearby and by hashes in turn, layers that run backwards. Traced.

Source: Kitaev et al. 2020, arXiv:2001.04451; transformers, models/reformer.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import traced
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("reformer",)
CLASSES = {"ReformerModelWithLMHead": "causal", "ReformerForMaskedLM": "mlm",
           "ReformerModel": "base"}
#: How hashes are made and what is cut into chunks; transformers ties no head of it.
HARMLESS = frozenset("""
    axial_norm_std chunk_size_lm_head hash_seed is_decoder local_attention_probs_dropout_prob
    local_attn_chunk_length local_num_chunks_after local_num_chunks_before
    lsh_attention_probs_dropout_prob lsh_attn_chunk_length lsh_num_chunks_after
    lsh_num_chunks_before max_position_embeddings num_buckets num_chunks_after num_chunks_before
    num_hashes tie_word_embeddings
""".split())
#: The layers that were traced.
LAYERS = ["local", "lsh"] * 3


def build(config: Config, name: str) -> Model:
    """A Reformer of six layers from its configuration."""
    if config.raw("attn_layers", LAYERS) != LAYERS:
        raise config.error("attn_layers", "the rows were found by tracing with "
                           f"{', '.join(LAYERS)} alone; --trace finds those of other layers")
    config.only("num_hidden_layers", len(LAYERS))
    return traced(config, name, CLASSES, "base", HARMLESS | {"attn_layers"})
