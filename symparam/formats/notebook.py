"""HTML as a cell of a notebook shows it."""

from functools import partial

from symparam.formats import OutputFormat
from symparam.writers.html import HtmlFormat

FORMAT = OutputFormat(name="notebook", writer=partial(HtmlFormat, top=3, inline=True),
                      template="fragment.html.j2", offered=False, escaped=True, place=9)
