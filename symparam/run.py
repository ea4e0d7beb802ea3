"""What a model is run with: one table, from which every verb reads what it needs.

A row says which dim it is, what is taken where nobody says, and why. What reads it (settings,
costs, claims, sweeps, solutions, derivations, the options of a command) knows no row by itself,
so that a new one, a package's own among them, is a row and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from symparam.dataclass import dataclass
from symparam.dims import Dim, declare_all, register

#: Tokens of a sequence where nobody says, and the model has no table of positions.
USUAL_TOKENS = 4096

#: No number of tokens, sequences or devices is near this; what is above it is a slip.
MOST = 10**12


class Default(NamedTuple):
    """What is taken where nobody says.

    Attributes:
        value: a number, or a dim whose number it is, where that has one.
        why: the reason, in a few words.
    """

    value: int | str
    why: str


@dataclass(frozen=True)
class RunDim:
    """One number that a model is run with.

    Attributes:
        dim: its name, letters and meaning.
        defaults: what is taken where nobody says, the first that there is; a dim without any
            enters only where it is given.
        option: the option of a command that is another way to give it; none without one.
        of_encoder: whether only a model that has an encoder, or reads one, has it.
        most: the largest number that is believed.
    """

    dim: Dim
    defaults: tuple[Default, ...] = ()
    option: str = ""
    of_encoder: bool = False
    most: int = MOST

    @property
    def name(self) -> str:
        """The name of its dim."""
        return self.dim.name

    @property
    def alone(self) -> int | None:
        """Its number where nobody says another, whatever the model; None where that decides."""
        values = [value for value, _ in self.defaults]
        return values[0] if len(values) == 1 and isinstance(values[0], int) else None

    def usual(self, encoder: bool) -> bool:
        """Whether it has a number though nobody gives one.

        Args:
            encoder: whether the model has an encoder, or reads one.
        """
        return bool(self.defaults) and (encoder or not self.of_encoder)


#: The rows by name, those of packages outside behind the package's own.
RUN: dict[str, RunDim] = {}


def register_run(rows: Iterable[RunDim]) -> None:
    """Make what a model is run with known, by name and alias.

    Raises:
        Contradiction: another dim has a name or an alias already.
    """
    found = tuple(rows)
    register((row.dim for row in found), last=True)
    RUN.update((row.name, row) for row in found)


register_run((
    RunDim(Dim("s", "s", "tokens of a sequence", ("seq_len", "sequence_length")),
           (Default("n_ctx", "as many as there are positions"),
            Default("n_ctx_decoder", "as many as the decoder has positions"),
            Default(USUAL_TOKENS, "nobody said")), "context"),
    RunDim(Dim("b", "b", "sequences of a batch", ("batch", "batch_size")),
           (Default(1, "one sequence"),), "batch"),
    RunDim(Dim("s_encoder", r"s_{\text{enc}}", "tokens of a sequence that the encoder reads", (
               "encoder_tokens", "encoder_seq_len")),
           (Default("n_ctx_encoder", "as many as there are positions"),
            Default("s", "as many as s")), "encoder_tokens", of_encoder=True),
    RunDim(Dim("D", "D", "tokens that a model is trained on", ("training_tokens", "n_tokens")),
           option="tokens", most=10**18),
    RunDim(Dim("n_devices", r"n_{\text{devices}}", "devices among which training is split", (
               "devices",)), (Default(1, "one device"),), "devices"),
    RunDim(Dim("n_images", r"n_{\text{images}}", "pictures of a sequence", ("images",)),
           option="images"),
    RunDim(Dim("t", "t", "devices of a tensor-parallel group", ("tensor_parallel",)),
           (Default(1, "one device"),), "tensor_parallel"),
))


def beyond(numbers: Mapping[str, Any]) -> dict[str, str]:
    """What a model is run with that is more than it has places for, with what is said of that.

    >>> beyond({"n_ctx": 1024, "s": 5000, "b": 2})
    {'s = 5000': 'more than the 1024 positions that the model has'}
    """
    pairs = ((name, value) for name, row in RUN.items() for value, _ in row.defaults
             if isinstance(value, str) and value not in RUN and name in numbers)
    return {f"{name} = {numbers[name]}": f"more than the {numbers[own]} positions that the model "
            "has" for name, own in pairs if own in numbers and numbers[name] > numbers[own]}


class Taken(NamedTuple):
    """What was taken where nobody said.

    Attributes:
        value: a number of whichever kind the model's are.
        dim: the dim whose number it is; empty where it is a number of the table.
        why: the reason.
    """

    value: Any
    dim: str
    why: str


def completed(known: Mapping[str, Any],
              encoder: bool) -> tuple[dict[str, Any], dict[str, Taken]]:
    """What a model is run with, and what of it nobody gave.

    Args:
        known: numbers of whichever kind by name, of the model's dims and of what was given.
        encoder: whether the model has an encoder, or reads one.

    >>> numbers, taken = completed({"n_ctx": 1024, "b": 8}, encoder=False)
    >>> numbers["s"], numbers["b"], taken["s"].why, "b" in taken
    (1024, 8, 'as many as there are positions', False)
    """
    declare_all()
    numbers = {name: known[name] for name in RUN if name in known}
    taken: dict[str, Taken] = {}
    for name, row in RUN.items():
        if name in numbers or not row.usual(encoder):
            continue
        for value, why in row.defaults:
            dim = value if isinstance(value, str) else ""
            found = numbers.get(dim, known.get(dim)) if dim else value
            if found is not None:
                numbers[name], taken[name] = found, Taken(found, dim, why)
                break
    return numbers, taken
