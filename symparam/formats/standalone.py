"""LaTeX that compiles by itself."""

from symparam.formats import OutputFormat
from symparam.writers.latex import LatexFormat

FORMAT = OutputFormat(name="standalone", writer=LatexFormat, template="standalone.tex.j2",
                      offered=False, place=4)
