"""Rules that depend on the kind of tower, and wholes that have none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.descriptions.config import Config
from symparam.descriptions.seeing.rules import only, unknown
from symparam.descriptions.seeing.sizes import CLASS_TOKENS, all_patches, by_rows
from symparam.sight import Picture


def of_llava(config: Config, tower: Mapping[str, Any]) -> Picture:
    """LLaVA with a tower of Pixtral's is Pixtral; with others, all patches of one size."""
    if tower["model_type"] == "pixtral":
        return by_rows(config, tower)
    return only(SEEING, all_patches())(config, tower)


CLIPS, SIGLIPS = ("clip_vision_model",), ("siglip_vision_model",)
SEEING = tuple(CLASS_TOKENS)
APART = unknown("has no language model whose sequence a picture would enter")
OPEN = unknown("sees, and how many positions a picture takes is not worked out")
CROSSED = unknown("reads pictures by cross-attention: they take no positions of the sequence")
