"""What stands between the two halves of a pair of encoders whose vectors are compared."""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import linear
from symparam.descriptions.assembling.projectors import D_PROJECTION, Projector
from symparam.descriptions.config import Config


def compared(config: Config, width: str) -> Projector:
    """A matrix from each half to a width that both have, and one number (CLIP)."""
    number = config.count_of("projection_dim", default=512)
    return Projector(slots=(linear("visual", "visual_projection.", width, "d_projection"),
                            linear("text", "text_projection.", "d_model", "d_projection"),
                            slot("similarity", "similarity", "")),
                     values={"d_projection": number}, declared=(D_PROJECTION,))


def scaled(config: Config, width: str) -> Projector:
    """Two numbers (SigLIP)."""
    return Projector(slots=(slot("similarity", "similarity", "", axes=1, shift=True),))
