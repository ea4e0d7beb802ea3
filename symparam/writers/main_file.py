"""The main file of a folder for a paper, whose class decides which fragments it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

#: The space between two columns, in cm.
BETWEEN = Fraction(2, 5)

_HEAD = r"""%% With \documentclass[twocolumn]{article} it takes the fragments of a column.
\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,booktabs,geometry,graphicx,natbib}
\makeatletter
\if@twocolumn
  \newcommand{\bundlefit}{column}%% %scm wide
  \geometry{textwidth=%scm,columnsep=%scm,vmargin=2.5cm}
\else
  \newcommand{\bundlefit}{page}
  \geometry{textwidth=%scm,vmargin=2.5cm}
\fi
\makeatother
\raggedbottom
\input{macros}
\title{%s}
\author{}
\date{}
\begin{document}
\maketitle
"""
_END = r"""\bibliographystyle{plainnat}
\bibliography{references}
\end{document}
"""


def main_file(title: str, sections: Sequence[tuple[str, Sequence[str]]],
              widths: Mapping[str, Fraction]) -> str:
    """A main file.

    Args:
        title: in LaTeX.
        sections: the title of each, none where it goes on, and its lines; all in LaTeX.
        widths: of the text of a ``page`` and of a ``column``, in cm.
    """
    column, page = widths["column"], widths["page"]
    lines = [_HEAD % (*map(_cm, (column, 2 * column + BETWEEN, BETWEEN, page)), title)]
    for name, inside in sections:
        if inside:
            lines += [*([rf"\section{{{name}}}"] if name else []), *inside, ""]
    return "\n".join(lines) + _END


def _cm(width: Fraction) -> str:
    return f"{float(width):g}"
