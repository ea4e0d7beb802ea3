"""A model held against a GGUF file: names and shapes, and the file's size to the byte."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from symparam.checkpoints.expected import Expected, expected
from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.descriptions.gguf.model import named_as
from symparam.descriptions.gguf.reader import Gguf, padded
from symparam.descriptions.gguf.table import BESIDE, Held, bytes_of, held, plain
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
    there = held(file, wanted.tensors)
    shapes = {name: _alike(each.shape, wanted.tensors.get(name)) for name, each in there.items()}
    beside = {tensor.name: tensor.shape for tensor in file.tensors if BESIDE.fullmatch(tensor.name)}
    return named, shapes | beside, _weight(file, wanted, there)


def _alike(shape: Shape, wanted: Shape | None) -> Shape:
    return wanted if wanted is not None and plain(shape) == plain(wanted) else shape


def _weight(file: Gguf, wanted: Expected, there: Mapping[str, Held]) -> Weight:
    """The size that follows: of the header, of the model's tensors and of those beside them."""
    sizes = [bytes_of(name, shape, there) for name, shape in wanted.tensors.items()
             if name in there or name not in wanted.optional]
    beside = [tensor.size for tensor in file.tensors if BESIDE.fullmatch(tensor.name)]
    whole = [*(size for each in sizes if each is not None for size in each), *beside]
    total = None if None in sizes else file.start + sum(
        padded(size, file.alignment) for size in whole)
    count, numel, weights = Counter[str](), Counter[str](), Counter[str]()
    for tensor in file.tensors:
        count[tensor.kind.name] += 1
        numel[tensor.kind.name] += math.prod(tensor.shape)
        weights[tensor.kind.name] += tensor.size
    return Weight(file.size, total, tuple((name, count[name], numel[name], weights[name])
                                          for name in sorted(count, key=lambda n: -weights[n])))

