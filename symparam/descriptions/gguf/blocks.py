"""How many bytes a tensor takes in each of GGUF's types.

A row is stored in blocks of so many numbers. Source: ggml, ggml-common.h (the structs of the
blocks) and ggml.h (their numbers).
"""

from __future__ import annotations

import math

from symparam.dataclass import dataclass


@dataclass(frozen=True)
class Kind:
    """A type of tensor: its name, numbers in a block, bytes of a block."""

    name: str
    block: int
    size: int

    def bytes_of(self, shape: tuple[int, ...]) -> int | None:
        """Bytes of a tensor; None where its rows do not go into blocks.

        Args:
            shape: as torch has it, the length of a row last.

        >>> KINDS[8].bytes_of((4, 64)), KINDS[8].bytes_of((64, 4))
        (272, None)
        """
        row = shape[-1] if shape else 1
        return None if row % self.block else math.prod(shape) // self.block * self.size


#: By their numbers; of those with scales for parts of a block, what stands in it in order. Q8_1,
#: which no file has, is left out: ggml has 36 bytes for a block of it, gguf 40.
KINDS: dict[int, Kind] = {number: Kind(name, block, size) for number, name, block, size in (
    (0, "F32", 1, 4), (1, "F16", 1, 2), (2, "Q4_0", 32, 2 + 16), (3, "Q4_1", 32, 4 + 16),
    (6, "Q5_0", 32, 2 + 4 + 16), (7, "Q5_1", 32, 4 + 4 + 16), (8, "Q8_0", 32, 2 + 32),
    (10, "Q2_K", 256, 16 + 64 + 4), (11, "Q3_K", 256, 32 + 64 + 12 + 2),
    (12, "Q4_K", 256, 4 + 12 + 128), (13, "Q5_K", 256, 4 + 12 + 32 + 128),
    (14, "Q6_K", 256, 128 + 64 + 16 + 2), (15, "Q8_K", 256, 4 + 256 + 32),
    (16, "IQ2_XXS", 256, 2 + 64), (17, "IQ2_XS", 256, 2 + 64 + 8), (18, "IQ3_XXS", 256, 2 + 96),
    (19, "IQ1_S", 256, 2 + 32 + 16), (20, "IQ4_NL", 32, 2 + 16),
    (21, "IQ3_S", 256, 2 + 64 + 8 + 32 + 4), (22, "IQ2_S", 256, 2 + 64 + 16),
    (23, "IQ4_XS", 256, 2 + 2 + 4 + 128), (24, "I8", 1, 1), (25, "I16", 1, 2), (26, "I32", 1, 4),
    (27, "I64", 1, 8), (28, "F64", 1, 8), (29, "IQ1_M", 256, 32 + 16 + 8), (30, "BF16", 1, 2),
    (34, "TQ1_0", 256, 48 + 4 + 2), (35, "TQ2_0", 256, 64 + 2), (39, "MXFP4", 32, 1 + 16),
    (40, "NVFP4", 64, 4 + 32), (41, "Q1_0", 128, 2 + 16))}
