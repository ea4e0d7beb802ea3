"""Encoders of pictures of BLIP-2, Kimi K2.5, MiniMax M3, GOT-OCR 2.0 and Step 3.7."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.differential.draw import Config, Draw, Drawing


def _widths(draw: Draw, step: int) -> Config:
    heads = draw.between(1, 4)
    return {"num_attention_heads": heads, "hidden_size": step * heads * draw.between(1, 9),
            "num_hidden_layers": draw.depth()}


def kimi_k25(draw: Draw) -> Config:
    """A table of positions that is no square; the published names where they say the same."""
    config = _widths(draw, 8)
    draw.maybe(config, intermediate_size=draw.size(2), patch_size=draw.prime(17),
               pos_emb_height=draw.prime(), pos_emb_width=draw.prime(),
               merge_kernel_size=draw.one_of([1, 1], [2, 2], [3, 3]))
    draw.maybe(config, mm_hidden_size=config["hidden_size"], vt_hidden_size=config["hidden_size"],
               merge_type="sd2_tpool")
    return config


def minimax_m3(draw: Draw) -> Config:
    """Patches of several frames, and patches that become one."""
    config = _widths(draw, 12)
    draw.maybe(config, intermediate_size=draw.size(2), patch_size=draw.prime(17),
               num_channels=draw.between(1, 4), temporal_patch_size=draw.between(1, 3),
               spatial_merge_size=draw.between(1, 3), image_size=2016)
    return config


def got_ocr2(draw: Draw) -> Config:
    """Layers with windows and without, relative positions or none, a table or none."""
    config = _widths(draw, 1)
    patch = draw.prime(17)
    draw.maybe(config, mlp_dim=draw.size(2), output_channels=draw.size(2), qkv_bias=draw.flag(),
               num_channels=draw.between(1, 4), use_rel_pos=draw.flag(), use_abs_pos=draw.flag(),
               window_size=draw.between(1, 20),
               global_attn_indexes=[i for i in range(6) if draw.flag()])
    if draw.flag():
        config |= {"patch_size": patch, "image_size": patch * draw.between(1, 9) + 1}
    return config


def step3p7(draw: Draw) -> Config:
    """A ratio for the width inside; older names of the widths."""
    config = _widths(draw, 4)
    config = {draw.one_of(key, older): config[key] for key, older in (
        ("hidden_size", "width"), ("num_hidden_layers", "layers"),
        ("num_attention_heads", "heads"))}
    patch = draw.prime(17)
    draw.maybe(config, mlp_ratio=draw.one_of(0.7, 2.5, 4.0, 8960 / 1536),
               num_channels=draw.between(1, 4), intermediate_size=draw.size())
    if draw.flag():
        config |= {"patch_size": patch, "image_size": patch * draw.between(1, 9) + 1}
    return config


def _maybe(key: str, number: Callable[[Draw], Any]) -> Callable[[Draw], Config]:
    """The key of a projector, or none."""
    def drawn(draw: Draw) -> Config:
        config: Config = {}
        draw.maybe(config, **{key: number(draw)})
        return config
    return drawn


def fuyu(draw: Draw) -> Config:
    """The patches of a model without an encoder."""
    config: Config = {}
    draw.maybe(config, patch_size=draw.prime(41), num_channels=draw.between(1, 4))
    return config


#: What stands in a composite's configuration for its projector.
BETWEEN = {"blip-2": _maybe("num_query_tokens", lambda draw: draw.prime()), "fuyu": fuyu,
           "kimi_k25": _maybe("projection_hidden_size", lambda draw: draw.size()),
           "minimax_m3_vl": _maybe("projector_hidden_size", lambda draw: draw.size(2)),
           "step3p7": _maybe("projector_bias", lambda draw: draw.flag())}
def blip_2(draw: Draw) -> Config:
    """Biases of queries, keys and values, or none."""
    config = _widths(draw, 1)
    patch = draw.prime(17)
    draw.maybe(config, intermediate_size=draw.size(2), qkv_bias=draw.flag(), num_channels=3)
    if draw.flag():
        config |= {"patch_size": patch, "image_size": patch * draw.between(1, 9) + 1}
    return config


TOWERS = {"blip_2_vision_model": blip_2, "kimi_k25_vision": kimi_k25,
          "minimax_m3_vl_vision": minimax_m3, "got_ocr2_vision": got_ocr2,
          "step3p5_vision": step3p7}
#: ``towers`` draws them, by themselves and in what they stand in.
DRAWN: dict[str, Drawing] = {}
