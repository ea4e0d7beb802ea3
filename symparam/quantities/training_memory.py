"""Memory that weights, gradients and an optimiser take in training, and ZeRO's ways to split it.

Bytes a parameter are a convention: what is kept in which format. Activations are counted apart
(:mod:`symparam.quantities.activations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from symparam.arithmetic import over
from symparam.dataclass import dataclass
from symparam.errors import BadValue, UnknownName
from symparam.quantities.quantity import Quantity, Share, Subject

#: What ZeRO splits among devices at each stage, besides what it split before.
STAGES = {0: (), 1: ("optimiser",), 2: ("optimiser", "gradients"),
          3: ("optimiser", "gradients", "weights")}


@dataclass(frozen=True)
class Scheme:
    """Bytes that one parameter takes.

    Attributes:
        weights, gradients: what forward and backward passes use.
        optimiser: Adam(W)'s two moments, and the copies in 32 bits that it works on, if any.
        what: the same in words.
        source: who counts so.
    """

    weights: int
    gradients: int
    optimiser: int
    what: str
    source: str

    @property
    def total(self) -> int:
        """All together."""
        return self.weights + self.gradients + self.optimiser


SCHEMES = {scheme.total: scheme for scheme in (
    Scheme(2, 2, 4, "weights, gradients and Adam(W)'s moments in 16 bits, no master copy",
           "pytorch/pytorch, torch/optim/adam.py: AdamW makes moments in the format of its "
           "parameters, here bf16"),
    Scheme(2, 2, 8, "weights and gradients in 16 bits, Adam(W)'s moments in 32, no master copy",
           "bf16 parameters under an optimiser that keeps its moments in fp32"),
    Scheme(2, 2, 12, "weights and gradients in 16 bits; master copy and Adam(W)'s moments in 32",
           "Rajbhandari et al. 2019, ZeRO, arXiv:1910.02054, section 3.1"),
    Scheme(2, 4, 12, "weights in 16 bits; gradients, master copy and Adam(W)'s moments in 32",
           "NVIDIA/Megatron-LM, docs, distributed optimizer (bf16 parameters, fp32 gradients)"),
    Scheme(2, 2, 16, "weights and gradients in 16 bits; copies of both and Adam(W)'s moments in 32",
           "Smith et al. 2022, Megatron-Turing NLG, arXiv:2201.11990, section 2.1"),
)}


def scheme(total: int) -> Scheme:
    """A scheme by its bytes a parameter.

    Raises:
        UnknownName: nobody counts so.
    """
    if not isinstance(total, int) or total not in SCHEMES:
        raise UnknownName("number of bytes a parameter", str(total), map(str, SCHEMES),
                          f"known are {', '.join(map(str, SCHEMES))}")
    return SCHEMES[total]


def _shares(made: Callable[[Subject], Scheme], stage: int) -> Callable[[Subject], Iterator[Share]]:
    """Bytes of each matrix: its weights, gradients and optimiser, each a share."""
    def shares(subject: Subject) -> Iterator[Share]:
        kept = made(subject)
        for m in subject.ledger.stored():
            copies = tuple(index.stored for index in m.indices)
            for part in ("weights", "gradients", "optimiser"):
                size = getattr(kept, part)
                if part == "weights" or m.status == "trainable":
                    each = over(size, subject.setting["n_devices"]) if (
                        part in STAGES[stage]) else size
                    yield Share(f"{m.path}[{part}]", (each, *copies, *m.shape))

    return shares


def _of_setting(subject: Subject) -> Scheme:
    devices = subject.setting["n_devices"]
    if isinstance(devices, (int, Fraction)) and devices < 1:
        raise BadValue("n_devices", devices, "must be at least 1")
    return scheme(subject.setting.training_bytes)


_ZERO = "Rajbhandari et al. 2019, ZeRO, arXiv:1910.02054, section 5 and figure 1"
UNSPLIT = tuple(Quantity(
    name=f"training_memory_{total}", title=f"training, {total} bytes a parameter", unit="B",
    shares=_shares(lambda _, kept=kept: kept, 0),  # type: ignore[misc]
    convention=kept.what, source=kept.source, symbol="M_train")
    for total, kept in sorted(SCHEMES.items()))
ZERO = tuple(Quantity(
    name=f"training_memory_zero_{stage}", title=f"training, ZeRO-{stage}, each device", unit="B",
    shares=_shares(_of_setting, stage), needs=("training_bytes", "n_devices"), source=_ZERO,
    convention="of each device, " + words + " split evenly among them",
    symbol=f"M_zero_{stage}") for stage, words in (
        (1, "the optimiser's numbers"), (2, "the optimiser's numbers and gradients"),
        (3, "the optimiser's numbers, gradients and weights")))

GROUP = "Memory in training, without activations"
QUANTITIES = (*UNSPLIT, *ZERO)
