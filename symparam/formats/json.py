"""Data, integers exact; a view makes it itself."""

from symparam.formats import OutputFormat

FORMAT = OutputFormat(name="json", writer=None, endings=(".json",), within=("Markdown",),
                      fenced=True, place=12)
