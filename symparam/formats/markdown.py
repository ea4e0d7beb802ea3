"""Markdown as GitHub reads it."""

from symparam.formats import OutputFormat
from symparam.writers.markdown import MarkdownFormat

FORMAT = OutputFormat(name="markdown", writer=MarkdownFormat, template="document.md.j2",
                      endings=(".md",), template_ending=".md", within=("Markdown",), place=1)
