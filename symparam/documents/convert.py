"""A configuration in other words as a document, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.convert import Converted
from symparam.documents.common.view import View
from symparam.notation.notation import PRESETS, Notation
from symparam.writers.document import Block, Code, Column, Document, Items, Table, spans


class ConvertView(View):
    """A configuration in other words, in every format."""

    def __init__(self, name: str, found: Converted,
                 notation: Notation = PRESETS["paper"]) -> None:
        self.name, self.found, self.notation = name, found, notation

    def document(self) -> Document:
        """Its keys, and what is lost."""
        rows = tuple((Code(key), Code(said)) for key, said in _rows(self.found.data))
        blocks: list[Block] = [Table((Column("key"), Column("value")), rows)]
        if notes := said(self.found):
            blocks.append(Items(tuple(spans(each) for each in notes)))
        return Document(f"{self.name} as {self.found.file}", tuple(blocks))

    def json(self) -> dict[str, Any]:
        """The keys, the file and what is lost."""
        return {"model": self.name, "to": self.found.to, "file": self.found.file,
                "data": dict(self.found.data), "text": self.found.text,
                "lost": list(self.found.lost), "unsaid": list(self.found.unsaid)}


def said(found: Converted) -> list[str]:
    """What is lost, and what nobody said, a note each."""
    return [*(f"lost: {each}" for each in found.lost),
            *(f"not said: {each}" for each in found.unsaid)]


def _rows(data: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _rows(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", json.dumps(value)
