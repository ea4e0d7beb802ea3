"""Data that a model wants: tokens, characters of text, shards of it and disk.

Tokens and characters are sums over the ledger; shards are whole, and so a step after them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.ledger import Number
from symparam.quantities.inputs import DataInputs
from symparam.quantities.quantity import Quantity, Share, Subject

_HOFFMANN = "Hoffmann et al. 2022, arXiv:2203.15556, section 3.4 and table 3"
_NANOCHAT = "karpathy/nanochat, README and speedrun.sh (d20)"


def tokens(subject: Subject) -> Iterator[Share]:
    """So many tokens for each parameter."""
    ratio = subject.setting.data.tokens_per_parameter
    for m in subject.ledger.stored():
        yield Share(m.path, (ratio, *(i.stored for i in m.indices), *m.shape))


def characters(subject: Subject) -> Iterator[Share]:
    """So many characters for each of those tokens."""
    each = subject.setting.data.characters_per_token
    return (Share(path, (each, *factors)) for path, factors in tokens(subject))


def compute(subject: Subject) -> Iterator[Share]:
    """6·N·D, N the parameters that a token touches, with D tokens for each of all P parameters.

    Without experts N is P: 6·ratio·P².

    Raises:
        BadValue: nobody knows which parameters a token touches.
    """
    ratio = subject.setting.data.tokens_per_parameter
    total = subject.ledger.total() if subject.total is None else subject.total
    for m in subject.ledger.sent().stored():
        yield Share(m.path, (6, ratio, *(i.active for i in m.indices), *m.shape, total))


TOKENS = Quantity(
    name="optimal_tokens", title="tokens for optimal training", unit="tokens", shares=tokens,
    needs=("data",), source=_HOFFMANN, symbol="D",
    convention="20 tokens for each parameter, all of them counted, every expert too, unless "
    "another ratio is given")
CHARACTERS = Quantity(
    name="characters", title="characters of text", unit="characters", shares=characters,
    needs=("data",), source=_NANOCHAT, symbol="n_chars",
    convention="those tokens at 4.8 characters each, unless another number is given")
COMPUTE = Quantity(
    name="optimal_compute", title="FLOPs of optimal training", unit="FLOP", shares=compute,
    needs=("data",), source=_HOFFMANN, symbol="C",
    convention="6·N·D, N the parameters that a token touches (all, unless experts are chosen), "
    "with D = 20·P, P all parameters, every expert counted; unless another ratio is given")

GROUP = "Data"
QUANTITIES = (TOKENS, CHARACTERS, COMPUTE)


@dataclass(frozen=True)
class Data:
    """The data of a model, from its parameters on.

    Attributes:
        parameters, tokens, characters: each from the one before.
        shards_needed: the next whole number of shards.
        shards: how many are taken: as many as are needed, or a number that was given.
        disk: bytes of those.
    """

    parameters: int
    tokens: Number
    characters: Number
    shards_needed: int
    shards: int
    disk: Number


def data_of(parameters: int, inputs: DataInputs) -> Data:
    """Tokens, characters, shards and disk for a number of parameters.

    Raises:
        BadValue: fewer shards were asked for than are needed.

    >>> found = data_of(560988160, DataInputs(shards=240))
    >>> found.tokens, found.characters, found.shards_needed, found.disk
    (11219763200, 53854863360, 216, 24000000000)
    """
    wanted = _exact(parameters * inputs.tokens_per_parameter)
    text = _exact(wanted * inputs.characters_per_token)
    needed = int(-(-text // inputs.characters_per_shard))
    taken = needed if inputs.shards is None else inputs.shards
    if taken < needed:
        raise BadValue("shards", taken, f"fewer than the {needed} that are needed")
    return Data(parameters, wanted, text, needed, taken, _exact(taken * inputs.bytes_per_shard))


def _exact(value: Number) -> Number:
    found = Fraction(value)
    return found.numerator if found.denominator == 1 else found
