"""GIT: a text decoder with BERT's layers that reads what CLIP's encoder of pictures puts out.

Source: Wang et al. 2022, arXiv:2205.14100, section 3; transformers, models/git.
"""

from __future__ import annotations

from dataclasses import replace

from symparam import expression as ex
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    DIMS,
    HARMLESS,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.assembling.joined import Part, joined
from symparam.descriptions.assembling.pictures import linear
from symparam.descriptions.assembling.projectors import PROJECTOR, Projector
from symparam.descriptions.config import Config
from symparam.descriptions.families import clip_vision
from symparam.dims import Dim
from symparam.layout import Entry
from symparam.model import Model
from symparam.stack import Repeat, Stack

MODEL_TYPES = ("git",)
CLASSES = {"GitForCausalLM": "causal", "GitModel": "base"}
TEXT_DIMS = {dim: keys for dim, keys in DIMS.items() if dim != "n_types"}
DEFAULTS = {"L": 6, "n_ctx": 1024}
VISION = "vision_config"
SIDES = clip_vision.SIDES | {"d_patch": ("patch_size", 16)}
N_FRAMES = Dim("n_frames", r"n_{\text{frames}}", "pictures that are told apart by their time",
               ("num_image_with_embedding",))


class Output:
    """The output matrix with its bias."""

    def stack(self, tied: bool) -> Stack:
        """The head's slot."""
        return Stack("head", (slot("lm", "lm", "output.", kind="head", tied=tied, bias=True),))

    def names(self, tied: bool) -> list[Entry]:
        """The names of its tensors: those of its component."""
        return []


def build(config: Config, name: str) -> Model:
    """A GIT from its configuration and that of its encoder of pictures."""
    task = config.task(CLASSES, "causal")
    values = read_dims(config, DEFAULTS, TEXT_DIMS)
    tied = config.flag("tie_word_embeddings", False)
    frames = config.optional_count("num_image_with_embedding")
    absolute_positions(config)
    inside = Config(config.where, config.raw(VISION, None) or {}, "base",
                    path=config.below(VISION), model_type="git_vision_model")
    config.close(HARMLESS)
    text = encoder_model(config, name, task, values, layer(), Around(
        top="git.", pooler=None, head=Output()), tied=tied, embedding=tables(segments=False))
    text = replace(text, stacks=tuple(replace(stack, causal=True) for stack in text.stacks),
                   part="all" if task == "causal" else "without the head")
    return text if config.text_alone else _whole(config, text, inside, frames)


def _whole(config: Config, text: Model, inside: Config, frames: int | None) -> Model:
    """The text decoder with the encoder of pictures, and what joins them."""
    inside.tell(config)
    top = "git." if config.counted_as == "causal" else ""
    vision = Part(model=clip_vision.encoder(inside, text.name, SIDES), name="vision",
                  top=f"{top}image_encoder.vision_model.", keys=dict(inside.keys))
    projector = Projector(slots=(
        linear("linear", "0.", "d_model_vision", "d_model", bias=True),
        slot("norm", "layernorm", "1."))).model(f"{top}visual_projection.visual_projection.")
    between = [projector]
    if frames is not None:
        times = Stack("frames", (slot("vector", "vector", "", {"d_model": "d_model_vision"},
                                      axes=2),), Repeat.times(ex.Sym("n_frames")),
                      prefix=f"{top}img_temporal_embedding.*", part=PROJECTOR)
        between.append(Model("frames", (times,), {"n_frames": frames}, declared=(N_FRAMES,)))
    return joined(text, [vision], between)
