"""What can be asked of every answer: itself in each format, and how a notebook shows it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symparam.documents.common.floating import Floats
    from symparam.notation.notation import Notation
    from symparam.writers.document import Document


class View(ABC):
    """An answer that can be written in every format; in a notebook it shows itself.

    A notebook is offered HTML with MathML (which needs no MathJax), Markdown, and the formulas
    alone as LaTeX, and takes what it can show.

    Attributes:
        notation: how dims are written.
    """

    notation: Notation

    @abstractmethod
    def document(self) -> Document:
        """The answer as a document, before a format gives it a look."""

    @abstractmethod
    def json(self) -> Any:
        """The answer as data, integers exact."""

    def written(self, floats: Floats | None = None) -> Document:
        """The document as formats get it: its tables float where that is asked for."""
        if floats is None:
            return self.document()
        from symparam.documents.common.floating import floating

        return floating(self.document(), floats)

    def text(self) -> str:
        """Plain text, 80 columns."""
        return self.render("text")

    def markdown(self) -> str:
        """Markdown with mathematics between dollars, as GitHub reads it."""
        return self.render("markdown")

    def mkdocs(self) -> str:
        """Markdown for MkDocs with arithmatex, or whatever sets mathematics aside first."""
        return self.render("mkdocs")

    def latex(self, *, standalone: bool = False) -> str:
        """LaTeX: a fragment for ``\\input``, or a document that compiles."""
        return self.render("standalone" if standalone else "latex")

    def html(self) -> str:
        """A page of HTML with MathML in one file: no script, nothing from a network."""
        return self.render("html")

    def render(self, kind: str, floats: Floats | None = None) -> str:
        """The answer in a format.

        Args:
            kind: its name.
            floats: what its tables are called, where they float.

        Raises:
            UnknownName: there is no such format. BadValue: the answer has not what it needs.
        """
        from symparam import formats
        from symparam.templating.render import render

        own = formats.of_answer(kind)
        return render(self.written(floats), kind, self.notation) if own is None else own(self)

    def certificate(self) -> dict[str, Any]:
        """What is certified of the answer, as data that ``check.py`` reads (docs/certificates.md).

        Raises:
            BadValue: it is an answer of which nothing is.
        """
        from symparam.errors import BadValue

        raise BadValue("certificate", "this answer",
                       "has none: derive, diff, sensitivity and solve have one")

    def macros(self) -> str:
        """TeX macros: one for each number and formula, so that prose can cite it.

        Raises:
            BadValue: the answer has no numbers with names.
        """
        return self.render("macros")

    def template(self, path: str | Path, *, search: Sequence[str | Path] = (),
                 kind: str | None = None, floats: Floats | None = None) -> str:
        """The answer through a template of one's own, in a sandbox (docs/templates.md).

        Args:
            path: the template; its name ends in ``.tex.j2``, ``.md.j2``, ``.html.j2`` or
                ``.txt.j2``.
            search: folders whose templates it can extend and include.
            kind: the format of its pieces, where the name does not say it.
            floats: what its tables are called, where they float.

        Raises:
            TemplateError: it cannot be read or run, or does more than a document takes.
        """
        from symparam.templating.template import render_template

        return render_template(Path(path), self.written(floats), self.json(), kind=kind,
                               search=[Path(folder) for folder in search], notation=self.notation)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.render("notebook")

    def _repr_markdown_(self) -> str:
        return self.mkdocs()

    def _repr_latex_(self) -> str | None:
        return formulas(self.document(), self.notation)


def formulas(document: Document, notation: Notation) -> str | None:
    """The displayed equations of a document between double dollars; None where there are none.

    This is all of LaTeX that a notebook shows: it has no tables and no headings.
    """
    from symparam.writers.document import Display
    from symparam.writers.latex import LatexFormat

    out, found = LatexFormat(notation), list[str]()
    for block in document.blocks:
        if isinstance(block, Display):
            rows = [row for equality in block.equalities for row in out.rows(equality)]
            lines = " \\\\\n".join(rows)
            found.append(f"$$\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n$$")
    return "\n\n".join(found) or None


class Tabular(View):
    """An answer that is rows of numbers as well."""

    @abstractmethod
    def csv(self) -> str:
        """The rows as comma-separated values, numbers in full; what there is not is empty."""
