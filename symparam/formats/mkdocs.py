"""Markdown for what sets mathematics aside first: MkDocs with arithmatex, Jupyter."""

from symparam.formats import OutputFormat
from symparam.writers.markdown import MkdocsFormat

FORMAT = OutputFormat(name="mkdocs", writer=MkdocsFormat, template="document.md.j2",
                      within=("Markdown",), place=2)
