"""How many positions a picture takes, as transformers' own processors and models have it.

Processors are asked with the numbers that symparam took: what it says is then held against code
that knows nothing of it. A processor is not made, for it wants a tokenizer; its method is called
with what it reads of itself. Image processors import torchvision and ask it for nothing here, so
that a module without anything in it will do where it is not installed.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from enum import Enum
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

_VISION = ("", ".transforms", ".transforms.v2", ".transforms.v2.functional",
           ".transforms.functional", ".io")


class _Nothing(ModuleType):
    """A module in which every name is there."""

    InterpolationMode = Enum("InterpolationMode", "NEAREST NEAREST_EXACT BILINEAR BICUBIC BOX "
                             "HAMMING LANCZOS")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(f"{self.__name__}.{name}")


def importable() -> None:
    """Make image processors importable where torchvision is not there."""
    if "torchvision" in sys.modules or find_spec("torchvision") is not None:
        return
    for end in _VISION:
        module = _Nothing(f"torchvision{end}")
        module.__spec__ = ModuleSpec(module.__name__, None)
        vars(module).update(__path__=[], __version__="0.28.0")
        sys.modules[module.__name__] = module


def _of(module: str, name: str) -> Any:
    importable()
    return getattr(importlib.import_module(f"transformers.models.{module}"), name)


def _asked(module: str, name: str, size: tuple[int, int], **own: Any) -> int:
    """What a processor says of one picture, given what it reads of itself."""
    cls = _of(f"{module}.processing_{module}", name)
    own = {"_merge_kwargs": lambda **_: {"images_kwargs": own.pop("kwargs", {})}, **own}
    self = SimpleNamespace(**own)
    for method in ("_get_number_of_features", "_get_unpadded_features"):
        if hasattr(cls, method):
            setattr(self, method, getattr(cls, method).__get__(self))
    found: list[int] = cls._get_num_multimodal_tokens(self, image_sizes=[size])["num_image_tokens"]
    return found[0]


def _area(dims: Mapping[str, int], size: tuple[int, int], module: str = "qwen2_vl",
          name: str = "Qwen2VL") -> int:
    made = _of(f"{module}.image_processing_{module}", f"{name}ImageProcessor")(
        patch_size=dims["d_patch_vision"], merge_size=dims["n_merge_vision"],
        size={"shortest_edge": dims["min_pixels"], "longest_edge": dims["max_pixels"]})
    return _asked(module, f"{name}Processor", size, image_processor=made)


def _kimi(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    edge = dims["max_side_patches"]
    made = _of("kimi_k25.image_processing_kimi_k25", "Kimi_K25ImageProcessor")(
        patch_size=dims["d_patch_vision"], merge_size=dims["n_merge_vision"],
        max_patches=dims["max_patches"], size={"max_height": edge, "max_width": edge})
    return _asked("kimi_k25", "Kimi_K25Processor", size, image_processor=made)


def _gemma4(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    own = SimpleNamespace(patch_size=dims["d_patch_vision"], max_soft_tokens=dims["max_positions"],
                          pooling_kernel_size=dims.get("n_merge_vision", 3))
    return _asked("gemma4", "Gemma4Processor", size, image_processor=own)


def _pixtral(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    own = SimpleNamespace(size={"longest_edge": dims["longest_edge"]})
    return _asked("pixtral", "PixtralProcessor", size, image_processor=own,
                  patch_size=dims["d_patch_vision"], spatial_merge_size=dims.get("n_merge", 1))


def _square(side: int) -> dict[str, int]:
    return {"height": side, "width": side}


def _internvl(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    """Without the two tokens that begin and end a picture."""
    made = _of("got_ocr2.image_processing_got_ocr2", "GotOcr2ImageProcessor")(
        size=_square(dims["d_image_vision"]), crop_to_patches=True,
        min_patches=dims["min_tiles"], max_patches=dims["max_tiles"])
    each = (dims["d_image_vision"] // dims["d_patch_vision"] // dims["n_merge"])**2
    return _asked("internvl", "InternVLProcessor", size, image_processor=made,
                  image_seq_length=each) - 2


def _aya(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    """Without the two tokens that begin and end a picture."""
    made = _of("got_ocr2.image_processing_got_ocr2", "GotOcr2ImageProcessor")(
        size=_square(dims["d_image_vision"]), crop_to_patches=True,
        min_patches=dims["min_tiles"], max_patches=dims["max_tiles"])
    return _asked("aya_vision", "AyaVisionProcessor", size, image_processor=made,
                  img_size=dims["d_image_vision"],
                  patch_size=dims["d_patch_vision"] * dims["n_merge"]) - 2


def _idefics(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    """Without the three tokens around the picture as a whole; a tokenizer that joins line ends."""
    made = _of("idefics3.image_processing_idefics3", "Idefics3ImageProcessor")(
        size={"longest_edge": dims["longest_edge"]},
        max_image_size={"longest_edge": dims["tile_side"]})
    each = (dims["d_image_vision"] // dims["d_patch_vision"] // dims["n_merge"])**2
    return _asked("idefics3", "Idefics3Processor", size, image_processor=made, image_seq_len=each,
                  tokenizer=lambda *_, **__: {"input_ids": [0]}) - 3


def _next(dims: Mapping[str, int], size: tuple[int, int], canvases: Any) -> int:
    made = SimpleNamespace(image_grid_pinpoints=canvases, size=_square(dims["d_image_vision"]))
    return _asked("llava_next", "LlavaNextProcessor", size, image_processor=made,
                  patch_size=dims["d_patch_vision"], num_additional_image_tokens=1,
                  vision_feature_select_strategy="default")


def _one_vision(dims: Mapping[str, int], size: tuple[int, int], canvases: Any) -> int:
    made = SimpleNamespace(image_grid_pinpoints=canvases, size=_square(dims["d_image_vision"]))
    each = (dims["d_image_vision"] // dims["d_patch_vision"])**2
    return _asked("llava_onevision", "LlavaOnevisionProcessor", size, image_processor=made,
                  num_image_tokens=each, vision_feature_select_strategy="full",
                  vision_aspect_ratio="anyres_max_9")


def _llama4(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    """Counted in what the processor writes, without the tokens around the picture as a whole."""
    import torch

    module, tile = "llama4.image_processing_llama4", dims["d_image_vision"]
    square = _of("llama4.image_processing_llama4", "SizeDict")(height=tile, width=tile)
    listed = _of(module, "find_supported_resolutions")(dims["max_tiles"], square)
    canvas = _of(module, "get_best_fit")(size, torch.tensor(listed))
    ratio = [int(each) // tile for each in canvas]
    each = (tile // dims["d_patch_vision"])**2 // 4
    written = _of("llama4.processing_llama4", "Llama4Processor")._prompt_split_image(
        None, ratio, each)
    return int(written.count("<|patch|>")) + int(written.count("separator|>"))


def _step(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    """Counted in what the processor writes, without the tokens around the picture as a whole."""
    made = _of("step3p7.image_processing_step3p7", "Step3p7ImageProcessor")(
        size=_square(dims["d_image_vision"]), patch_size=dims["tile_side"],
        max_image_size=dims["longest_edge"])
    _, _, window, columns, rows, _ = made._plan_patches(
        size[1], size[0], dims["d_image_vision"], dims["tile_side"])
    masks = [column == columns - 1 and row < rows - 1 for row in range(rows)
             for column in range(columns)]
    stride = made.downsampler_stride * dims["d_patch_vision"]
    self = SimpleNamespace(
        image_feature_placeholder="x" * (dims["d_image_vision"] // stride)**2,
        patch_feature_placeholder="x" * (dims["tile_side"] // stride)**2)
    written = _of("step3p7.processing_step3p7", "Step3p7Processor").replace_image_token(
        self, {"num_local_patches": [rows * columns if window else 0],
               "patch_newline_masks": [masks]}, 0)
    return int(written.count("x")) + int(written.count("<patch_"))


def _fuyu(dims: Mapping[str, int], size: tuple[int, int]) -> int:
    """Counted in what the processor writes: patches, and an end of each row."""
    made = _of("fuyu.image_processing_fuyu", "FuyuImageProcessor")(
        patch_size=_square(dims["d_patch"]),
        size={"height": dims["page_height"], "width": dims["page_width"]})
    return _asked("fuyu", "FuyuProcessor", size, image_processor=made)


#: Whom to ask, by the type of the whole.
PROCESSORS = {
    **dict.fromkeys(("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5",
                     "qwen3_5_moe", "exaone4_5"), _area),
    "minimax_m3_vl": lambda dims, size: _area(dims, size, "minimax_m3_vl", "MiniMaxM3VL"),
    "kimi_k25": _kimi, "gemma4": _gemma4, "gemma4_unified": _gemma4, "mistral3": _pixtral,
    "internvl": _internvl, "aya_vision": _aya, "idefics3": _idefics, "smolvlm": _idefics,
    "llama4": _llama4, "step3p7": _step, "fuyu": _fuyu}
#: The same of those that are given canvases.
ON_CANVASES = {"llava_next": _next, "llava_next_video": _next, "llava_onevision": _one_vision}


def features(config: dict[str, Any]) -> int:
    """Positions that the model's own code makes of one picture, without a weight: on ``meta``.

    Raises:
        Exception: whatever transformers raises where it cannot be run.
    """
    import torch
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    made._attn_implementation = "eager"
    with torch.device("meta"):
        model = getattr(transformers, config["architectures"][0])(made).eval()
        side = made.vision_config.image_size
        picture = torch.zeros(1, made.vision_config.num_channels, side, side)
    made_of = getattr(model, "get_image_features", None) or model.model.get_image_features
    with torch.no_grad():
        found = made_of(picture)
    found = getattr(found, "pooler_output", found)
    return int((found[0] if isinstance(found, (list, tuple)) else found).shape[-2])
