"""Plain text, 80 columns."""

from symparam.formats import OutputFormat
from symparam.writers.text import TextFormat

FORMAT = OutputFormat(name="text", writer=TextFormat, template="document.txt.j2",
                      endings=(".txt", ""), template_ending=".txt", within=("Markdown",),
                      fenced=True, place=0)
