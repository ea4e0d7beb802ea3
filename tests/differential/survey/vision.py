"""torchvision where the part of it that was compiled does not load."""

from __future__ import annotations

import importlib
import importlib.util

#: What ``import torchvision`` describes to torch, whether it was compiled for this torch or not.
OPERATORS = ("nms", "qnms")


def declare_operators() -> None:
    """Let torchvision be imported beside a torch without CUDA.

    Its packages are compiled for CUDA, and without that two operators are missing that its import
    names. No operator runs where a module is built, so that a declaration is enough.
    """
    if importlib.util.find_spec("torchvision") is None:
        return
    import torch

    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        for name in OPERATORS:
            torch.library.define(f"torchvision::{name}",
                                 "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        importlib.import_module("torchvision")
