"""VibeVoice's tokenizer of sound, its encoder: ConvNeXt's layers in stages, each of which has fewer
moments than the one before it and twice its channels.

Source: Peng et al. 2025, arXiv:2508.19205, section 2; Liu et al. 2022, arXiv:2201.03545;
transformers, models/vibevoice_acoustic_tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterator

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import D_OUT
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.dims import Dim
from symparam.layout import Layout, entries
from symparam.model import Model
from symparam.stack import Repeat, Stack

MODEL_TYPES = ("vibevoice_acoustic_tokenizer_encoder",)
CLASSES = {"VibeVoiceAcousticTokenizerEncoderModel": "base"}
DIMS = {"d_stage0": ("num_filters", 32), "k_conv": ("kernel_size", 7),
        "n_channels": ("channels", 1), "d_out": ("hidden_size", 64)}
RATIOS = [2, 2, 4, 5, 5, 8]
DEPTHS = [3, 3, 3, 3, 3, 3, 8]
HARMLESS = frozenset({"layer_scale_init_value", "vae_std", "hop_length"})
NAMES = entries("*.ffn", up="linear1", down="linear2")


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS)
    ratios = _numbers(config, "downsampling_ratios", RATIOS)
    depths = _numbers(config, "depths", DEPTHS)
    if len(depths) != len(ratios) + 1:
        raise config.error("depths", f"expected {len(ratios) + 1} numbers of layers, one more "
                           "than downsampling_ratios has numbers")
    more = config.count_of("ffn_expansion", default=4)
    config.close(HARMLESS)
    values |= {f"k_stage{i}": 2 * ratio for i, ratio in enumerate(ratios, 1)}
    values |= {f"L_stage{i}": depth for i, depth in enumerate(depths)}
    stages = range(len(depths))
    return Model(name, tuple(_stacks(len(ratios))), values,
                 tuple(eq for i in stages for eq in _rules(i, more)),
                 layout=Layout(f"transformers ({config.model_type})", NAMES), part="encoder",
                 declared=(D_OUT, *(dim for i in stages for dim in _declared(i))), unset=UNSET)


def _numbers(config: Config, key: str, default: list[int]) -> list[int]:
    """A list of positive whole numbers."""
    found = config.raw(key, default)
    if not isinstance(found, list) or not all(type(n) is int and n > 0 for n in found):
        raise config.error(key, "expected a list of positive whole numbers")
    return found


def _stacks(last: int) -> Iterator[Stack]:
    """The first stage, what leads to each other one, and what leads out."""
    yield Stack("embedding", (slot("convolution", "line", "stem.conv.conv.", {
        "d_embed": "n_channels", "d_model": "d_stage0"}, bias=True),), causal=False)
    for i in range(last + 1):
        top = f"conv_layers.{i - 1}." if i else "stem."
        if i:
            yield Stack(f"fewer{i}", (slot("convolution", "line", f"{top}conv.conv.", {
                "d_embed": f"d_stage{i - 1}", "d_model": f"d_stage{i}", "k_conv": f"k_stage{i}",
            }, bias=True),), causal=False)
        yield Stack(f"stage{i}", _layer(f"d_stage{i}", f"d_ff_stage{i}"),
                    Repeat.times(ex.Sym(f"L_stage{i}")), f"{top}stage.*.", causal=False)
    yield Stack("last", (slot("convolution", "line", "head.conv.", {
        "d_embed": f"d_stage{last}", "d_model": "d_out"}, bias=True),), causal=False)


def _layer(width: str, inner: str) -> Block:
    """A filter for each channel and a network, each with a norm before it and a gain behind."""
    bound = {"d_model": width}
    return (slot("convolution", "channel", "mixer.conv.", bound, bias=True),
            slot("norms.convolution", "rmsnorm", "norm.", bound),
            slot("scale.convolution", "layer-scale", "gamma", bound),
            slot("ffn", "mlp", "ffn.", {**bound, "d_ff": inner}, bias=True),
            slot("norms.ffn", "rmsnorm", "ffn_norm.", bound),
            slot("scale.ffn", "layer-scale", "ffn_gamma", bound))


def _rules(i: int, more: int) -> Iterator[Equation]:
    """Twice the channels of the stage before, and a network so many times as wide."""
    if i:
        yield Equation(f"d_stage{i}", ex.Sym(f"d_stage{i - 1}") * 2,
                       "a stage has twice the channels of the one before", Standing.DEFINITION)
    yield Equation(f"d_ff_stage{i}", ex.Sym(f"d_stage{i}") * more,
                   "the network is so many times as wide as the stage", Standing.DEFINITION)


def _declared(i: int) -> Iterator[Dim]:
    """The dims of a stage."""
    below = rf"_{{\text{{stage}},{i}}}"
    yield Dim(f"d_stage{i}", f"d{below}", f"channels of stage {i}")
    yield Dim(f"L_stage{i}", f"L{below}", f"number of layers of stage {i}")
    yield Dim(f"d_ff_stage{i}", rf"d_{{\text{{ff,stage}},{i}}}",
              f"inner width of the networks of stage {i}")
    if i:
        yield Dim(f"k_stage{i}", f"k{below}", f"moments of the convolution before stage {i}")
