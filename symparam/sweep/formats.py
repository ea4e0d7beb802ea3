"""Rows as CSV, JSON lines and Parquet, bytes that can be put one after another.

A file that is being written must stand a process that dies: what each encoder makes of one block
can be added to a file and cut off again. Parquet has its index at its end, so what grows is an
Arrow stream, which becomes Parquet when it is complete.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from symparam.errors import OutputError
from symparam.sweep.sweep import Block, Column

#: Decimal digits of Arrow's wide integers.
DIGITS = 38


class Encoder(Protocol):
    """What turns blocks into bytes."""

    def head(self) -> bytes:
        """What a file begins with."""

    def block(self, block: Block) -> bytes:
        """The rows of a block."""

    def finish(self, part: Path, done: Path) -> None:
        """Make the complete file from what grew; the same file where nothing is to be done."""


class Csv:
    """Comma-separated values with a header, as RFC 4180 has it but for the line ends (LF).

    A fraction is written as ``3/2``; what is missing is empty.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.line = ",".join(["%s"] * len(columns)) + "\n"

    def head(self) -> bytes:
        """The names of the columns."""
        return (",".join(column.name for column in self.columns) + "\n").encode()

    def block(self, block: Block) -> bytes:
        """A line a row."""
        cells = [_texts(array, column, "", _quoted)
                 for array, column in zip(block.columns, self.columns, strict=True)]
        return "".join(map(self.line.__mod__, zip(*cells, strict=True))).encode()

    def finish(self, part: Path, done: Path) -> None:
        """Nothing is to be done: what grew is the file."""
        part.replace(done)


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
        cells = [_texts(array, column, "null", json.dumps)
                 for array, column in zip(block.columns, self.columns, strict=True)]
        return "".join(map(self.line.__mod__, zip(*cells, strict=True))).encode()

    def finish(self, part: Path, done: Path) -> None:
        """Nothing is to be done: what grew is the file."""
        part.replace(done)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


def _texts(array: Any, column: Column, missing: str, quoted: Any) -> list[Any]:
    """The cells of a column: numbers as they are, texts as the format writes them."""
    cells: list[Any] = array.tolist()
    if array.dtype.kind != "O":
        return cells
    return [missing if cell is None else quoted(cell) if isinstance(cell, str)
            else quoted(str(cell)) if isinstance(cell, Fraction) else cell for cell in cells]


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

    def finish(self, part: Path, done: Path) -> None:
        """Turn the stream into Parquet, a batch at a time, beside it, and put it in its place."""
        import pyarrow.parquet

        half = part.with_name(part.name + ".parquet")
        with part.open("rb") as file, self.arrow.ipc.open_stream(file) as stream, \
                pyarrow.parquet.ParquetWriter(half, self.schema) as out:
            for batch in stream:
                if batch.num_rows:
                    out.write_batch(batch)
        half.replace(done)
        part.unlink()


#: The formats of a sweep's rows, by name.
ENCODERS: dict[str, type[Csv] | type[JsonLines] | type[Parquet]] = {
    "csv": Csv, "jsonl": JsonLines, "parquet": Parquet}
