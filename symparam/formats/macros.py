"""A TeX macro for each number."""

from symparam.formats import OutputFormat
from symparam.writers.macros import MacroFormat

FORMAT = OutputFormat(name="macros", writer=MacroFormat, template="macros.tex.j2",
                      within=("TeX",), remark="a TeX macro for each number", place=5)
