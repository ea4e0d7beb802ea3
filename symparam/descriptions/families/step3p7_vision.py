"""Step 3.7's encoder of pictures: a norm before the layers, gains on what they add, convolutions.

Source: StepFun 2026, model card of stepfun-ai/Step-3.7-Flash; transformers, models/step3p7.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import encoder_block, picture_encoder, sides
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("step3p5_vision",)
CLASSES = {"Step3p7VisionModel": "base"}
DIMS = {"d_model": ("width", "hidden_size", 1536), "L": ("layers", "num_hidden_layers", 47),
        "n_heads": ("heads", "num_attention_heads", 16), "n_channels": ("num_channels", 3)}
SIDES = {"d_image": ("image_size", 728), "d_patch": ("patch_size", 14)}
RATIO = 8960 / 1536
#: The width inside the network follows the ratio, whatever a configuration says of it.
HARMLESS = frozenset("""
    intermediate_size layer_scale_init_value ls_init_value max_position_embeddings
""".split())
D_HALF = Dim("d_half", r"d_{\text{half}}", "channels after the first convolution")
D_QUARTER = Dim("d_quarter", r"d_{\text{quarter}}", "channels after the second convolution")
#: Each convolution halves both sides and doubles the channels.
DOUBLED = (Equation("d_half", ex.Num(2) * ex.Sym("d_model"), "twice the channels",
                    Standing.DEFINITION),
           Equation("d_quarter", ex.Num(2) * ex.Sym("d_half"), "twice the channels",
                    Standing.DEFINITION))
NAMES = (*entries("*.attention", O="out_proj"), *entries("*.ffn", up="fc1", down="fc2"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, SIDES) | {"k_conv": 3}
    ratio = config.raw("mlp_ratio", RATIO)
    if type(ratio) not in (int, float) or not 0 < ratio < 1000:
        raise config.error("mlp_ratio", "expected a positive number")
    values["d_ff"] = int(values["d_model"] * ratio)
    config.close(HARMLESS)
    gains = tuple(slot(f"scale.{site}", "layer-scale", f"lambda_{i}")
                  for i, site in ((1, "attention"), (2, "ffn")))
    block = encoder_block(norms=("layernorm_before.", "layernorm_after."), more=gains)
    halving = Stack("downsampling", tuple(
        slot(f"convolution.{path}", "plane", f"downsampler{i}.", bound, bias=True)
        for i, path, bound in (
            (1, "first", {"d_embed": "d_model", "d_model": "d_half"}),
            (2, "second", {"d_embed": "d_half", "d_model": "d_quarter"}))))
    return picture_encoder(
        config, name, values, block, "layers.*.",
        before=(slot("patches", "patches", "patch_embedding."), slot("positions", "picture", None)),
        norm_before=(slot("norm", "layernorm", "pre_layernorm."),), further=(halving,),
        names=NAMES, equations=DOUBLED, declared=(D_HALF, D_QUARTER))
