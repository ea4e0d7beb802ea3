"""LaTeX to be put into a document."""

from symparam.formats import OutputFormat
from symparam.writers.latex import LatexFormat

FORMAT = OutputFormat(name="latex", writer=LatexFormat, template="fragment.tex.j2",
                      endings=(".tex",), template_ending=".tex", within=("TeX",), paged=True,
                      place=3)
