"""Documents of symparam as pages of the site: headings in Markdown, the rest HTML with MathML.

No script reads formulas, neither here nor in a browser: MathML is what a browser draws itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from symparam.notation.notation import PRESETS, Notation
from symparam.templating.render import fragment
from symparam.writers.document import Document, Heading, Math
from symparam.writers.html import HtmlFormat
from symparam.writers.markdown import MarkdownFormat


def themed(document: Document, notation: Notation = PRESETS["paper"], down: int = 0,
           title: bool = True) -> str:
    """A document as Markdown for the site.

    Args:
        document: what to write.
        notation: how dims are written.
        down: by how many levels its headings are lower.
        title: whether it begins with its title.
    """
    head = [f"# {MarkdownFormat().text(document.title)}\n"] if title else []
    return "\n".join([*head, *_parts(document, notation, down)])


def _parts(document: Document, notation: Notation, down: int) -> Iterator[str]:
    for heading, found in groupby(document.blocks, lambda block: isinstance(block, Heading)):
        blocks = tuple(found)
        if heading:
            yield from (_heading(block, notation, down) for block in blocks
                        if isinstance(block, Heading))
        else:
            yield _body(replace(document, blocks=blocks), notation)


def _heading(heading: Heading, notation: Notation, down: int) -> str:
    words, formulas = MarkdownFormat(notation), HtmlFormat(notation)
    line = "".join(formulas.formula(part) if isinstance(part, Math) else words.spans([part])
                   for part in heading.spans)
    return f"{'#' * min(heading.level + down, 6)} {line}\n"


def _body(document: Document, notation: Notation) -> str:
    inside = fragment(document, notation, top=2).strip()
    inside = inside.replace("<table", '<table class="answer"')  # (the theme has a look for others)
    return f'<div class="symparam">\n{inside}\n</div>\n'
