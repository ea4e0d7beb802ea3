"""Number formats, and what quantised weights need beside their bits."""

from __future__ import annotations

from symparam.arithmetic import Rounding, over
from symparam.dataclass import dataclass
from symparam.errors import BadValue, UnknownName
from symparam.ledger import Matrix, Number


@dataclass(frozen=True)
class Format:
    """How one number is stored.

    Attributes:
        name: ``bf16``.
        bits: of one number.
    """

    name: str
    bits: int

    @property
    def bytes(self) -> Number:
        """Bytes of one number: an ``int``, or a fraction of one.

        >>> FORMATS["fp16"].bytes, FORMATS["int4"].bytes
        (2, Fraction(1, 2))
        """
        return over(self.bits, 8)

    @property
    def quantised(self) -> bool:
        """Whether numbers need a scale beside them, and so can share one in groups.

        >>> [name for name, form in FORMATS.items() if form.quantised]
        ['int8', 'int4']
        """
        return self.name.startswith("int")


FORMATS = {name: Format(name, bits) for name, bits in (
    ("fp32", 32), ("bf16", 16), ("fp16", 16), ("fp8", 8), ("int8", 8), ("int4", 4))}


def number_format(name: str) -> Format:
    """A format by its name.

    Raises:
        UnknownName: there is no such format.
    """
    if not isinstance(name, str) or name not in FORMATS:
        raise UnknownName("number format", str(name), FORMATS)
    return FORMATS[name]


@dataclass(frozen=True)
class Groups:
    """Scales of quantised weights: one number for each group of inputs of one output.

    What is not quantised (embeddings, head, norms, biases, routers' vectors) stays in ``rest``.

    Attributes:
        size: inputs that share a scale.
        scale: how a scale is stored.
        rest: how everything is stored that is not quantised.
    """

    size: int
    scale: Format = FORMATS["fp16"]
    rest: Format = FORMATS["fp16"]

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 1:
            raise BadValue("group", self.size, "must be a whole number of weights, at least 1")

    def of(self, matrix: Matrix) -> tuple[Number, ...]:
        """How many groups one copy of a matrix has, as factors; none is shared by two rows.

        Over symbols the group is taken to divide the inputs.
        """
        *rows, inputs = matrix.shape
        if isinstance(inputs, int):
            return (*rows, Rounding("up", self.size).apply(inputs) // self.size)
        return (*rows, over(inputs, self.size))


def quantised(matrix: Matrix) -> bool:
    """Whether quantisation by groups touches a matrix: a product with it in a repeated layer."""
    return matrix.role == "matmul" and any(index.name == "layer" for index in matrix.indices)
