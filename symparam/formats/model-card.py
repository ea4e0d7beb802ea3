"""The README of a model on a hub: YAML in front, tables, what is cited."""

from symparam.formats import OutputFormat
from symparam.writers.model_card import ModelCardFormat

FORMAT = OutputFormat(name="model-card", writer=ModelCardFormat, template="model-card.md.j2",
                      within=("Markdown",), fenced=True, remark="a model card with its YAML",
                      place=10)
