"""Typst, to be compiled alone or included."""

from symparam.formats import OutputFormat
from symparam.writers.typst import TypstFormat

FORMAT = OutputFormat(name="typst", writer=TypstFormat, template="document.typ.j2",
                      endings=(".typ",), template_ending=".typ", paged=True, place=7)
