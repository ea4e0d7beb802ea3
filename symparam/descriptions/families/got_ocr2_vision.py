"""GOT-OCR 2.0's encoder of pictures, which is SAM's: windows, relative positions, a neck.

A layer sees a window, or all of the picture; its relative positions have as many rows as that
needs. The neck is two convolutions, each with a norm.

Source: Kirillov et al. 2023, arXiv:2304.02643; Li et al. 2021, arXiv:2112.01526, section 3.1;
transformers, models/got_ocr2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import D_OUT, picture_encoder, sides
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("got_ocr2_vision",)
CLASSES = {"GotOcr2VisionEncoder": "base"}
DIMS = {"d_model": ("hidden_size", 768), "d_ff": ("mlp_dim", 3072),
        "n_heads": ("num_attention_heads", 12), "n_channels": ("num_channels", 3),
        "d_out": ("output_channels", 256)}
SIDES = {"d_image": ("image_size", 1024), "d_patch": ("patch_size", 16)}
GLOBAL = (2, 5, 8, 11)
NAMES = (*entries("*.attention", Q_K_V="qkv", O="proj"), *entries("*.ffn", up="lin1", down="lin2"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, SIDES) | {"k_conv": 3}
    depth = config.count_of("num_hidden_layers", default=12)
    window = config.count_of("window_size", default=14)
    wide = _global(config)
    qkv = config.flag("qkv_bias", True)
    relative = config.flag("use_rel_pos", True)
    absolute = config.flag("use_abs_pos", True)
    config.close()
    pattern = ["global" if i in wide else "window" for i in range(depth)]
    if relative:
        values |= {"n_window": window} if "window" in pattern else {}
    else:
        pattern = ["window"] * depth
    blocks = {kind: _layer(kind, qkv, relative) for kind in ("window", "global")}
    positions = (slot("positions", "picture", "pos_embed", axes=1, grid=True),)
    return picture_encoder(
        config, name, values, blocks, "layers.*.", pattern=pattern, embeddings="",
        before=(slot("patches", "patches", "patch_embed.projection.", bias=True),
                *(positions if absolute else ())),
        further=(_neck(),), names=NAMES, declared=(D_OUT,))


def _global(config: Config) -> list[int]:
    """The numbers of the layers that see all of the picture."""
    found = config.raw("global_attn_indexes", list(GLOBAL))
    if not isinstance(found, list) or any(type(each) is not int for each in found):
        raise config.error("global_attn_indexes", "expected a list of layer numbers")
    return found


def _layer(kind: str, qkv: bool, relative: bool) -> Block:
    """A layer with the relative positions of what it sees."""
    table = slot("positions", "sides", "attn.", seen=kind == "window")
    return (slot("attention", "mha", "attn.", bias=["qkv", "attn-out"] if qkv else ["attn-out"]),
            *((table,) if relative else ()), slot("ffn", "mlp", "mlp.", bias=True),
            slot("norms.attention", "layernorm", "layer_norm1."),
            slot("norms.ffn", "layernorm", "layer_norm2."))


def _neck() -> Stack:
    """Two convolutions to another number of channels, each with a norm."""
    after, wide = {"d_model": "d_out"}, {"d_embed": "d_model", "d_model": "d_out"}
    again = {"d_embed": "d_out", "d_model": "d_out"}
    return Stack("neck", (slot("convolution.first", "plane", "conv1.", wide, single=True),
                          slot("norms.first", "layernorm", "layer_norm1.", after),
                          slot("convolution.second", "plane", "conv2.", again),
                          slot("norms.second", "layernorm", "layer_norm2.", after)),
                 prefix="neck.")
