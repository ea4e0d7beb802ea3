"""Pairs of encoders that are compared: CLIP, SigLIP, SigLIP 2, whole."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing
from tests.differential.families.single_towers import TEXTS
from tests.differential.families.towers import tower


def _pair(cls: str, kind: str) -> Drawing:
    def drawn(draw: Draw) -> Config:
        config: Config = {"architectures": [cls]}
        text = TEXTS[f"{kind}_text_model"](draw)
        vision = tower(draw, f"{kind}_vision_model")
        draw.maybe(config, text_config=text, vision_config=vision)
        if kind == "clip":
            draw.maybe(config, projection_dim=draw.size(), logit_scale_init_value=1.5)
            if draw.between(0, 5) == 0:
                config |= {"text_config_dict": TEXTS["clip_text_model"](draw)}
            if draw.between(0, 5) == 0:
                config["vision_config_dict"] = tower(draw, "clip_vision_model")
        return config
    return drawn


DRAWN = {kind: _pair(cls, kind) for kind, cls in (
    ("clip", "CLIPModel"), ("siglip", "SiglipModel"), ("siglip2", "Siglip2Model"))}
