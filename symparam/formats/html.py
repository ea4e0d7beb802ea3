"""A page of HTML with MathML."""

from symparam.formats import OutputFormat
from symparam.writers.html import HtmlFormat

FORMAT = OutputFormat(name="html", writer=HtmlFormat, template="document.html.j2",
                      endings=(".html", ".htm"), template_ending=".html", escaped=True, place=6)
