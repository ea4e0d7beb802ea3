"""Which model types there are, in which order, and which of them are looked at more closely."""

from __future__ import annotations

import hashlib
import random

#: One type in so many is held against many points, always the same ones.
CLOSELY, MANY, USUAL = 20, 200, 20
SEED = "forty types"
#: What CI runs: of ten kinds (a decoder, a mixture, a recurrence, an encoder, one with two stacks,
#: vision, stages of vision, audio, two towers, a composite), each of which takes some seconds.
TEN = ("glm4", "deepseek_v3", "mamba2", "roberta", "bart", "dinov2", "convnext", "wav2vec2", "clip",
       "llava")


def number_of(model_type: str) -> int:
    """A number that a type has for good."""
    return int.from_bytes(hashlib.sha256(model_type.encode()).digest()[:8], "big")


def points_of(model_type: str) -> int:
    """Held-out points of a type: of each twentieth many.

    >>> sorted(map(points_of, ("llama", "afmoe", "gpt2")))
    [20, 20, 20]
    """
    return USUAL if number_of(model_type) % CLOSELY else MANY


def every() -> list[str]:
    """Every model type of the installed transformers, by their hashes."""
    from transformers import CONFIG_MAPPING

    return sorted(CONFIG_MAPPING.keys(), key=number_of)


def shuffled(seed: str = SEED) -> list[str]:
    """Every model type that has a model class of its own, in an order at random."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    types = sorted(set(CONFIG_MAPPING.keys()) & set(MODEL_MAPPING_NAMES))
    random.Random(seed).shuffle(types)
    return types
