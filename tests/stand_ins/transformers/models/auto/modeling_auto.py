"""Models by types and by what they are for."""

from __future__ import annotations

CONFIG_MAPPING_NAMES = {"beside": "BesideConfig", "lonely": "LonelyConfig"}
MODEL_MAPPING_NAMES = {
    "decoder": "DecoderModel", "pair": "PairModel", "tower": "TowerModel"}
MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = {
    "decoder": "DecoderForCausalLM", "pair": "PairForCausalLM", "renamed": "RenamedModel",
    "shown": "ShownModel", "strange": "StrangeModel"}
MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES = {
    "decoder": "DecoderForPictures", "pair": "PairForPictures", "broken": "BrokenModel"}
MODEL_FOR_ANYTHING_MAPPING_NAMES = {"broken": ("NotThere", "BrokenOtherModel")}
