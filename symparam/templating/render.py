"""Documents through the Jinja2 templates in ``templates/``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from symparam import formats
from symparam.errors import BrokenPromise, ContractError, SymparamError
from symparam.files.reading import read_text
from symparam.formats import OutputFormat
from symparam.notation.notation import PRESETS, Notation
from symparam.showable import clean
from symparam.writers.document import Document
from symparam.writers.html import HtmlFormat


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


@cache
def _of_pages() -> jinja2.Environment:
    """For what no writer has made showable."""
    return _environment(True).overlay(finalize=lambda value: clean(value) if type(value) is str
                                      else value)


def render(document: Document, kind: str, notation: Notation = PRESETS["paper"]) -> str:
    """A document in a format.

    Args:
        document: what to write.
        kind: the name of a format: ``text``, ``markdown`` (as GitHub reads it), ``mkdocs``,
            ``latex`` (a fragment), ``standalone`` (LaTeX), ``macros`` (TeX), ``html`` (a page),
            ``notebook`` (a fragment of HTML), or one of another package.
        notation: how dims are written.

    Raises:
        UnknownName: there is no such format. ContractError: one of another package fails.
    """
    found = formats.find(kind)
    try:
        return written(found, document, notation)
    except SymparamError:
        raise
    except Exception as error:  # whatever a package outside raises
        if formats.is_own(kind):
            raise
        raise ContractError(kind, f"it fails with {type(error).__name__}: {error}",
                            "format") from error


def shipped(name: str, **values: Any) -> str:
    """A shipped template that is no document's, with values; text is showable and escaped."""
    return _of_pages().get_template(name).render(**values)


def fragment(document: Document, notation: Notation, top: int) -> str:
    """A document inside a page of HTML, without its title.

    Args:
        document: what to write.
        notation: how dims are written.
        top: the level of its sections among the page's headings.
    """
    out = HtmlFormat(notation, top=top - 1)
    return _environment(True).get_template("blocks.html.j2").render(document=document, out=out)


def written(found: OutputFormat, document: Document, notation: Notation) -> str:
    """A document in a format, with one line's end behind it."""
    out = the_writer(found)(notation)
    text = out.document(document) if found.template is None else (
        _template(found).render(document=document, out=out))
    return text.rstrip("\n") + "\n"


def the_writer(found: OutputFormat) -> Callable[[Notation], Any]:
    """What writes the pieces of a document in a format that documents have."""
    if found.writer is None:
        raise BrokenPromise("a format of documents", found.name)
    return found.writer


def _template(found: OutputFormat) -> jinja2.Template:
    """The template of a format, one of the shipped ones or a file of another package."""
    environment = _environment(found.escaped)
    if isinstance(found.template, Path):
        return environment.from_string(read_text(found.template, "a template", 2**20))
    return environment.get_template(str(found.template))
