"""What a format has to say of each piece of a document; how pieces follow each other is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from symparam import expression as ex
from symparam.writers.dims_in_words import with_dims
from symparam.writers.document import (
    Beside,
    Cell,
    Code,
    Label,
    Math,
    Rules,
    Settings,
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
        symbols: whether dims in running text are set as in formulas.
    """

    nothing: ClassVar[str] = ""
    special: ClassVar[str] = ""
    symbols: ClassVar[bool] = False

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

    def words(self, text: str) -> str:
        """Plain words, in which names of dims are symbols where a format sets them apart."""
        if not self.symbols:
            return self.text(text)
        return self.nothing.join([self.formula(each) if isinstance(each, Math) else
                                  self.text(str(each)) for each in with_dims(text)])

    def settings(self, given: Settings) -> str:
        """Dims with their numbers: as they are typed, or as equations."""
        if not self.symbols:
            return self.code(given.text)
        return self.text(", ").join([self.formula(Math(ex.Sym(name), "=", ex.Num(value)))
                                     for name, value in given.values])

    def rules(self, given: Rules) -> str:
        """Equations: as they are typed, or as mathematics."""
        if not self.symbols:
            return self.code(given.text)
        return self.text("; ").join([
            self.formula(Math(ex.Sym(eq.dim), "=", eq.expr))
            + self.text(f", {eq.rounding}" if eq.rounding else "") for eq in given.equations])

    def source(self, text: str) -> str:
        """Where something is from; in words, where a format has no citations."""
        return self.text(text)

    def beside(self, text: str) -> str:
        """The same in brackets."""
        return self.text("(") + self.source(text) + self.text(")")

    def spans(self, parts: Iterable[Span]) -> str:
        """Running text."""
        return self.nothing.join([self._span(part) for part in parts])

    def cell(self, cell: Cell) -> str:
        """A cell of a table."""
        return self.spans(cell_spans(cell))

    def _span(self, part: Span) -> str:
        match part:
            case Beside():
                return self.beside(str(part))
            case Source():
                return self.source(str(part))
            case str():
                return self.words(part)
            case Math():
                return self.formula(part)
            case Strong(text):
                return self.strong(text)
            case Settings():
                return self.settings(part)
            case Rules():
                return self.rules(part)
            case Code(text):
                return self.code(text)
            case Label(names):
                return self.names(names)
        raise TypeError(part)
