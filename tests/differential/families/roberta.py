"""RoBERTa and what has its layers."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing
from tests.differential.encoders import decoder_too, encoder

STEMS = {"roberta": "Roberta", "xlm-roberta": "XLMRoberta", "camembert": "Camembert",
         "data2vec-text": "Data2VecText", "xlm-roberta-xl": "XLMRobertaXL",
         "roberta-prelayernorm": "RobertaPreLayerNorm"}


def drawing(stem: str) -> Drawing:
    """The encoder with pooler, or one of two heads."""
    def drawn(draw: Draw) -> Config:
        config = encoder(draw, f"{stem}Model", f"{stem}ForMaskedLM", f"{stem}ForCausalLM")
        if "max_position_embeddings" not in config:
            config["max_position_embeddings"] = draw.size(2)
        return decoder_too(draw, config)
    return drawn


DRAWN = {model_type: drawing(stem) for model_type, stem in STEMS.items()}
