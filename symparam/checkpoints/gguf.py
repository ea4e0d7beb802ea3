"""A model held against a GGUF file: names and shapes, and the file's size to the byte."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from symparam.checkpoints.expected import Expected, expected
from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.descriptions.gguf.blocks import Kind
from symparam.descriptions.gguf.model import named_as
from symparam.descriptions.gguf.reader import Gguf, padded
from symparam.model import Model


@dataclass(frozen=True)
class Weight:
    """The size of a file, and what follows from the model and the file's types.

    Attributes:
        size: bytes of the file.
        expected: those of its header, and of the model's tensors in the types that they have
            there; None where the file lacks one of them.
        types: each type with how many tensors have it, their numbers and their bytes.
    """

    size: int
    expected: int | None
    types: tuple[tuple[str, int, int, int], ...]


def held_against(model: Model, file: Gguf) -> tuple[Model, dict[str, Shape], Weight]:
    """The model with the file's names, the file's tensors, and its size.

    A side of 1 is not stored: a convolution over one channel has two sides there.
    """
    named = named_as(model, file)
    wanted = expected(named)[0]
    found = _joined({tensor.name: tensor.shape for tensor in file.tensors}, wanted.tensors)
    shapes = {name: _alike(shape, wanted.tensors.get(name)) for name, shape in found.items()}
    return named, shapes, _weight(file, wanted)


def _alike(shape: Shape, wanted: Shape | None) -> Shape:
    if wanted is not None and [s for s in shape if s != 1] == [s for s in wanted if s != 1]:
        return wanted
    return shape


def _joined(found: dict[str, Shape], wanted: Mapping[str, Shape]) -> dict[str, Shape]:
    """The tensors with keys and values of latents in one, where the file has them apart.

    Keys are stored turned, (heads, rank, width), and values as (heads, width, rank): llama.cpp,
    convert_hf_to_gguf.py, DeepseekV2Model.
    """
    result = dict(found)
    for name in wanted:
        key, value = (name.replace("attn_kv_b", f"attn_{each}_b") for each in "kv")
        if "attn_kv_b" in name and name not in found and key in found and value in found:
            (heads, rank, width), (_, other, _) = result.pop(key), result.pop(value)
            result[name] = (heads * (width + other), rank)
    return result


def _weight(file: Gguf, wanted: Expected) -> Weight:
    kinds = {tensor.name: tensor.kind for tensor in file.tensors}
    sizes = [_bytes(wanted.tensors[name], kinds.get(name)) for name in wanted.tensors
             if name in kinds or name not in wanted.optional]
    beside = [tensor.size for tensor in file.tensors if tensor.name.startswith("rope_")]
    total = None if None in sizes else file.start + sum(
        padded(size, file.alignment) for size in (*sizes, *beside) if size is not None)
    count, numel, weights = Counter[str](), Counter[str](), Counter[str]()
    for tensor in file.tensors:
        count[tensor.kind.name] += 1
        numel[tensor.kind.name] += math.prod(tensor.shape)
        weights[tensor.kind.name] += tensor.size
    return Weight(file.size, total, tuple((name, count[name], numel[name], weights[name])
                                          for name in sorted(count, key=lambda n: -weights[n])))


def _bytes(shape: Shape, kind: Kind | None) -> int | None:
    return None if kind is None else kind.bytes_of(tuple(s for s in shape if s != 1) or (1,))
