"""Documents on a terminal: the text form, with colour and ruled tables."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from symparam.export.document import Document, Heading, Table
from symparam.export.notation import Notation
from symparam.export.text import TextFormat

_WIDEST = 100


def show(document: Document, notation: Notation) -> None:
    """Print a document to the terminal."""
    console = Console(highlight=False)
    width = min(console.width, _WIDEST)
    out = TextFormat(notation, width)
    console.print(Text(document.title, style="bold"))
    for block in document.blocks:
        console.print()
        if isinstance(block, Table):
            console.print(_table(block, out), width=width)
        elif isinstance(block, Heading):
            console.print(Text(out.block(block), style="bold cyan"))
        else:
            console.print(Text(out.block(block)))


def _table(table: Table, out: TextFormat) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for column in table.columns:
        shown.add_column(column.title, justify=column.align, no_wrap=column.align == "right")
    for i, row in enumerate(table.rows):
        last = i == len(table.rows) - 1
        if table.total and last:
            shown.add_section()
        style = "bold" if table.total and last else ""
        shown.add_row(*(Text(out.cell(cell)) for cell in row), style=style)
    return shown
