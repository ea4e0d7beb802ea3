"""Phi-4-multimodal: Phi-3's layers with a tower for pictures and one for sound. Rows traced.

What is published keeps adapters of low rank beside them, which transformers loads apart.

Source: Microsoft 2025, arXiv:2503.01743; transformers, models/phi4_multimodal.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import Inside, traced
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("phi4_multimodal",)
CLASSES = {"Phi4MultimodalForCausalLM": "causal"}
HARMLESS = NO_TABLE | {"original_max_position_embeddings", "sliding_window"}
PARTS = {
    "vision_config": Inside("phi4_multimodal_vision", frozenset("""
        crop_size feature_layer image_token_id""".split())),
    "audio_config": Inside("phi4_multimodal_audio", frozenset("""
        activation audio_token_id chunk_size conv_activation conv_glu_type dropout_rate
        feature_layer left_chunk nemo_activation nemo_final_size""".split()))}


def build(config: Config, name: str) -> Model:
    """A Phi-4-multimodal from its configuration, its head tied or not."""
    tied = config.flag("tie_word_embeddings", False)
    return traced(config, name, CLASSES, "causal", HARMLESS, PARTS, case="-tied" * tied)
