"""The encoder of pictures that Gemma 3n takes from timm, as a module of the same tensors.

timm need not be installed: names and shapes stand in ``tests/data/mobilenetv5.json``, which
``python -m tests.differential.timm_tower`` prints where timm 1.0.31 is; a test compares them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ARCHITECTURE = "mobilenetv5_300m_enc"
PATH = Path(__file__).parents[1] / "data" / "mobilenetv5.json"
Shapes = dict[str, tuple[int, ...]]


def of_timm() -> Shapes:
    """Names and shapes of the parameters as timm builds them."""
    import timm
    import torch

    with torch.device("meta"):
        module = timm.create_model(ARCHITECTURE, pretrained=False, num_classes=0)
    return {name: tuple(p.shape) for name, p in module.named_parameters()}


def rows(tensors: Shapes) -> list[list[Any]]:
    """Names with the number of the block written ``*``, shapes, and the numbers of the blocks."""
    found: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for name, shape in tensors.items():
        number = re.fullmatch(r"(blocks\.\d+\.)(\d+)(\..+)", name)
        key = f"{number[1]}*{number[3]}" if number else name
        found.setdefault((key, shape), []).extend([int(number[2])] if number else [])
    return [[name, list(shape), numbers] for (name, shape), numbers in found.items()]


def kept() -> Shapes:
    """The same as they are kept."""
    found: Shapes = {}
    for name, shape, numbers in json.loads(PATH.read_text(encoding="utf-8")):
        for number in numbers or [0]:
            found[name.replace("*", str(number))] = tuple(shape)
    return found


def stand_in() -> None:
    """Have transformers build a module of the kept tensors wherever it would ask timm for it."""
    from transformers.models.gemma3n import modeling_gemma3n as modeling

    usual: Any = modeling.AutoModel
    if usual.__name__ == "Tower":
        return

    class Tower:
        """What a configuration is built as."""

        @staticmethod
        def from_config(config: Any, **more: Any) -> Any:
            """The tensors of the one architecture, or what transformers makes of another type."""
            return _built(config) if config.model_type == "gemma3n_vision" else (
                usual.from_config(config, **more))

    modeling.AutoModel = Tower


def _built(config: Any) -> Any:
    import torch

    if config.architecture != ARCHITECTURE or config.model_args:
        raise ValueError(f"only {ARCHITECTURE} is kept")
    whole = torch.nn.Module()
    whole.timm_model = torch.nn.Module()
    for name, shape in kept().items():
        *before, last = name.split(".")
        place = whole.timm_model
        for part in before:
            if not hasattr(place, part):
                place.add_module(part, torch.nn.Module())
            place = getattr(place, part)
        place.register_parameter(last, torch.nn.Parameter(torch.empty(shape)))
    return whole


if __name__ == "__main__":
    print("[\n" + ",\n".join(json.dumps(row) for row in rows(of_timm())) + "\n]")
