"""What turns parameters into data: numbers that somebody chose."""

from __future__ import annotations

from fractions import Fraction

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.ledger import Number


@dataclass(frozen=True, kw_only=True)
class DataInputs:
    """What turns parameters into tokens, tokens into text, and text into files.

    Attributes:
        tokens_per_parameter: Chinchilla's ratio, about 20.
        characters_per_token: how well the tokenizer compresses; 4.8 for nanochat's.
        characters_per_shard, bytes_per_shard: of a file of text, and of it compressed on disk.
        shards: how many are taken; None for no more than are needed.
    """

    tokens_per_parameter: Number = 20
    characters_per_token: Number = Fraction(24, 5)
    characters_per_shard: Number = 250_000_000
    bytes_per_shard: Number = 100_000_000
    shards: int | None = None

    def __post_init__(self) -> None:
        for name in ("tokens_per_parameter", "characters_per_token", "characters_per_shard",
                     "bytes_per_shard"):
            value = getattr(self, name)
            if isinstance(value, (int, Fraction)) and value <= 0:
                raise BadValue(name, value, "must be more than 0")
            if isinstance(value, float):
                raise BadValue(name, value, "give an int, a Fraction or text: a float is not exact")
        for name in ("characters_per_shard", "bytes_per_shard"):
            if Fraction(getattr(self, name)).denominator != 1:
                raise BadValue(name, getattr(self, name), "must be a whole number")


#: What holds unless somebody says otherwise.
USUAL = DataInputs()
