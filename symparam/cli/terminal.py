"""Documents on a terminal: the text form in colour, as wide as the terminal allows."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from symparam.notation.notation import Notation
from symparam.writers.document import Document, Heading, Table
from symparam.writers.text import TextFormat

_WIDEST = 100


def show(document: Document, notation: Notation) -> None:
    """Print a document to the terminal."""
    console = Console(highlight=False, soft_wrap=True)
    out = TextFormat(notation, max(40, min(console.width, _WIDEST)))
    console.print(Text(out.title(document.title), style="bold"))
    for block in document.blocks:
        console.print()
        if isinstance(block, Table):
            for line in _table(block, out):
                console.print(line)
        else:
            style = "bold cyan" if isinstance(block, Heading) else ""
            console.print(Text(out.block(block), style=style))


def _table(table: Table, out: TextFormat) -> Iterator[Text]:
    """A table's lines: the head dim, the total bold."""
    lines = out.table(table).split("\n")
    rules = [i for i, line in enumerate(lines) if line.strip("─ ") == ""]
    for i, line in enumerate(lines):
        below = table.total and i > rules[-1]
        dim = i <= rules[0] or i in rules
        yield Text(line, style="bold" if below else "dim" if dim else "")
