"""Perceiver: latents that look at the input, layers over them, a decoder of text. Rows traced.

Source: Jaegle et al. 2021, arXiv:2107.14795; transformers, models/perceiver.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import traced
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("perceiver",)
CLASSES = {"PerceiverForMaskedLM": "mlm", "PerceiverModel": "base"}
#: Of pictures, flow, video and sound, which other classes read.
HARMLESS = frozenset("""
    _label_trainable_num_channels audio_samples_per_frame image_size num_frames output_num_channels
    output_shape samples_per_patch train_size use_query_residual
""".split())
CHANNELS = ("qk_channels", "v_channels")


def build(config: Config, name: str) -> Model:
    """A Perceiver of text, or one without what reads and writes; its channels given or not."""
    given = [config.optional_count(key) is not None for key in CHANNELS]
    if any(given) and not all(given):
        raise config.error(CHANNELS[given.index(True)], f"{' and '.join(CHANNELS)} are understood "
                           "where both are given, or neither")
    return traced(config, name, CLASSES, "base", HARMLESS, case="-channels" * all(given))
