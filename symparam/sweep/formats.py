"""Rows as CSV, JSON lines and Parquet, bytes that can be put one after another.

A file that is being written must stand a process that dies: what each encoder makes of one block
can be added to a file and cut off again. Parquet has its index at its end, so what grows is an
Arrow stream, which becomes Parquet when it is complete.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import IO, Any, Protocol

from symparam.errors import OutputError
from symparam.showable import cell, csv_number
from symparam.sweep.sweep import Block, Column

#: Decimal digits of Arrow's wide integers.
DIGITS = 38


class Encoder(Protocol):
    """What turns blocks into bytes."""

    def head(self) -> bytes:
        """What a file begins with."""

    def block(self, block: Block) -> bytes:
        """The rows of a block."""

    def finish(self, grown: IO[bytes], new: Callable[[], IO[bytes]]) -> bool:
        """Whether the complete file was made anew from what grew, which is else the file."""


class Csv:
    """Comma-separated values with a header, as RFC 4180 has it but for the line ends (LF).

    A fraction is a decimal (:func:`symparam.showable.csv_number`); what is missing is empty.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.line = ",".join(["%s"] * len(columns)) + "\n"

    def head(self) -> bytes:
        """The names of the columns."""
        return (",".join(cell(column.name) for column in self.columns) + "\n").encode()

    def block(self, block: Block) -> bytes:
        """A line a row."""
        cells = [_texts(array, "", cell, csv_number) for array in block.columns]
        return "".join(map(self.line.__mod__, zip(*cells, strict=True))).encode()

    def finish(self, grown: IO[bytes], new: Callable[[], IO[bytes]]) -> bool:
        """What grew is the file."""
        return False


class JsonLines:
    """One JSON object a line; integers exact, a fraction as the text ``"3/2"``."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.line = "{" + ", ".join(json.dumps(c.name).replace("%", "%%") + ": %s"
                                    for c in columns) + "}\n"

    def head(self) -> bytes:
        """Nothing."""
        return b""

    def block(self, block: Block) -> bytes:
        """A line a row."""
        cells = [_texts(array, "null", json.dumps, lambda value: json.dumps(str(value)))
                 for array in block.columns]
        return "".join(map(self.line.__mod__, zip(*cells, strict=True))).encode()

    def finish(self, grown: IO[bytes], new: Callable[[], IO[bytes]]) -> bool:
        """What grew is the file."""
        return False


def _texts(array: Any, missing: str, quoted: Any, fraction: Any) -> list[Any]:
    """The cells of a column: numbers as they are, texts as the format writes them."""
    cells: list[Any] = array.tolist()
    if array.dtype.kind != "O":
        return cells
    return [missing if each is None else quoted(each) if isinstance(each, str)
            else fraction(each) if isinstance(each, Fraction) else each for each in cells]


class Parquet:
    """Parquet through an Arrow stream: int64, wider integers as decimals, else text.

    Raises:
        OutputError: pyarrow is not installed.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        try:
            import pyarrow
        except ImportError:
            raise OutputError("Parquet needs pyarrow: pip install 'symparam[parquet]'") from None
        self.arrow, self.columns = pyarrow, columns
        self.schema = pyarrow.schema([
            pyarrow.field(c.name, self._type(c), metadata={
                "unit": c.unit, "convention": c.convention} if c.unit else None)
            for c in columns])

    def _type(self, column: Column) -> Any:
        if column.kind == "int64":
            return self.arrow.int64()
        if column.kind == "integer" and column.most < 10**DIGITS:
            return self.arrow.decimal128(DIGITS, 0)
        return self.arrow.string()

    def head(self) -> bytes:
        """The schema."""
        return bytes(self.schema.serialize())

    def block(self, block: Block) -> bytes:
        """A record batch."""
        arrays = [self._array(array, field.type)
                  for array, field in zip(block.columns, self.schema, strict=True)]
        batch = self.arrow.record_batch(arrays, schema=self.schema)
        return bytes(batch.serialize())

    def _array(self, array: Any, kind: Any) -> Any:
        if kind == self.arrow.int64():
            return self.arrow.array(array, type=kind)
        cells = array.tolist()
        if kind == self.arrow.string():
            cells = [None if cell is None else str(cell) for cell in cells]
        else:
            from decimal import Decimal

            cells = [None if cell is None else Decimal(cell) for cell in cells]
        return self.arrow.array(cells, type=kind)

    def finish(self, grown: IO[bytes], new: Callable[[], IO[bytes]]) -> bool:
        """Turn the stream into Parquet, a batch at a time."""
        import pyarrow.parquet

        grown.seek(0)
        with self.arrow.ipc.open_stream(grown) as stream, new() as file:
            with pyarrow.parquet.ParquetWriter(file, self.schema) as out:
                for batch in stream:
                    if batch.num_rows:
                        out.write_batch(batch)
            file.flush()
            os.fsync(file.fileno())
        return True


#: The formats of a sweep's rows, by name.
ENCODERS: dict[str, type[Csv] | type[JsonLines] | type[Parquet]] = {
    "csv": Csv, "jsonl": JsonLines, "parquet": Parquet}
