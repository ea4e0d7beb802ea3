"""What a format has to say of each piece of a document; how pieces follow each other is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from symparam.writers.document import (
    Cell,
    Code,
    Label,
    Math,
    Source,
    Span,
    Strong,
    cell_spans,
)


class Format(ABC):
    """The spans and cells of a document in one format.

    Attributes:
        nothing: what pieces are joined with; its kind of text is that of everything written.
        special: the characters that are markup in it; none of them stands bare in plain words.
    """

    nothing: ClassVar[str] = ""
    special: ClassVar[str] = ""

    @abstractmethod
    def text(self, text: str) -> str:
        """Plain words; nothing in them is markup."""

    @abstractmethod
    def strong(self, text: str) -> str:
        """Words that stand out."""

    @abstractmethod
    def code(self, text: str) -> str:
        """Words that are typed as they stand."""

    @abstractmethod
    def formula(self, math: Math) -> str:
        """Mathematics within running text."""

    @abstractmethod
    def names(self, names: Sequence[str]) -> str:
        """Names of matrices within running text."""

    def source(self, text: str) -> str:
        """Where something is from; in words, where a format has no citations."""
        return self.text(text)

    def spans(self, parts: Iterable[Span]) -> str:
        """Running text."""
        return self.nothing.join([self._span(part) for part in parts])

    def cell(self, cell: Cell) -> str:
        """A cell of a table."""
        return self.spans(cell_spans(cell))

    def _span(self, part: Span) -> str:
        match part:
            case Source():
                return self.source(str(part))
            case str():
                return self.text(part)
            case Math():
                return self.formula(part)
            case Strong(text):
                return self.strong(text)
            case Code(text):
                return self.code(text)
            case Label(names):
                return self.names(names)
        raise TypeError(part)
