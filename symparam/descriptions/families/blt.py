"""BLT: bytes in patches; an encoder and a decoder of bytes around a Llama of patches. Rows traced.

Source: Pagnoni et al. 2024, arXiv:2412.09871; transformers, models/blt.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import Inside, traced
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("blt",)
CLASSES = {"BltForCausalLM": "causal", "BltModel": "base"}
#: How bytes are put into patches, and windows; the parts' own ties, which their classes take back.
PATCHES = NO_TABLE | frozenset("""
    local_attention_window_len max_patch_length patch_size patching_batch_size
    patching_mode patching_threshold
""".split())
OF_A_PART = NO_TABLE | frozenset("""
    encoder_cross_output_size head_dim sliding_window tie_word_embeddings
""".split())
PARTS = {f"{part}_config": Inside(f"blt_{model_type}", OF_A_PART) for part, model_type in (
    ("patcher", "patcher"), ("encoder", "local_encoder"), ("decoder", "local_decoder"),
    ("global", "global_transformer"))}


def build(config: Config, name: str) -> Model:
    """A BLT from its configuration and those of its four parts."""
    config.only("encoder_hash_byte_group_size", [3, 4, 5, 6, 7, 8], None, [])
    return traced(config, name, CLASSES, "causal", PATCHES, PARTS)
