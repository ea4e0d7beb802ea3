"""Documents through the Jinja2 templates in ``templates/``."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import jinja2

from symparam.errors import UnknownName
from symparam.export.document import Document
from symparam.export.html import HtmlFormat
from symparam.export.latex import LatexFormat
from symparam.export.macros import MacroFormat
from symparam.export.markdown import MarkdownFormat, MkdocsFormat
from symparam.export.notation import PRESETS, Notation
from symparam.export.text import TextFormat

#: Format to its template and to what writes its pieces.
FORMATS: dict[str, tuple[str, Any]] = {
    "text": ("document.txt.j2", TextFormat),
    "markdown": ("document.md.j2", MarkdownFormat),
    "mkdocs": ("document.md.j2", MkdocsFormat),
    "latex": ("fragment.tex.j2", LatexFormat),
    "standalone": ("standalone.tex.j2", LatexFormat),
    "macros": ("macros.tex.j2", MacroFormat),
    "html": ("document.html.j2", HtmlFormat),
    "notebook": ("fragment.html.j2", partial(HtmlFormat, top=3)),
}

#: Formats in which plain text is escaped by the templates too, whatever they print.
ESCAPED = frozenset({"html", "notebook"})


def template_folder() -> Path:
    """Where the templates are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "templates"
    return shipped if shipped.is_dir() else package.parent / "templates"


#: How templates are written, shipped ones and a user's own.
SYNTAX: dict[str, Any] = {
    "trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True,
    "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<",
    "variable_end_string": ">>", "comment_start_string": "<#", "comment_end_string": "#>"}


@cache
def _environment(escape: bool) -> jinja2.Environment:
    return jinja2.Environment(loader=jinja2.FileSystemLoader(template_folder()),
                              undefined=jinja2.StrictUndefined, autoescape=escape, **SYNTAX)


def render(document: Document, kind: str, notation: Notation = PRESETS["paper"]) -> str:
    """A document in a format.

    Args:
        document: what to write.
        kind: ``text``, ``markdown`` (as GitHub reads it), ``mkdocs``, ``latex`` (a fragment),
            ``standalone`` (LaTeX), ``macros`` (TeX), ``html`` (a page) or ``notebook`` (a
            fragment of HTML).
        notation: how dims are written.

    Raises:
        UnknownName: there is no such format.
    """
    if kind not in FORMATS:
        raise UnknownName("format", kind, FORMATS)
    template, writer = FORMATS[kind]
    page = _environment(kind in ESCAPED).get_template(template)
    text = page.render(document=document, out=writer(notation))
    return text.rstrip("\n") + "\n"
