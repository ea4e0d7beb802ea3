"""T5Gemma 2: a Gemma 3 that sees as encoder, another as decoder that reads it. Rows traced.

Source: Zhang et al. 2025, arXiv:2512.14856; transformers, models/t5gemma2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import Inside, traced
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("t5gemma2",)
CLASSES = {"T5Gemma2ForConditionalGeneration": "seq2seq", "T5Gemma2Model": "base"}
TOKENS = frozenset("""
    boi_token_index classifier_dropout_rate eoi_token_index image_token_index mm_tokens_per_image
""".split())
#: Windows, and what is said of the sides' own ends.
OF_A_SIDE = NO_TABLE | TOKENS | frozenset("""
    cross_attention_hidden_size is_decoder layer_types sliding_window sliding_window_pattern
""".split())
PARTS = {
    "encoder": Inside("t5gemma2_encoder", OF_A_SIDE),
    "decoder": Inside("t5gemma2_decoder", OF_A_SIDE),
    "encoder.text_config": Inside("t5gemma2_text", OF_A_SIDE),
    "encoder.vision_config": Inside("siglip_vision_model")}


def build(config: Config, name: str) -> Model:
    """A T5Gemma 2 from its configuration and those of its sides."""
    return traced(config, name, CLASSES, "seq2seq", TOKENS | {"vocab_size"}, PARTS)
