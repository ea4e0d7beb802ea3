"""Whether bytes fit on a device."""

from __future__ import annotations

from fractions import Fraction

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.ledger import Number


@dataclass(frozen=True)
class Device:
    """A device by its memory.

    Attributes:
        name: as it is asked for.
        memory: bytes, as its maker writes them with GB = 10^9: what a program can use is less.
        source: where the number stands.
    """

    name: str
    memory: int
    source: str = ""


GB = 10**9
DEVICES = {device.name: device for device in (
    Device("rtx-3090", 24 * GB, "NVIDIA, GeForce RTX 3090 specifications"),
    Device("rtx-4090", 24 * GB, "NVIDIA, GeForce RTX 4090 specifications"),
    Device("rtx-5090", 32 * GB, "NVIDIA, GeForce RTX 5090 specifications"),
    Device("t4", 16 * GB, "NVIDIA, T4 datasheet"),
    Device("l4", 24 * GB, "NVIDIA, L4 datasheet"),
    Device("l40s", 48 * GB, "NVIDIA, L40S datasheet"),
    Device("v100-32gb", 32 * GB, "NVIDIA, V100 datasheet"),
    Device("a100-40gb", 40 * GB, "NVIDIA, A100 datasheet"),
    Device("a100-80gb", 80 * GB, "NVIDIA, A100 datasheet"),
    Device("h100-80gb", 80 * GB, "NVIDIA, H100 datasheet"),
    Device("h200", 141 * GB, "NVIDIA, H200 datasheet"),
    Device("b200", 180 * GB, "NVIDIA, DGX B200 datasheet (1,440 GB for eight)"),
    Device("mi300x", 192 * GB, "AMD, Instinct MI300X datasheet"),
)}


@dataclass(frozen=True)
class Fit:
    """Whether something fits on a device.

    Attributes:
        device: on what.
        needed: bytes that are to fit.
        what: what they are, in words.
    """

    device: Device
    needed: Number
    what: str

    @property
    def fits(self) -> bool:
        """Whether there is room, to the last byte."""
        return bool(self.needed <= self.device.memory)

    @property
    def left(self) -> Number:
        """Bytes that stay free; negative where they lack."""
        return self.device.memory - self.needed


def amount(value: Number) -> int:
    """A number of bytes given by somebody.

    Raises:
        BadValue: not a whole number, or less than one.
    """
    found = Fraction(value)
    if found.denominator != 1 or found < 1:
        raise BadValue("memory", value, "must be a whole number of bytes, at least 1")
    return found.numerator
